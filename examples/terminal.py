"""Play any game of a Teahouse server by hand, in the terminal. Needs Python 3.9 or newer and nothing else.

    python3 examples/terminal.py                             # asks which game, then against the greedy bot
    python3 examples/terminal.py --game thurn_and_taxis --opponent random --language pl

Type the number of an action, `v` to see the whole position, `q` to leave.
"""

import argparse
import json
import sys
from collections import defaultdict
from urllib import error, request

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--url", default="http://127.0.0.1:8080")
parser.add_argument("--game", default="")
parser.add_argument("--opponent", default="greedy", help="one of the game's bots")
parser.add_argument("--language", default="en", choices=["en", "pl"])
wish = parser.parse_args()
headers = {"Content-Type": "application/json"}
ASK = {"en": "Your choice", "pl": "Twój wybór"}[wish.language]


def call(method, path, body=None, accept="application/json"):
    data = None if body is None else json.dumps(body).encode()
    asked = request.Request(wish.url + path, data, headers | {"Accept": accept}, method=method)
    try:
        return request.urlopen(asked, timeout=60)
    except error.HTTPError as refused:
        sys.exit(json.load(refused)["detail"])
    except OSError as lost:
        sys.exit(f"no server answers at {wish.url}: {lost}")


def ask(lines, letter=None):
    """The number of one of the lines, or the letter; `q` and the end of the input leave."""
    for number, line in enumerate(lines, 1):
        print(f"{number:>4}  {line}")
    while True:
        print(f"{ASK} [1-{len(lines)}]: ", end="", flush=True)
        answer = (sys.stdin.readline() or "q").strip()
        if answer in ("q", letter):
            return answer if answer == letter else sys.exit()
        if answer.isdigit() and 1 <= int(answer) <= len(lines):
            return int(answer) - 1


def say(what, payload, texts):
    """An action or event in words: its kind is its only key."""
    ((kind, fields),) = payload.items()
    known = defaultdict(lambda: "–", {name: json.dumps(value).strip('"') for name, value in fields.items()})
    return texts.get(f"{what}.{kind}", f"{kind} {json.dumps(fields)}").format_map(known)


headers["Authorization"] = "Bearer " + json.load(call("POST", "/v1/players", {"name": "Terminal"}))["token"]
if not wish.game:
    games = json.load(call("GET", "/v1/games"))["games"]
    wish.game = games[ask([game["title"][wish.language] for game in games])]["id"]
game = json.load(call("GET", f"/v1/games/{wish.game}"))
words = game["texts"][wish.language]
seats = [{"kind": "me"}] + [{"kind": "bot", "bot": wish.opponent}] * max(1, game["seats"]["min"] - 1)
table = "/v1/tables/" + json.load(call("POST", "/v1/tables", {"game": wish.game, "seats": seats}))["id"]
call("POST", f"{table}/start")
stream = map(json.loads, filter(bytes.strip, call("GET", f"{table}/events?after=0", accept="application/x-ndjson")))
for position in (message["update"] for message in stream if "update" in message):
    for event in position["events"]:
        print("   *", say("event", event, words))
    legal = position["legal"]
    while legal and (chosen := ask([say("action", each, words) for each in legal], "v")) == "v":
        print(json.dumps(position["view"], indent=1, ensure_ascii=False))
    if legal:
        call("POST", f"{table}/actions", {"version": position["version"], "action": legal[chosen]})
outcome = position["outcome"]
for seat, lines in enumerate(outcome["breakdown"]):
    print(f"{seat}: {outcome['scores'][seat]} =", {words[f"score.{each['label']}"]: each["points"] for each in lines})
print(words[f"reason.{outcome['reason']}"])
