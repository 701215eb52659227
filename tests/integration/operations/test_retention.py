"""Expired tables leave nothing behind in Redis, and a living table has few keys."""

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from deploy.stack import Stack
from services.platform.errors import Refusal
from services.sessions.store.committer import MOST_ONCE
from services.sessions.store.keys import TABLE_KEYS, shard
from services.sessions.store.keys import expiry as expiry_key
from teahouse.v1 import sessions_pb2 as pb
from tests.support.admin import operate
from tests.support.processes import idle_workers, restarted
from tests.support.session_client import ME, OPEN, PATIENCE, SessionClient, bot
from tests.support.table_counts import counted, there
from tests.support.waiting import until

COPIES = ("sessions", "sessions-2")


@pytest.fixture(scope="module")
def house(stack: Stack) -> Iterator[SessionClient]:
    """Finished tables are kept for 1 s, abandoned ones for 4 s."""
    with restarted(stack, *COPIES, keep_finished="1", keep_abandoned="4"):
        yield SessionClient(stack)


@pytest.fixture
def store(stack: Stack) -> Iterator[Any]:
    with redis.Redis.from_url(stack.redis_url) as client:
        yield client


def traces(store: Any, table: str) -> list[str]:
    """Every place in Redis where the table's id stands, but for lists, which are the bots' queue."""
    keys = list(store.scan_iter(count=1000))
    readers = {b"zset": ("ZRANGE", 0, -1), b"hash": ("HGETALL",), b"set": ("SMEMBERS",), b"string": ("GET",)}
    readers |= {b"stream": ("XRANGE", "-", "+")}
    with store.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.type(key)
        kinds = pipe.execute()
        read = [(key, *readers[kind]) for key, kind in zip(keys, kinds, strict=True) if kind in readers]
        for key, command, *arguments in read:
            pipe.execute_command(command, key, *arguments)
        members = pipe.execute(raise_on_error=False)
    holding = [key for (key, *_), inside in zip(read, members, strict=True) if table in str(inside)]
    return [key.decode() for key in {*holding, *(key for key in keys if table.encode() in key)}]


def expect_nothing(house: SessionClient, store: Any, table: str) -> None:
    limit = time.monotonic() + PATIENCE
    while found := traces(store, table):
        assert time.monotonic() < limit, found
        time.sleep(0.1)
    assert house.refused("GetTable", pb.TableRequest(table=table)).reason == "UNKNOWN_TABLE"


def exists(house: SessionClient, table: str) -> bool:
    try:
        return bool(house.table(table).id)
    except Refusal as refusal:
        assert refusal.reason == "UNKNOWN_TABLE"
        return False


def test_a_finished_table_expires(house: SessionClient, store: Any) -> None:
    table, players = house.duel()
    position = house.look(table, players[house.look(table).actor])
    actor = players[position.actor]
    house.act(table, actor, position.version, json.loads(position.legal)[0], key="once")
    found = traces(store, table)
    assert len(found) > 5, "record, log, answers, lists of players and tables"
    house.call("Resign", pb.TableRequest(caller=players[0], table=table))
    expect_nothing(house, store, table)
    mine = house.call("ListTables", pb.ListTablesRequest(caller=players[0], mine=True))
    assert table not in [one.id for one in mine.tables]


def test_an_open_table_where_nothing_happens_expires(stack: Stack, house: SessionClient, store: Any) -> None:
    ada, bo = house.player("Ada"), house.player("Bo")
    table = house.open(ada, ME, OPEN, visibility="private")
    house.call("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table.id, join_code=table.join_code))
    house.call("LeaveSeat", pb.LeaveSeatRequest(caller=bo, table=table.id, seat=1))
    assert traces(store, table.id)
    expect_nothing(house, store, table.id)
    for copy in COPIES:
        until(lambda copy=copy: counted(stack, copy) == there(store))  # type: ignore[misc]


def test_a_table_in_play_lives_while_it_is_used(house: SessionClient) -> None:
    """Also with a clock: its deadline, however far away, is not abandoned."""
    used, players = house.duel()
    left, _ = house.duel()
    clocked, _ = house.duel(clock=pb.Clock(kind="move", seconds=86400))
    rng = random.Random(2)
    while exists(house, left):
        if house.step(used, players, rng).position.status != "playing":
            used, players = house.duel()
    assert house.table(used).status == "playing"
    assert house.table(clocked).status == "playing"


def test_a_table_that_waits_for_a_bot_expires(stack: Stack, house: SessionClient, store: Any) -> None:
    """Nobody plays the bot's turn, so the outbox holds it until the table goes."""
    with idle_workers(stack):
        ada = house.player()
        table = house.open(ada, ME, bot("random"), options={"starting_seat": 1}).id
        house.call("StartTable", pb.TableRequest(caller=ada, table=table))
        assert any("outbox" in key for key in traces(store, table))
        expect_nothing(house, store, table)


def test_a_shorter_retention_can_be_applied_to_all_tables(stack: Stack, house: SessionClient, store: Any) -> None:
    """Also to one whose time was set when tables were kept for longer."""
    table, players = house.duel()
    # While it is in play nobody removes it: it is kept for 4 s. Later than this nobody would look at it by himself.
    assert store.zadd(expiry_key(shard(table)), {table: 2 * time.time() * 1000}, xx=True, ch=True) == 1
    house.call("LeaveSeat", pb.LeaveSeatRequest(caller=players[0], table=table, seat=0))
    assert store.zscore(expiry_key(shard(table)), table) > 1.5 * time.time() * 1000
    until(lambda: operate(stack, "retention", "run")[1] == "" and not exists(house, table))
    expect_nothing(house, store, table)


def test_a_table_has_few_keys_however_long_it_is_played(stack: Stack, store: Any) -> None:
    """Also if every request has its own idempotency key."""
    house = SessionClient(stack)
    table, players = house.duel({"mode": "advanced"})
    rng = random.Random(3)
    moves = 0
    position = house.look(table)
    while position.status == "playing" and moves < MOST_ONCE + 10:
        position = house.look(table, players[position.actor])
        action = rng.choice(json.loads(position.legal))
        position = house.act(table, players[position.actor], position.version, action, key=f"k{moves}").position
        moves += 1
    assert moves > 20
    own = [key for key in traces(store, table) if f":{table}" in key]
    assert len(own) <= len(TABLE_KEYS)
    once = next(key for key in own if key.endswith(":once"))
    assert store.hlen(once) == min(moves, MOST_ONCE)
