"""Finds games by their folder: `services/<game>/game.py` with a `GAME` in it. Nobody keeps a list of games."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from services.engine.codec import Codec
from services.engine.game import Game

SERVICES = Path(__file__).resolve().parent.parent


@cache
def names() -> tuple[str, ...]:
    found = (path.parent.name for path in SERVICES.glob("*/game.py"))
    return tuple(sorted(name for name in found if name != "engine"))


@cache
def load(name: str) -> Game[Any]:
    if name not in names():
        raise KeyError(f"there is no game {name!r}; there are {', '.join(names())}")
    game: Game[Any] = import_module(f"services.{name}.game").GAME
    return game


@cache
def codec(name: str) -> Codec:
    return Codec(load(name))
