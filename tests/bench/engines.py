"""Random play, player actions per second on one core, beside catanatron where it is installed (`make peers`)."""

import json
import random
import subprocess
import time
from pathlib import Path

import msgspec

from services.engine import registry
from tests.campaigns.random_games import pieces

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / "build" / "peers" / "venv" / "bin" / "python"
SECONDS = 3.0
CATANATRON = """
import json, time
from catanatron import Color, Game, RandomPlayer
t = time.perf_counter(); actions = 0
while time.perf_counter() - t < 3:
    game = Game([RandomPlayer(c) for c in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)]); game.play()
    actions += len(getattr(game.state, "actions", None) or game.state.action_records)
print(json.dumps(actions / (time.perf_counter() - t)))
"""


def actions_per_second(name: str) -> float:
    game, codec = registry.load(name), registry.codec(name)
    cases = [(list(seats), codec.options(msgspec.json.encode(options))) for seats, options in pieces(name).CASES]
    rng, actions, games = random.Random(1), 0, 0
    began = time.perf_counter()
    while time.perf_counter() - began < SECONDS or games % len(cases):
        seats, options = cases[games % len(cases)]
        state = game.new(seats, options, rng.randbytes(32))
        while game.actor(state) is not None:
            game.apply(state, rng.choice(game.legal(state)), tell=False)
            actions += 1
        games += 1
    return actions / (time.perf_counter() - began)


def peer() -> float | None:
    if not PEER.exists():
        return None
    answer = subprocess.run([PEER, "-c", CATANATRON], capture_output=True, text=True, check=True)
    return float(json.loads(answer.stdout))


def main() -> None:
    print("engines: random play, actions per second, one core")
    theirs = peer()
    print(
        f"  catanatron        {theirs:>9,.0f}" if theirs else "  catanatron is not installed: `make peers` installs it"
    )
    for name in registry.names():
        ours = actions_per_second(name)
        ratio = f"   {ours / theirs:4.1f} times catanatron" if theirs else ""
        print(f"  {name:<17} {ours:>9,.0f}{ratio}", flush=True)
