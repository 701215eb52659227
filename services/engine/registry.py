"""Finds games by their folder: `services/games/<game>/game.py` with a `GAME` in it. Nobody keeps a list of games."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from services.engine.codec import Codec
from services.engine.game import Game

GAMES = Path(__file__).resolve().parent.parent / "games"


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in GAMES.glob("*/game.py")))


@cache
def load(name: str) -> Game[Any]:
    if name not in names():
        raise KeyError(f"there is no game {name!r}; there are {', '.join(names())}")
    game: Game[Any] = import_module(f"services.games.{name}.game").GAME
    return game


@cache
def codec(name: str) -> Codec:
    return Codec(load(name))
