"""Bot turns under load while workers are killed with -9: all played, none twice, none late.

`make test` plays a few games like this; `python -m tests.campaigns.bot_pool` (in `make soak`) plays 10,000 turns and
kills a worker every 5 s.
"""

import argparse
import itertools
import json
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from deploy.stack import Stack
from services.engine import registry
from services.engine.verify import verify
from services.platform.pool.levels import thinking
from teahouse.v1 import sessions_pb2 as pb
from tests.support.processes import own_stack
from tests.support.session_client import SessionClient, bot

KILL_EVERY = 5.0
LATE = 15.0
PATIENCE = 120.0
# Decisions by the worker's own clock, and those that took no longer than the budget of their level and 250 ms.
DECISIONS = re.compile(r'^teahouse_bot_seconds_count{game="\w+",level="(\w+)"} (\S+)$', re.MULTILINE)
IN_TIME = re.compile(r'^teahouse_bot_seconds_bucket{game="\w+",le="([\d.]+)",level="(\w+)"} (\S+)$', re.MULTILINE)
GRACE = 0.25
# Game and levels of most tables, whose turns are cheap, so that there are many; and of those where one bot thinks.
CHEAP = ("geishas_road", "random", "greedy")
SHORT = (("geishas_road", "easy", "greedy"),)
LONG = tuple((game, level, "greedy") for level in ("easy", "medium", "hard") for game in registry.names())


@dataclass
class Campaign:
    """Tables where only bots play, until they have played enough turns."""

    stack: Stack
    turns: int
    # The tables where a bot thinks, one after the other.
    thinkers: Iterable[tuple[str, ...]] = SHORT
    # Tables in play.
    at_a_time: int = 24
    # So many of them where a bot thinks, so that they are not all there is after a while.
    thinking: int = 4
    # Workers that have been killed before it ends, at the least.
    kills: int = 1
    played: int = 0
    games: int = 0
    killed: int = 0
    latest: float = 0.0
    # Of levels that think: decisions, and those that took too long.
    thought: Counter[str] = field(default_factory=Counter)
    too_long: Counter[str] = field(default_factory=Counter)
    # When each table last changed, and at which version.
    tables: dict[str, tuple[float, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.house = SessionClient(self.stack)
        self.host = self.house.player("host")
        self.next_thinkers = itertools.cycle(self.thinkers)
        self.thoughtful: set[str] = set()
        self.over = threading.Event()

    def run(self) -> None:
        killer = threading.Thread(target=self.kill_workers, daemon=True)
        killer.start()
        while self.goes_on() or self.tables:
            assert killer.is_alive(), "a worker could not be started again"
            while len(self.tables) < self.at_a_time and self.goes_on():
                self.begin()
            for table in list(self.tables):
                self.follow(table)
            time.sleep(0.2)
        self.over.set()
        killer.join()
        for worker in self.workers():
            self.measure(worker)

    def goes_on(self) -> bool:
        return self.played < self.turns or self.killed < self.kills

    def kill_workers(self) -> None:
        rng = random.Random(1)
        while not self.over.wait(KILL_EVERY):
            victim = rng.choice(self.workers())
            self.measure(victim)
            self.stack.kill(victim)
            self.stack.restart(victim)
            self.killed += 1

    def workers(self) -> list[str]:
        return [name for name in self.stack.processes if name.startswith(("bots-", "search-"))]

    def measure(self, worker: str) -> None:
        """Adds up what a worker measured since it was started; one that is starting has measured nothing."""
        with suppress(httpx.TransportError):
            told = httpx.get(self.stack.metrics(worker), trust_env=False, timeout=20).text
            for level, decisions in DECISIONS.findall(told):
                if thinking(level):
                    self.thought[level] += int(float(decisions))
                    self.too_long[level] += int(float(decisions))
            for seconds, level, decisions in IN_TIME.findall(told):
                if thinking(level) and float(seconds) == thinking(level) + GRACE:
                    self.too_long[level] -= int(float(decisions))

    def begin(self) -> None:
        thinks = len(self.thoughtful) < self.thinking
        game, *levels = next(self.next_thinkers) if thinks else CHEAP
        table = self.house.open(self.host, *map(bot, levels), game=game).id
        self.house.call("StartTable", pb.TableRequest(caller=self.host, table=table))
        self.tables[table] = (time.monotonic(), 0)
        if thinks:
            self.thoughtful.add(table)

    def follow(self, table: str) -> None:
        position = self.house.look(table)
        since, version = self.tables[table]
        if position.status == "finished":
            del self.tables[table]
            self.thoughtful.discard(table)
            self.check(table)
        elif position.version != version:
            self.tables[table] = (time.monotonic(), position.version)
        else:
            assert time.monotonic() - since < PATIENCE, f"table {table} stands still at version {version}"

    def check(self, table: str) -> None:
        """Every move is in the log once, the rules allow all of them in this order, and none was late."""
        lines = list(self.lines(table))
        assert [line.version for line in lines] == list(range(1, len(lines) + 1)), f"table {table}: a gap in the log"
        replay = self.house.call("GetReplay", pb.TableRequest(table=table))
        moves = [{"seat": each.seat, "action": json.loads(each.action)} for each in replay.actions]
        assert len(moves) == sum(line.HasField("seat") for line in lines)
        told = {name: getattr(replay, name) for name in ("game", "rules_version", "seed", "seed_hash")}
        verify({**told, "seats": list(replay.seats), "options": json.loads(replay.options), "actions": moves,
                "outcome": json.loads(replay.outcome)})  # fmt: skip
        waits = [(after.at - before.at) / 1000 for before, after in itertools.pairwise(lines) if after.HasField("seat")]
        self.latest = max(self.latest, *waits)
        self.played += sum(1 for _ in itertools.groupby(move["seat"] for move in moves))
        self.games += 1

    def lines(self, table: str) -> Iterator[pb.LogLine]:
        after = 0
        while page := self.house.call("GetLog", pb.LogRequest(table=table, after_version=after, limit=500)).lines:
            yield from page
            after = page[-1].version


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    asked = parser.parse_args()
    began = time.monotonic()
    with own_stack(bots=2, search=2) as stack:
        campaign = Campaign(stack, asked.turns, LONG)
        campaign.run()
    print(
        f"pool: {campaign.played} bot turns of {campaign.games} games in {time.monotonic() - began:.0f} s, "
        f"{campaign.killed} workers killed, the latest decision after {campaign.latest:.1f} s"
    )
    for level, decisions in campaign.thought.items():
        most = thinking(level) + GRACE
        print(f"pool: {campaign.too_long[level]} of {decisions} decisions of `{level}` took longer than {most:g} s")
    if campaign.latest >= LATE:
        sys.exit(f"pool: a decision came later than {LATE:g} s")
    if not campaign.thought or campaign.too_long.total():
        sys.exit("pool: a bot took longer than its budget, or none has thought")


if __name__ == "__main__":
    main()
