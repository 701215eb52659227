"""Matches between bots: `make arena GAME=thurn_and_taxis A=medium B=greedy N=40`.

A takes each seat in turn, B all others. Each is a level ("greedy"), a level with a number of iterations instead of its
seconds ("medium:400"), or an automa; `search` means `medium`. Seconds are processor time here: a busy machine makes a
match longer, not the players weaker. `--weights '{"LEAD": 3.0}'` changes the evaluation that A uses.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

import msgspec

from services.bots.arena.matches import tournament
from services.bots.arena.report import plot, table
from services.bots.arena.weights import weighted
from services.engine import registry
from services.engine.codec import Malformed
from services.engine.game import BadOptions, Game
from services.platform.pool.levels import BUDGETS


def player(game: Game[Any], name: str) -> str:
    """The level or automa of that name; raises ValueError."""
    level, counted, iterations = name.partition(":")
    level = "medium" if level == "search" else level
    if level not in (*game.info.bots, *game.info.automas):
        known = ", ".join((*game.info.bots, *game.info.automas))
        raise ValueError(f"there is no player {name!r}; {game.info.id} has {known}, and search, which means medium")
    if counted and not (level in BUDGETS and iterations.isdecimal()):
        raise ValueError(f"{name!r} is no player; a number of iterations follows a level that thinks: medium:400")
    return level + counted + iterations


def check(asked: argparse.Namespace) -> None:
    """Resolves the names of the players and tries a deal. Raises what is wrong with them."""
    game = registry.load(asked.game)
    asked.a, asked.b = player(game, asked.a), player(game, asked.b)
    if min(asked.games, asked.workers) < 1:
        raise ValueError("a match has at least one game and one worker")
    seats = [name if name in game.info.automas else "player" for name in (asked.a, *[asked.b] * (asked.seats - 1))]
    if asked.weights:
        weighted(asked.game, asked.weights)
    game.new(seats, registry.codec(asked.game).options(msgspec.json.encode(asked.options)), bytes(32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=registry.names())
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first game; other numbers are other deals")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--weights", default="", help="other constants of the game's evaluation.py for A, as JSON")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="games played at the same time")
    parser.add_argument(
        "--record",
        type=Path,
        help="a file that records every game; games in it are not played again, so use a new file after changing a bot",
    )
    parser.add_argument("--plot", type=Path, help="a file for a picture of the distributions (needs matplotlib)")
    asked = parser.parse_args()
    try:
        check(asked)
    except (ValueError, BadOptions, Malformed) as error:
        parser.error(str(error))
    results = tournament(asked)
    print(table(asked, results))
    if asked.plot:
        plot(asked, results, asked.plot)
        print(f"the picture is {asked.plot}")


if __name__ == "__main__":
    main()
