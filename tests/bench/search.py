"""Bots that search: iterations per second of each game, and turns per second with one worker and with two."""

import time
from hashlib import sha256
from typing import Any

from deploy.stack import Stack
from services.bots.levels import Budget
from services.bots.players import choose
from services.bots.search import Search
from services.engine import registry
from services.engine.dice import Dice
from teahouse.v1 import sessions_pb2 as pb
from tests.integration.house import House, bot

POSITIONS, ITERATIONS = 8, 100
TABLES, SECONDS = 16, 15.0


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


def decisions_per_second(house: House, tables: list[str]) -> float:
    time.sleep(2)
    before, began = sum(house.look(table).version for table in tables), time.monotonic()
    time.sleep(SECONDS)
    return (sum(house.look(table).version for table in tables) - before) / (time.monotonic() - began)


def engines() -> None:
    print("search: time of the processor for an iteration, and how many that gives `medium` for a decision")
    for name in registry.names():
        seconds = iteration(name)
        print(f"  {name:<17} {1e6 * seconds:>7,.0f} µs {0.5 / seconds:>7,.0f}", flush=True)


def main(stack: Stack) -> None:
    """`stack` has two workers for search. The tables last longer than this takes."""
    print("search: decisions per second of `easy` (0.1 s each) at tables of bots")
    stack.kill("search-2")
    house = House(stack)
    host = house.player("bench")
    tables = [house.open(host, bot("easy"), bot("easy")).id for _ in range(TABLES)]
    for table in tables:
        house.call("StartTable", pb.TableRequest(caller=host, table=table))
    one = decisions_per_second(house, tables)
    stack.restart("search-2")
    two = decisions_per_second(house, tables)
    print(f"  one worker {one:.1f}, two workers {two:.1f}: {two / one:.2f} times as many")
