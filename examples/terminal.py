"""Lets you play any game of a Teahouse server in the terminal. Needs only Python 3.9 or newer.

    python3 examples/terminal.py                             # asks which game, then plays against the greedy bot
    python3 examples/terminal.py --game thurn_and_taxis --opponent random --language pl

It shows what changed in your view, then asks. Type the number of an action, `v` for the whole view, `q` to leave.
"""

import argparse
import json
import sys
from collections import defaultdict
from urllib.request import HTTPError, Request, urlopen

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option, usual in (("--url", "http://127.0.0.1:8080"), ("--game", ""), ("--opponent", "greedy")):
    parser.add_argument(option, default=usual)
parser.add_argument("--language", default="en", choices=["en", "pl"])
wish = parser.parse_args()
headers, shown = {"Content-Type": "application/json"}, {}


def call(method, path, body=None, accept="application/json"):
    asked = Request(wish.url + path, body and json.dumps(body).encode(), headers | {"Accept": accept}, method=method)
    try:
        return urlopen(asked, timeout=60)
    except HTTPError as refused:
        sys.exit(json.load(refused)["detail"])
    except OSError as lost:
        sys.exit(f"no server answers at {wish.url}: {lost}")


def ask(lines, view=None):  # repeats until one of the lines is chosen; end of input leaves, like q
    while True:
        numbered = [f"{number:>4}  {line}" for number, line in enumerate(lines, 1)]
        print(*numbered, f"   ?  [1-{len(lines)}]: ", sep="\n", end="", flush=True)
        answer = (sys.stdin.readline() or "q").strip()
        if answer in ("q", "v"):
            print(json.dumps(view, indent=1, ensure_ascii=False)) if answer == "v" else sys.exit()
        if answer.isdigit() and 1 <= int(answer) <= len(lines):
            return int(answer) - 1


def name(value, field="", mark="{}: "):  # in words; numbers list entries, because actions refer to positions
    if isinstance(value, dict):
        told = "; ".join(f"{key} {name(each, key, '')}" for key, each in value.items() if each not in (None, [], ""))
        return told if mark else f"({told})"
    if isinstance(value, list):
        rows = "\n      " if mark and isinstance(next(iter(value), ""), dict) else ""
        return rows + (rows or ", ").join(mark.format(at) + name(each, field, mark) for at, each in enumerate(value))
    return words.get(f"{field}.{value}") or names.get(value) or json.dumps(value).strip('"')


def say(what, payload):  # puts an action or event into words; its only key is its kind
    ((kind, fields),) = payload.items()
    known = {key: name(value, key, "") for key, value in fields.items()}
    return words.get(f"{what}.{kind}", kind).format_map(defaultdict(lambda: "–", known))


headers["Authorization"] = "Bearer " + json.load(call("POST", "/v1/players", {"name": "Terminal"}))["token"]
games = [(game["id"], game["title"][wish.language]) for game in json.load(call("GET", "/v1/games"))["games"]]
game = json.load(call("GET", f"/v1/games/{wish.game or games[ask([title for _, title in games])][0]}"))
words = game["texts"][wish.language]
names = {key.partition(".")[2]: text for key, text in words.items() if key[:6] not in ("action", "event.", "option")}
seats = [{"kind": "me"}] + [{"kind": "bot", "bot": wish.opponent}] * max(1, game["seats"]["min"] - 1)
table = "/v1/tables/" + json.load(call("POST", "/v1/tables", {"game": game["id"], "seats": seats}))["id"]
call("POST", f"{table}/start")
stream = map(json.loads, filter(bytes.strip, call("GET", f"{table}/events?after=0", accept="application/x-ndjson")))
for position in (message["update"] for message in stream if "update" in message):
    print("".join(f"   * {say('event', event)}\n" for event in position["events"]), end="")
    if legal := position["legal"]:
        view, shown = {key: each for key, each in position["view"].items() if shown.get(key) != each}, position["view"]
        print("".join(f"  {key}: {name(value, key)}\n" for key, value in view.items()), end="")
        action = legal[ask([say("action", each) for each in legal], shown)]
        call("POST", f"{table}/actions", {"version": position["version"], "action": action})
outcome = position["outcome"]
for seat, lines in enumerate(outcome["breakdown"]):
    print(f"{seat}: {outcome['scores'][seat]} =", {words[f"score.{each['label']}"]: each["points"] for each in lines})
print(words[f"reason.{outcome['reason']}"])
