"""Readable transcripts of whole games, kept in the repository: any change of behaviour shows up in the diff.

`python -m tests.playthroughs --write` writes them anew; test_playthroughs.py compares. A game lists its
own in `tests/unit/<game>/pieces.py`: `PLAYTHROUGHS = {"name": (seats, options, number)}`.
"""

import json
import random
from pathlib import Path
from typing import Any

import msgspec

from services.engine import registry
from services.engine.dice import seed_hash
from tests.campaigns.random_games import pieces

FOLDER = Path(__file__).parent


def transcript(name: str, seats: list[str], options: dict[str, Any], number: int) -> str:
    game, codec = registry.load(name), registry.codec(name)
    rng = random.Random(f"playthrough {name} {number}")
    seed = rng.randbytes(32)
    chosen = codec.options(msgspec.json.encode(options))
    state = game.new(seats, chosen, seed)
    lines = [
        f"game: {name}, rules {codec.rules_version}",
        f"seats: {', '.join(seats)}",
        f"options: {msgspec.json.encode(chosen).decode()}",
        f"seed: {seed.hex()}, hash {seed_hash(seed)}",
        "",
    ]
    step = 0
    while (actor := game.actor(state)) is not None:
        legal = game.legal(state)
        action = rng.choice(legal)
        step += 1
        lines.append(f"{step}. seat {actor}, {len(legal)} legal: {codec.encode_action(action).decode()}")
        for event in game.apply(state, action):
            lines.append(f"   {codec.tagged(event.public).decode()}")
            lines += [f"     seat {seat}: {codec.tagged(own).decode()}" for seat, own in sorted(event.private.items())]
    outcome = game.outcome(state)
    assert outcome is not None
    lines += ["", "outcome", *outcome_lines(outcome), "", "final view of a spectator"]
    lines.append(json.dumps(json.loads(codec.view(state, None)), indent=1, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def outcome_lines(outcome: Any) -> list[str]:
    lines = [f"  reason: {outcome.reason}"]
    for seat, (place, score, parts) in enumerate(zip(outcome.places, outcome.scores, outcome.breakdown, strict=True)):
        lines.append(f"  seat {seat}: place {place}, {score} points")
        lines += [f"    {line.label}: {line.points}" for line in parts]
    return lines


def played(name: str, title: str) -> str:
    """The transcript as the code of today plays it."""
    seats, options, number = pieces(name).PLAYTHROUGHS[title]
    return transcript(name, list(seats), dict(options), number)


def all_playthroughs() -> list[tuple[str, str]]:
    return [(name, title) for name in registry.names() for title in pieces(name).PLAYTHROUGHS]


def path(name: str, title: str) -> Path:
    return FOLDER / name / f"{title}.txt"
