"""The result of a match as a table and as a picture."""

import argparse
import json
from math import sqrt
from pathlib import Path
from statistics import fmean, quantiles

from services.bots.arena.matches import Result

# 95 % of a normal distribution lie within this many standard deviations.
Z = 1.96


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


def interval(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a rate seen in n games."""
    middle = (rate + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return middle - half, middle + half


def plot(asked: argparse.Namespace, results: list[Result], path: Path) -> None:
    """Draws the distributions of the scores."""
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
