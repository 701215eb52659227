"""Plays as a bot account wherever a host seats it, at many tables at once. Needs bot.py beside it, and Python 3.9.

    python3 examples/house_bot.py --name Marvin      # after a restart it continues its games

A host seats it by name: PUT /v1/tables/t_…/seats/1 {"kind": "player", "player": "Marvin"}.
"""

import argparse
from itertools import chain
from pathlib import Path
from threading import Thread

from bot import Player

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--url", default="http://127.0.0.1:8080")
parser.add_argument("--name", required=True, help="must differ from the names of all other bot accounts")
parser.add_argument("--token", type=Path, help="file that stores the account's token (NAME.token): keep it secret")
wish = parser.parse_args()
kept = wish.token or Path(f"{wish.name}.token")
player = Player(wish.url, {"name": wish.name, "bot": True}, kept.exists() and kept.read_text())
kept.touch(0o600)
kept.write_text(player.token)
tables = set()
while True:
    # The stream opens with the games in progress, so a restart picks them up. The offer lasts a minute and is renewed
    # with every message (at least every 15 s), so no host seats the bot long after this program has ended.
    for event in chain([{}], player.stream("/v1/players/me/events")):
        player.call("PUT", "/v1/players/me/availability", {"available": True, "seconds": 60})
        if event.get("type") == "started" and event["table"] not in tables:
            tables.add(event["table"])
            Thread(target=player.play, args=[f"/v1/tables/{event['table']}"], daemon=True).start()
