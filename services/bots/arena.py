"""Bots against each other: `python -m services.bots.arena <game> greedy random --games 100`."""

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from math import sqrt
from typing import Any

import msgspec

from services.bots.players import choose
from services.engine import registry
from services.engine.dice import Dice


def duel(name: str, levels: list[str], options: dict[str, Any], number: int) -> tuple[list[int], list[int]]:
    """Plays one game; returns places and scores in seat order. An automa's id may stand for a level."""
    game, codec = registry.load(name), registry.codec(name)
    seats = [level if level in game.info.automas else "player" for level in levels]
    players = ["automa" if level in game.info.automas else level for level in levels]
    seed = sha256(f"arena {name} {number}".encode()).digest()
    state = game.new(seats, codec.options(msgspec.json.encode(options)), seed)
    dice = Dice(sha256(seed).digest())
    while (seat := game.actor(state)) is not None:
        known = game.redeal(state, seat, Dice(sha256(b"redeal" + dice.word().to_bytes(4, "big")).digest()))
        game.apply(state, choose(players[seat], game, known, seat, dice), tell=False)
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome.places, outcome.scores


def game_number(
    name: str, a: str, b: str, seats: int, options: dict[str, Any], number: int
) -> tuple[float, int, float]:
    """A sits at seat `number mod seats`, b everywhere else. Returns a's share of the win, its score, b's mean score.

    An automa keeps the last seat: it never takes another's.
    """
    at = 0 if b in registry.load(name).info.automas else number % seats
    levels = [a if seat == at else b for seat in range(seats)]
    places, scores = duel(name, levels, options, number)
    share = 1 / places.count(1) if places[at] == 1 else 0.0
    others = [score for seat, score in enumerate(scores) if seat != at]
    return share, scores[at], sum(others) / len(others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=registry.names())
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--options", type=json.loads, default={})
    asked = parser.parse_args()
    results = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        work = [
            pool.submit(game_number, asked.game, asked.a, asked.b, asked.seats, asked.options, number)
            for number in range(asked.games)
        ]
        for done in as_completed(work):
            results.append(done.result())
            sys.stderr.write(f"\r{len(results)}/{asked.games} games")
    n = len(results)
    wins, mine, theirs = (sum(column) for column in zip(*results, strict=True))
    rate = wins / n
    print(
        f"\n{asked.game}: {asked.a} wins {100 * rate:.1f} % of {n} games against {asked.b} "
        f"(± {196 * sqrt(rate * (1 - rate) / n):.1f}); mean scores {mine / n:.1f} and {theirs / n:.1f}"
    )


if __name__ == "__main__":
    main()
