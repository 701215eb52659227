"""Plays any game of a Teahouse server. Needs only Python 3.9 or newer.

    python3 examples/bot.py                          # plays against the server's random bot until it wins
    python3 examples/bot.py --game river_of_gold --opponent greedy

It knows no rules: the server lists the legal actions, and the bot takes the one whose numbers add up to most.
house_bot.py runs the same bot wherever a host seats it.
"""

import argparse
import json
import random
import re
import sys
import time
from contextlib import suppress
from http.client import HTTPException
from urllib import error, request


def choose(actions):
    return max(actions, key=lambda action: (sum(map(int, re.findall(r"\d+", str(action)))), random.random()))


class Player:
    def __init__(self, url, account, token=None):
        self.url, self.headers = url, {"Content-Type": "application/json"}
        self.token = token or json.load(self.call("POST", "/v1/players", account))["token"]
        self.headers["Authorization"] = f"Bearer {self.token}"

    def call(self, method, path, body=None, accept="application/json"):
        data = body and json.dumps(body).encode()
        asked = request.Request(self.url + path, data, self.headers | {"Accept": accept}, method=method)
        while True:
            try:
                return request.urlopen(asked, timeout=60)
            except error.HTTPError as refused:
                if (refused.code < 500 and refused.code not in (409, 429)) or path == "/v1/players":
                    sys.exit(f"{method} {path}: {json.load(refused)['detail']}")  # says what was wrong and what to do
                if refused.code == 409:
                    return None  # the table has moved on: the stream brings the new position
            except (OSError, HTTPException) as lost:
                if "Authorization" not in self.headers:
                    sys.exit(f"no server answers at {self.url}: {lost}")
            time.sleep(1)  # the server is restarting or overloaded: try again

    def stream(self, path):
        """Yields one message per line, {} for the empty line that comes every 15 s. Ends when the connection does."""
        with suppress(OSError, HTTPException, ValueError):
            for line in self.call("GET", path, accept="application/x-ndjson") or ():
                yield json.loads(line.strip() or "{}")

    def play(self, table):
        """Follows the table's stream and acts when it is our turn. Reconnects when the connection breaks."""
        version, position = 0, {}
        while position.get("status") not in ("finished", "closed"):
            for message in self.stream(f"{table}/events?after={version}"):
                position = message.get("update", position)  # the stream also carries chat and presence
                if position.get("legal") and position["version"] > version:
                    move = {"version": position["version"], "action": choose(position["legal"])}
                    self.call("POST", f"{table}/actions", move)
                version = position.get("version", 0)
        outcome = position["outcome"] or sys.exit("the table was closed")
        print(f"place {outcome['places'][position['seat']]}, scores {outcome['scores']}", flush=True)
        return outcome["places"][position["seat"]] == 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, usual in (("--url", "http://127.0.0.1:8080"), ("--game", "geishas_road"), ("--name", "Example bot")):
        parser.add_argument(option, default=usual)
    parser.add_argument("--opponent", default="random", help="one of the game's bots")
    wish, won = parser.parse_args(), False
    player, seats = Player(wish.url, {"name": wish.name}), [{"kind": "me"}, {"kind": "bot", "bot": wish.opponent}]
    while not won:
        table = "/v1/tables/" + json.load(player.call("POST", "/v1/tables", {"game": wish.game, "seats": seats}))["id"]
        player.call("POST", f"{table}/start")
        won = player.play(table)
