"""Plays games between bots, several at a time, and keeps a record of them."""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from services.bots.arena.weights import weighted
from services.bots.strategies import Bot
from services.engine import registry
from services.engine.dice import Dice

# Characters of the progress bar.
BAR = 30


class Result(NamedTuple):
    """One game as A saw it: its share of the win, its score, the mean score of the others, its time and decisions."""

    number: int
    share: float
    score: int
    others: float
    seconds: float
    decisions: int


def play(
    name: str, levels: list[str], options: dict[str, Any], number: int, deal: int, watched: int, weights: str = ""
) -> Result:
    """Plays one game of that deal. An automa's id may stand for a level. `weights` are for the watched seat only."""
    game, codec = registry.load(name), registry.codec(name)
    its_own = weighted(name, weights) if weights else None
    seats = [level if level in game.info.automas else "player" for level in levels]
    players = ["automa" if level in game.info.automas else level for level in levels]
    seed = sha256(f"arena {name} {deal}".encode()).digest()
    state = game.new(seats, codec.options(msgspec.json.encode(options)), seed)
    dice = Dice(sha256(seed).digest())
    seconds, decisions, bot = 0.0, 0, None
    while (seat := game.actor(state)) is not None:
        known = game.redeal(state, seat, Dice(sha256(b"redeal" + dice.word().to_bytes(4, "big")).digest()))
        sees = its_own if seat == watched else None
        if bot is None or bot.seat != seat:
            bot = Bot(players[seat], sees.game if sees else game, seat, dice, time.process_time)
        if sees:
            known = sees.decode(codec.encode(known))
        began = time.process_time()
        action = bot.choose(known)
        if seat == watched:
            seconds, decisions = seconds + time.process_time() - began, decisions + 1
        game.apply(state, action, tell=False)
    outcome = game.outcome(state)
    assert outcome is not None
    share = 1 / outcome.places.count(1) if outcome.places[watched] == 1 else 0.0
    others = fmean(score for seat, score in enumerate(outcome.scores) if seat != watched)
    return Result(number, share, outcome.scores[watched], others, seconds, decisions)


def game_number(
    name: str, a: str, b: str, seats: int, options: dict[str, Any], number: int, weights: str = ""
) -> Result:
    """Game `number` of a match. A takes each seat of a deal once, but keeps the first seat against an automa."""
    if b in registry.load(name).info.automas:
        deal, at = number, 0
    else:
        deal, at = divmod(number, seats)
    return play(name, [a if seat == at else b for seat in range(seats)], options, number, deal, at, weights)


def pairing(asked: argparse.Namespace) -> str:
    options = json.dumps(asked.options, sort_keys=True)
    return f"{asked.game} {asked.a} {asked.b} {asked.seats} {options} {asked.weights}".rstrip()


def recorded(asked: argparse.Namespace) -> list[Result]:
    """The games of this match that earlier runs have recorded."""
    if not (asked.record and asked.record.exists()):
        return []
    lines = [msgspec.json.decode(line, type=tuple[str, Result]) for line in asked.record.read_bytes().splitlines()]
    numbers = range(asked.first, asked.first + asked.games)
    found = {result.number: result for of, result in lines if of == pairing(asked) and result.number in numbers}
    return list(found.values())


def record(asked: argparse.Namespace, result: Result) -> None:
    if asked.record:
        asked.record.parent.mkdir(parents=True, exist_ok=True)
        with asked.record.open("ab") as file:
            file.write(msgspec.json.encode((pairing(asked), result)) + b"\n")


def tournament(asked: argparse.Namespace) -> list[Result]:
    """The results of all games, or of those that were over when Ctrl-C was pressed."""
    results = recorded(asked)
    over = {result.number for result in results}
    with ProcessPoolExecutor(asked.workers) as pool:
        work = [
            pool.submit(game_number, asked.game, asked.a, asked.b, asked.seats, asked.options, number, asked.weights)
            for number in range(asked.first, asked.first + asked.games)
            if number not in over
        ]
        try:
            for done in as_completed(work):
                results.append(done.result())
                record(asked, results[-1])
                full, won = BAR * len(results) // asked.games, fmean(result.share for result in results)
                bar = f"[{'#' * full}{'.' * (BAR - full)}] {len(results)}/{asked.games} games"
                sys.stderr.write(f"\r{bar}, {asked.a} wins {100 * won:.1f} %")
        except BaseException as ended:
            pool.shutdown(wait=False, cancel_futures=True)
            if not (isinstance(ended, KeyboardInterrupt) and results):
                raise
    sys.stderr.write("\n")
    return results
