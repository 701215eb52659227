"""What a rules service says of its game: seats, bots, the schemas of its messages, the box and the texts."""

import json
from pathlib import Path
from typing import Any

import msgspec

from services.engine.codec import Codec, action_schema, event_schema
from services.engine.game import Game
from services.engine.registry import GAMES
from teahouse.v1 import rules_pb2 as pb


def describe(game: Game[Any], codec: Codec) -> pb.GameInfo:
    folder = GAMES / game.info.id
    info = game.info
    return pb.GameInfo(
        id=info.id,
        rules_version=codec.rules_version,
        min_seats=info.min_seats,
        max_seats=info.max_seats,
        title=info.title,
        bots=info.bots,
        automas=info.automas,
        options_schema=msgspec.json.encode(msgspec.json.schema(game.structs.Options)),
        action_schema=msgspec.json.encode(action_schema(game)),
        event_schema=msgspec.json.encode(event_schema(game)),
        view_schema=msgspec.json.encode(msgspec.json.schema(game.structs.View)),
        components=components(folder),
        texts=(folder / "texts.json").read_bytes(),
    )


def components(folder: Path) -> bytes:
    """What is in the box: components.json, and the game's other boxes under their names."""
    box = json.loads((folder / "components.json").read_bytes())
    for path in sorted(folder.glob("*.json")):
        if path.name not in ("components.json", "texts.json"):
            box[path.stem] = json.loads(path.read_bytes())
    return json.dumps(box, ensure_ascii=False).encode()
