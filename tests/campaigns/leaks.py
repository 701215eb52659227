"""Games without end, tables that expire soon: memory stays as it is, and Redis holds nothing but the live tables.

`python -m tests.campaigns.leaks` (in `make soak`) plays for ten minutes. After the warm-up, the first two fifths, the
memory (RSS) of every process must stay flat within 5 %: the mean of the last fifth against the mean of the fifth after
the warm-up. In the end everybody leaves, and when their time is over nothing may be left of the tables. Else the exit
code is 1.
"""

import argparse
import asyncio
import contextlib
import sys
import time
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

import psutil
import redis
import uvloop

from deploy.stack import Stack
from tests.chaos.players import Crowd
from tests.support.processes import family, own_stack

# Seconds for which tables are kept: finished ones, and those that nothing happens at.
FINISHED, ABANDONED = 10.0, 30.0
EVERY = 5.0
GROWTH = 1.05
# Keys and bytes of Redis go up and down with the tables that are in play at the moment.
SWAY = 1.25
PATIENCE = 120.0
OF_TABLES = "{t:*}:t_*"


@dataclass
class Soak:
    stack: Stack
    tables: int
    seconds: float
    # Megabytes of each process, keys and megabytes of Redis: what was seen, in order.
    memory: dict[str, list[float]] = field(default_factory=dict)
    keys: list[int] = field(default_factory=list)
    # Whether keys of tables were found while tables were in play: else that none is left would say nothing.
    tables_seen: bool = False
    store: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.moves = self.games = 0
        self.worst = ("", 0.0)
        self.redis: Any = redis.Redis.from_url(self.stack.redis_url)
        self.began = time.monotonic()

    async def run(self) -> list[str]:
        """What is wrong."""
        crowd = Crowd(self.stack.urls, pause=0.1)
        playing = crowd.begin(self.tables)
        self.began = time.monotonic()
        minute = 0
        while time.monotonic() - self.began < self.seconds:
            await asyncio.sleep(EVERY)
            await asyncio.to_thread(self.look)
            if time.monotonic() - self.began >= 60 * (minute + 1):
                minute += 1
                self.say(minute, crowd)
        crowd.over.set()
        _, hanging = await asyncio.wait(playing, timeout=PATIENCE)
        problems = [f"{len(hanging)} players do not end"] if hanging else []
        self.moves, self.games = crowd.moves, len(crowd.tables)
        return problems + crowd.unexpected + self.judge()

    def look(self) -> None:
        for name in self.stack.processes:
            self.memory.setdefault(name, []).append(megabytes(self.stack.pid(name)))
        self.keys.append(self.redis.dbsize())
        self.tables_seen |= next(self.redis.scan_iter(OF_TABLES, count=1000), None) is not None
        self.store.append(self.redis.info("memory")["used_memory"] / 1e6)

    def say(self, minute: int, crowd: Crowd) -> None:
        sizes = " ".join(f"{name} {seen[-1]:.0f}" for name, seen in self.memory.items())
        print(
            f"{minute:3} min {crowd.moves:8,} moves, {len(crowd.tables):6,} games; MB: {sizes}; "
            f"Redis: {self.keys[-1]:,} keys, {self.store[-1]:.1f} MB",
            flush=True,
        )

    def judge(self) -> list[str]:
        grown = {name: growth(seen) for name, seen in self.memory.items() if name != "redis"}
        self.worst = max(grown.items(), key=lambda each: each[1])
        problems = [f"{name} grew to {ratio:.3f} of its size" for name, ratio in grown.items() if ratio > GROWTH]
        if not self.moves or len(self.keys) < 5 or not self.tables_seen:
            problems.append("too little was played or looked at to tell")
        for what, seen in (("keys", self.keys), ("memory", self.store)):
            if growth(seen) > SWAY:
                problems.append(f"the {what} of Redis grew to {growth(seen):.2f} of what they were")
        return problems

    def left_over(self) -> list[str]:
        """What there is of tables when all of them should be gone."""
        limit = time.monotonic() + PATIENCE
        while (left := list(self.redis.scan_iter(OF_TABLES, count=1000))) and time.monotonic() < limit:
            time.sleep(1)
        return [f"{len(left)} keys of tables are left, such as {left[0]!r}"] if left else []


def megabytes(pid: int) -> float:
    """Of a process and those that it started."""
    total = 0
    for each in family(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += each.memory_info().rss
    return total / 1e6


def growth(seen: list[Any]) -> float:
    """The last fifth against the one after the warm-up.

    >>> growth([1, 2, 5, 5, 5, 5, 5, 5, 6, 6])
    1.2
    """
    fifth = max(1, len(seen) // 5)
    return float(mean(seen[-fifth:]) / mean(seen[2 * fifth : 3 * fifth]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tables", type=int, default=30)
    asked = parser.parse_args()
    env = {"TEAHOUSE_KEEP_FINISHED": str(FINISHED), "TEAHOUSE_KEEP_ABANDONED": str(ABANDONED)}
    env |= {"TEAHOUSE_LIMIT_TABLES": "0"}
    with own_stack(quiet=True, sessions=2, gateways=2, env=env) as stack:
        soak = Soak(stack, asked.tables, asked.minutes * 60)
        problems = uvloop.run(soak.run()) + soak.left_over()
    for problem in problems:
        print(f"  {problem}")
    name, ratio = soak.worst
    print(
        f"leaks: {asked.minutes:g} min, {soak.games:,} games, {soak.moves:,} moves; the process that grew most is "
        f"{name}: {(ratio - 1) * 100:+.1f} % after the warm-up; Redis: keys {(growth(soak.keys) - 1) * 100:+.1f} %, "
        f"memory {(growth(soak.store) - 1) * 100:+.1f} %; {len(problems)} problems"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
