"""A bot account that plays wherever a host seats it, at many tables at a time. Needs bot.py beside it, and Python 3.9.

    python3 examples/house_bot.py --name Marvin      # stop it, start it again: it goes on where it was

A host seats it by its name: PUT /v1/tables/t_…/seats/1 {"kind": "player", "player": "Marvin"}.
"""

import argparse
from itertools import chain
from pathlib import Path
from threading import Thread

from bot import Player

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--url", default="http://127.0.0.1:8080")
parser.add_argument("--name", required=True, help="no other bot account has it")
parser.add_argument(
    "--token", type=Path, help="the file that keeps the account (NAME.token): whoever has it is the bot"
)
wish = parser.parse_args()
kept = wish.token or Path(f"{wish.name}.token")
player = Player(wish.url, {"name": wish.name, "bot": True}, kept.exists() and kept.read_text())
kept.touch(0o600)
kept.write_text(player.token)
tables = set()
while True:
    # The stream begins with the games that are being played. The offer is made again with every message and sign of
    # life, for a minute: when this program has ended nobody seats the bot any more.
    for event in chain([{}], player.stream("/v1/players/me/events")):
        player.call("PUT", "/v1/players/me/availability", {"available": True, "seconds": 60})
        if event.get("type") == "started" and event["table"] not in tables:
            tables.add(event["table"])
            Thread(target=player.play, args=[f"/v1/tables/{event['table']}"], daemon=True).start()
