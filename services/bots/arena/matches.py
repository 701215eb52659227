"""Bots against each other: `make arena GAME=thurn_and_taxis A=medium B=greedy N=40`.

A sits at each seat in turn, B everywhere else. Either may be a level, or one that thinks with a number of iterations
instead of its seconds ("medium:400"), or an automa; `search` means `medium`. A budget in seconds is measured as time of
the processor, so a busy machine makes a tournament slower, not its players weaker. A may see the game with other
weights than B (`--weights '{"LEAD": 3.0}'`): so evaluations are measured.
"""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, NamedTuple

import msgspec

from services.bots.arena.weights import weighted
from services.bots.strategies import Mind
from services.engine import registry
from services.engine.codec import Malformed
from services.engine.dice import Dice
from services.engine.game import BadOptions, Game
from services.platform.pool.levels import BUDGETS

# Of a normal distribution: 95 % lie within.
Z = 1.96
BAR = 30


class Result(NamedTuple):
    """One game, seen by A: its share of the win, its score, the mean score of the others, and what it thought."""

    number: int
    share: float
    score: int
    others: float
    seconds: float
    decisions: int


def play(
    name: str, levels: list[str], options: dict[str, Any], number: int, deal: int, watched: int, weights: str = ""
) -> Result:
    """Plays one game of that deal. An automa's id may stand for a level. The weights are those of the watched seat."""
    game, codec = registry.load(name), registry.codec(name)
    its_own = weighted(name, weights) if weights else None
    seats = [level if level in game.info.automas else "player" for level in levels]
    players = ["automa" if level in game.info.automas else level for level in levels]
    seed = sha256(f"arena {name} {deal}".encode()).digest()
    state = game.new(seats, codec.options(msgspec.json.encode(options)), seed)
    dice = Dice(sha256(seed).digest())
    seconds, decisions, mind = 0.0, 0, None
    while (seat := game.actor(state)) is not None:
        known = game.redeal(state, seat, Dice(sha256(b"redeal" + dice.word().to_bytes(4, "big")).digest()))
        sees = its_own if seat == watched else None
        if mind is None or mind.seat != seat:
            mind = Mind(players[seat], sees.game if sees else game, seat, dice, time.process_time)
        if sees:
            known = sees.decode(codec.encode(known))
        began = time.process_time()
        action = mind.choose(known)
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
    """A sits at each seat of a deal once, then comes the next deal. An automa keeps the last seat, so A the first."""
    if b in registry.load(name).info.automas:
        deal, at = number, 0
    else:
        deal, at = divmod(number, seats)
    return play(name, [a if seat == at else b for seat in range(seats)], options, number, deal, at, weights)


def interval(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate seen in n games."""
    middle = (rate + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return middle - half, middle + half


def pairing(asked: argparse.Namespace) -> str:
    options = json.dumps(asked.options, sort_keys=True)
    return f"{asked.game} {asked.a} {asked.b} {asked.seats} {options} {asked.weights}".rstrip()


def recorded(asked: argparse.Namespace) -> list[Result]:
    """The games of this tournament that earlier runs have written down."""
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
    """All games, or those that were over when somebody pressed Ctrl-C."""
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


def table(asked: argparse.Namespace, results: list[Result]) -> str:
    n = len(results)
    rate = fmean(result.share for result in results)
    low, high = interval(rate, n)
    thought = 1000 * sum(result.seconds for result in results) / sum(result.decisions for result in results)
    lines = [
        f"{asked.game} {json.dumps(asked.options)}, {asked.seats} seats: {asked.a} wins {100 * rate:.1f} % of {n} "
        f"games against {asked.b} (95 %: {100 * low:.1f} to {100 * high:.1f}), {thought:.0f} ms a decision",
        f"{'score':<16}{'mean':>8}{'least':>8}{'25 %':>8}{'50 %':>8}{'75 %':>8}{'most':>8}",
    ]
    for name, scores in columns(asked, results).items():
        parts = quantiles(scores, n=4, method="inclusive") if n > 1 else scores * 3
        figures = (fmean(scores), min(scores), *parts, max(scores))
        lines.append(f"{name:<16}" + "".join(f"{figure:8.1f}" for figure in figures))
    return "\n".join(lines)


def columns(asked: argparse.Namespace, results: list[Result]) -> dict[str, list[float]]:
    mine = [float(result.score) for result in results]
    return {asked.a: mine, f"{asked.b} (others)": [result.others for result in results]}


def plot(asked: argparse.Namespace, results: list[Result], path: Path) -> None:
    """The distributions of the scores as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    scores = columns(asked, results)
    axes.hist(list(scores.values()), bins=16, label=list(scores))
    axes.set(xlabel="score", ylabel="games", title=table(asked, results).splitlines()[0].replace(": ", ":\n"))
    axes.title.set_fontsize("small")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def player(game: Game[Any], name: str) -> str:
    """The level or automa of that name; raises ValueError."""
    level, counted, iterations = name.partition(":")
    level = "medium" if level == "search" else level
    if level not in (*game.info.bots, *game.info.automas):
        known = ", ".join((*game.info.bots, *game.info.automas))
        raise ValueError(f"there is no player {name!r}; {game.info.id} has {known}, and search, which means medium")
    if counted and not (level in BUDGETS and iterations.isdecimal()):
        raise ValueError(f"{name!r} is no player; after a level that thinks comes a number of iterations: medium:400")
    return level + counted + iterations


def check(asked: argparse.Namespace) -> None:
    """Names the players and tries a deal; raises what is wrong with them."""
    game = registry.load(asked.game)
    asked.a, asked.b = player(game, asked.a), player(game, asked.b)
    if min(asked.games, asked.workers) < 1:
        raise ValueError("a tournament has at least one game and one worker")
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
    parser.add_argument("--first", type=int, default=0, help="number of the first game: other numbers, other deals")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--weights", default="", help="what A finds in the game's evaluation.py instead, as JSON")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="games played at the same time")
    parser.add_argument(
        "--record",
        type=Path,
        help="a file for the result of every game; those in it are not played again (other bots: another file)",
    )
    parser.add_argument("--plot", type=Path, help="where the distributions go as a picture (needs matplotlib)")
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
