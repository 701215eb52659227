"""Bots that search: iterations per second of each game, and turns per second with one worker and with two."""

import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from deploy.stack import Stack
from services.bots.search.search import Search
from services.bots.strategies import choose
from services.engine import registry
from services.engine.dice import Dice
from services.platform.pool.levels import Budget
from teahouse.v1 import sessions_pb2 as pb
from tests.support.session_client import SessionClient, bot

POSITIONS, ITERATIONS = 8, 100
TABLES, SECONDS = 16, 30.0
LEVELS = ("easy", "medium")


def middle(name: str, number: int) -> tuple[Any, Any, int]:
    """A position with a choice in a game that `greedy` plays against itself."""
    game, codec = registry.load(name), registry.codec(name)
    dice = Dice(sha256(b"bench %d" % number).digest())
    state = game.new(["player", "player"], codec.options(b"{}"), dice.seed)
    left = 15 + 5 * number
    while (seat := game.actor(state)) is not None:
        if left <= 0 and len(game.legal(state)) > 2:
            return game, state, seat
        game.apply(state, choose("greedy", game, state, seat, dice), tell=False)
        left -= 1
    return middle(name, number // 2)


def iteration(name: str) -> float:
    """Seconds of the processor for one iteration, the planning of the turn shared out."""
    spent, made = 0.0, 0
    for number in range(POSITIONS):
        game, state, seat = middle(name, number)
        search, began = Search(game, seat, number), time.process_time()
        search.think(state, Budget(iterations=ITERATIONS), time.process_time)
        spent += time.process_time() - began
        made += ITERATIONS if game.sequel else search.iterations
    return spent / made


class Tables:
    """Tables where only bots of that level play: as many all the time, for one that is over another begins."""

    def __init__(self, house: SessionClient, level: str) -> None:
        self.house, self.host, self.level = house, house.player("bench"), level
        self.versions: dict[str, int] = {}

    def decisions_per_second(self) -> float:
        self._decisions()
        time.sleep(2)
        self._decisions()
        began, made = time.monotonic(), 0
        while time.monotonic() < began + SECONDS:
            time.sleep(1)
            made += self._decisions()
        return made / (time.monotonic() - began)

    def _decisions(self) -> int:
        """How many were made since it was last asked."""
        made = 0
        for table, before in list(self.versions.items()):
            position = self.house.look(table)
            made += position.version - before
            self.versions[table] = position.version
            if position.status == "finished":
                del self.versions[table]
        while len(self.versions) < TABLES:
            self._begin()
        return made

    def _begin(self) -> None:
        table = self.house.open(self.host, bot(self.level), bot(self.level)).id
        self.versions[table] = self.house.call("StartTable", pb.TableRequest(caller=self.host, table=table)).version


def engines() -> None:
    print("search: time of the processor for an iteration, and how many that gives `medium` for a decision")
    for name in registry.names():
        seconds = iteration(name)
        print(f"  {name:<17} {1e6 * seconds:>7,.0f} µs {0.5 / seconds:>7,.0f}", flush=True)


def main(output: TextIO) -> None:
    """Each level on a stack of its own, with nothing left to do from the one before."""
    print("search: decisions per second at tables of bots")
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as folder, Stack(Path(folder), search=2, output=output) as stack:
            tables = Tables(SessionClient(stack), level)
            stack.kill("search-2")
            one = tables.decisions_per_second()
            stack.restart("search-2")
            two = tables.decisions_per_second()
        print(f"  {level:<17} one worker {one:.1f}, two workers {two:.1f}: {two / one:.2f} times as many", flush=True)
