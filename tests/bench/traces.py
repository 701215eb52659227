"""What traces cost: `python -m tests.bench.traces` prints the CPU time of a move without them, with all and with few.

CPU time of all processes of the stack while the sockets of tests.bench.path play; one after another, twice.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

import uvloop

from deploy.stack import Stack
from tests.bench.path import SECONDS, WARM_UP, Load, ended
from tests.bench.sizes import cpu
from tests.support.trace_collector import collector

TABLES = 20


async def measure(stack: Stack) -> tuple[float, float]:
    """Moves a second, and microseconds of CPU a move."""
    load = Load(stack.url, TABLES)
    matches = [asyncio.create_task(load.match()) for _ in range(TABLES)]
    await load.everyone.wait()
    await asyncio.sleep(WARM_UP)
    load.measuring, load.until, before = True, time.perf_counter() + SECONDS, sum(cpu(stack).values())
    await asyncio.sleep(SECONDS)
    load.measuring, used, moves = False, sum(cpu(stack).values()) - before, len(load.latencies)
    await ended(matches)
    return moves / SECONDS, used / moves * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    print("traces   moves/s   µs of CPU a move   spans")
    for _ in range(rounds):
        for share in ("0", "1", "0.01"):
            with tempfile.TemporaryDirectory() as folder, collector() as collecting:
                env = {"TEAHOUSE_TRACES": collecting.url if share != "0" else "", "TEAHOUSE_TRACES_SHARE": share}
                with Stack(Path(folder), search=0, env=env) as stack:
                    rate, cost = uvloop.run(measure(stack))
                print(f"{share if share != '0' else 'off':<6} {rate:>9,.0f} {cost:>18,.0f} {len(collecting.heard):>7,}")


if __name__ == "__main__":
    main()
