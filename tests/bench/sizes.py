"""How big: what a table takes in Redis, and what 100 and 1,000 tables in play cost each process.

Two people sit at every table, each with a socket open, and every table has a move in ten seconds; the tables are spread
over all games. Costs are time of the processor, so that other work on the machine does not spoil them.
"""

import asyncio
import random
import time
from collections import defaultdict
from typing import Any

import grpc
import psutil
import redis
import uvloop

from deploy.stack import Stack
from services.engine import registry
from services.sessions.store.keys import TABLE_KEYS, shard
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc
from tests.bench.path import Client, ended
from tests.bench.socket import connect
from tests.support.processes import family

COUNTS = (100, 1000)
GAMES_EACH = 3
# Seconds between two moves at a table; for how long they are counted.
PAUSE, SECONDS = 10.0, 30.0
# Tables that get their sockets at the same moment.
AT_ONCE = 20


class Tables:
    """Opens and plays tables over the contract of the session service."""

    def __init__(self, stack: Stack) -> None:
        self.stub: Any = sessions_pb2_grpc.SessionsStub(grpc.insecure_channel(stack.address("sessions")))
        self.redis: Any = redis.Redis.from_url(stack.redis_url)

    def begin(self, game: str) -> tuple[str, list[str], list[str]]:
        """A table of two people: its id, theirs, and their tokens."""
        made = [self.stub.CreatePlayer(pb.CreatePlayerRequest(name="bench")) for _ in range(2)]
        people = [each.player.id for each in made]
        seats = [pb.Seat(kind="me"), pb.Seat(kind="open")]
        table = self.stub.OpenTable(pb.OpenTableRequest(caller=people[0], game=game, seats=seats)).id
        self.stub.TakeSeat(pb.TakeSeatRequest(caller=people[1], table=table))
        self.stub.StartTable(pb.TableRequest(caller=people[0], table=table))
        return table, people, [each.token for each in made]

    def among_bots(self, game: str) -> str:
        host = self.stub.CreatePlayer(pb.CreatePlayerRequest(name="bench")).player.id
        seats = [pb.Seat(kind="bot", bot="greedy")] * 2
        table: str = self.stub.OpenTable(pb.OpenTableRequest(caller=host, game=game, seats=seats)).id
        self.stub.StartTable(pb.TableRequest(caller=host, table=table))
        return table

    def look(self, table: str) -> pb.Table:
        found: pb.Table = self.stub.GetTable(pb.TableRequest(table=table))
        return found

    def bytes_of(self, table: str) -> int:
        keys = [f"{{t:{shard(table)}}}:{table}{suffix}" for suffix in TABLE_KEYS]
        return sum(self.redis.memory_usage(key, samples=0) or 0 for key in keys)


def life(tables: Tables, game: str) -> tuple[int, list[int]]:
    """A game of two bots: how many moves it has, and the table's bytes at its start, half way and at its end."""
    table = tables.among_bots(game)
    sizes = {}
    while (now := tables.look(table)).status == "playing":
        sizes[now.version] = tables.bytes_of(table)
        time.sleep(0.02)
    half = min(sizes, key=lambda version: abs(2 * version - now.version))
    return now.version, [sizes[min(sizes)], sizes[half], tables.bytes_of(table)]


def in_redis(tables: Tables) -> None:
    print(f"sizes: bytes of a table in Redis, with its log; mean of {GAMES_EACH} games of two greedy bots")
    for game in registry.names():
        lives = [life(tables, game) for _ in range(GAMES_EACH)]
        moves = sum(moves for moves, _ in lives) / GAMES_EACH
        start, half, end = (sum(sizes[place] for _, sizes in lives) / GAMES_EACH for place in range(3))
        print(
            f"  {game:<16} {moves:4.0f} moves   start {start:7,.0f}   half way {half:7,.0f}   end {end:7,.0f}"
            f"   {(end - start) / moves:5,.0f} a move",
            flush=True,
        )


class Running:
    """So many tables in play, each with two sockets; `moves` counts."""

    def __init__(self, stack: Stack, tables: Tables) -> None:
        self.stack, self.tables, self.moves = stack, tables, 0
        self.clients: list[Client] = []

    async def open(self, game: str) -> list[Client]:
        table, _, tokens = await asyncio.to_thread(self.tables.begin, game)
        clients = [Client(), Client()]
        for client, token in zip(clients, tokens, strict=True):
            address = f"{self.stack.url.replace('http', 'ws')}/v1/tables/{table}/socket?token={token}"
            client.socket = await connect(address, client.heard)
            await client.seen(1)
        self.clients += clients
        return clients

    async def play(self, clients: list[Client]) -> None:
        await asyncio.sleep(random.uniform(0, PAUSE))
        while clients[0].position.status == "playing":
            position = clients[0].position
            assert position.actor is not None
            clients[position.actor].act()
            for client in clients:
                await client.seen(position.version + 1)
            self.moves += 1
            await asyncio.sleep(PAUSE)

    async def measure(self, count: int) -> tuple[dict[str, float], dict[str, float], float]:
        """Seconds of the processor and megabytes of each kind of process, and moves a second."""
        games, everyone = registry.names(), []
        for first in range(0, count, AT_ONCE):
            some = range(first, min(first + AT_ONCE, count))
            everyone += await asyncio.gather(*(self.open(games[number % len(games)]) for number in some))
        plays = [asyncio.create_task(self.play(clients)) for clients in everyone]
        await asyncio.sleep(PAUSE)
        before, moves, began = cpu(self.stack), self.moves, time.monotonic()
        await asyncio.sleep(SECONDS)
        after, moves, took = cpu(self.stack), self.moves - moves, time.monotonic() - began
        memory = megabytes(self.stack)
        await ended(plays)
        for client in self.clients:
            client.socket.transport.close()
        return {name: (after[name] - before[name]) / took for name in after}, memory, moves / took


def kind(stack: Stack, name: str) -> str:
    """Rules services together; copies together."""
    return "rules" if name in registry.names() else name.rstrip("-0123456789")


def processes(stack: Stack) -> list[tuple[str, psutil.Process]]:
    return [(kind(stack, name), one) for name in stack.processes for one in family(stack.pid(name))]


def cpu(stack: Stack) -> dict[str, float]:
    used: dict[str, float] = defaultdict(float)
    for name, one in processes(stack):
        times = one.cpu_times()
        used[name] += times.user + times.system
    return dict(used)


def megabytes(stack: Stack) -> dict[str, float]:
    """A page that several processes share counts once."""
    used: dict[str, float] = defaultdict(float)
    for name, one in processes(stack):
        used[name] += one.memory_full_info().pss / 1e6
    return dict(used)


def report(stack: Stack, tables: Tables, count: int) -> None:
    before = tables.redis.info("memory")["used_memory"]
    used, memory, rate = uvloop.run(Running(stack, tables).measure(count))
    grown = tables.redis.info("memory")["used_memory"] - before
    print(
        f"sizes: {count} tables, {2 * count} sockets, {rate:.1f} moves a second; Redis grew by {grown / 1e6:.1f} MB, "
        f"all processes together use {100 * sum(used.values()):.0f} % of a core and {sum(memory.values()):.0f} MB"
    )
    for name, share in used.items():
        each = 1e6 * share / rate
        print(
            f"  {name:<9} {100 * share:5.1f} % of a core   {each:6,.0f} µs a move   {memory[name]:5.0f} MB", flush=True
        )


def main(stack: Stack) -> None:
    tables = Tables(stack)
    in_redis(tables)
    for count in COUNTS:
        report(stack, tables, count)
