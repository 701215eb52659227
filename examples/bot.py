"""A bot for every game of a Teahouse server. Needs Python 3.9 or newer and nothing else.

    python3 examples/bot.py                          # plays against the server's random bot until it has won
    python3 examples/bot.py --game river_of_gold --opponent greedy
    python3 examples/bot.py --offer --name Marvin    # a bot account: plays wherever a host seats Marvin

It knows no rules: the server lists its legal actions, it takes the one with the largest numbers in it.
"""

import argparse
import http.client
import json
import random
import re
import sys
import time
from urllib import error, request

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option, usual in (("--url", "http://127.0.0.1:8080"), ("--game", "geishas_road"), ("--name", "Example bot")):
    parser.add_argument(option, default=usual)
parser.add_argument("--opponent", default="random", help="one of the game's bots")
parser.add_argument("--offer", action="store_true", help="wait until hosts seat this bot at their tables")
wish = parser.parse_args()
headers = {"Content-Type": "application/json"}


def call(method, path, body=None, accept="application/json"):
    data = body and json.dumps(body).encode()
    asked = request.Request(wish.url + path, data, headers | {"Accept": accept}, method=method)
    try:
        return request.urlopen(asked, timeout=60)
    except error.HTTPError as refused:
        if refused.code not in (409, 503) or path == "/v1/players":  # the answer says what was wrong and what to do
            sys.exit(f"{method} {path}: {json.load(refused)['detail']}")
        return None  # the table has moved on, or the server restarts: the stream tells
    except OSError as lost:
        raise lost if "Authorization" in headers else SystemExit(f"no server answers at {wish.url}: {lost}") from None


def stream(path):  # one message a line; an empty line is a sign of life
    return map(json.loads, filter(bytes.strip, call("GET", path, accept="application/x-ndjson") or ()))


def choose(actions):
    return max(actions, key=lambda action: (sum(map(int, re.findall(r"\d+", str(action)))), random.random()))


def play(table):
    """Follows the table's stream and acts when it is our turn; whatever breaks, it comes back and goes on."""
    version, position = 0, {}
    while position.get("status") not in ("finished", "closed"):
        try:
            for message in stream(f"{table}/events?after={version}"):
                position = message.get("update", position)  # chat and presence come too
                if position.get("legal") and position["version"] > version:
                    move = {"version": position["version"], "action": choose(position["legal"])}
                    call("POST", f"{table}/actions", move)
                version = position.get("version", 0)
        except (OSError, http.client.HTTPException) as lost:
            print(f"going on after: {lost}", file=sys.stderr)
            time.sleep(0.2)
    outcome = position["outcome"] or sys.exit("the table was closed")
    print(f"place {outcome['places'][position['seat']]}, scores {outcome['scores']}", flush=True)
    return outcome["places"][position["seat"]] == 1


account, played = {"name": wish.name, "bot": wish.offer}, {}
headers["Authorization"] = "Bearer " + json.load(call("POST", "/v1/players", account))["token"]
while wish.offer:
    call("PUT", "/v1/players/me/availability", {"available": True})
    for event in stream("/v1/players/me/events"):
        if event["type"] == "your_turn" and event["table"] not in played:  # more of them came while it was played
            played[event["table"]] = play(f"/v1/tables/{event['table']}")
won, seats = False, [{"kind": "me"}, {"kind": "bot", "bot": wish.opponent}]
while not won:
    table = "/v1/tables/" + json.load(call("POST", "/v1/tables", {"game": wish.game, "seats": seats}))["id"]
    call("POST", f"{table}/start")
    won = play(table)
