"""A thousand pairs of simultaneous actions, each pair on one version and against two session services (`make soak`)."""

import sys
import tempfile
from pathlib import Path

from deploy.stack import Stack
from tests.integration.play.test_moves import race

PAIRS, AT_A_TIME = 1000, 100


def main() -> None:
    wins = losses = 0
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder), sessions=2, output=sys.stderr) as stack:
        for done in range(AT_A_TIME, PAIRS + 1, AT_A_TIME):
            won, lost = race(stack, AT_A_TIME)
            wins, losses = wins + won, losses + lost
            sys.stderr.write(f"{done}/{PAIRS} pairs\n")
    print(f"races: of {PAIRS} pairs, {wins} times exactly one won, {losses} times the other got STALE_VERSION")
    sys.exit(0 if wins == losses == PAIRS else 1)


if __name__ == "__main__":
    main()
