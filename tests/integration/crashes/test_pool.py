"""The worker pool: killed, told to stop, and in a hurry."""

import os
import re
import secrets
import signal
from pathlib import Path
from typing import Any

import httpx
import psutil
import redis

from deploy.stack import Stack
from services.engine import registry
from services.platform.pool.celery_app import INSTANT, waiting_lists
from services.platform.pool.depth import redis_depth
from services.platform.pool.levels import thinking
from services.sessions.store import script
from services.sessions.store.keys import late as late_key
from services.sessions.store.keys import outbox as outbox_key
from services.sessions.store.keys import shard
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.bot_pool import Campaign
from tests.support.admin import operate
from tests.support.session_client import ME, SessionClient, bot
from tests.support.waiting import until

PATIENCE = 60.0


def start(house: SessionClient, *seats: pb.Seat, host: str = "") -> str:
    """A table of Geisha's Road where seat 1 begins."""
    host = host or house.player()
    table: str = house.open(host, *seats, options={"starting_seat": 1}).id
    house.call("StartTable", pb.TableRequest(caller=host, table=table))
    return table


def played_at(house: SessionClient, table: str) -> int:
    """When the first move was made; 0 before."""
    lines = house.call("GetLog", pb.LogRequest(table=table, limit=10)).lines
    return next((line.at for line in lines if line.HasField("seat")), 0)


def test_every_turn_is_played_once_while_workers_are_killed(stack: Stack) -> None:
    campaign = Campaign(stack, turns=60, at_a_time=8)
    campaign.run()
    stack.wait()
    assert campaign.played >= 60
    assert campaign.killed >= campaign.kills
    assert campaign.too_long["easy"] < campaign.thought["easy"], "a busy machine may hold up some; all would be a fault"


def test_the_opponents_of_people_come_first(stack: Stack) -> None:
    house, workers = SessionClient(stack), ("bots-1", "bots-2")
    for worker in workers:
        stack.kill(worker)
    outside = pb.CreatePlayerRequest(name=f"Marvin {secrets.token_hex(4)}", bot=True)
    among_bots = [start(house, bot("random"), bot("random")) for _ in range(4)]
    among_bots.append(start(house, ME, bot("random"), host=house.call("CreatePlayer", outside).player.id))
    against_a_person = start(house, ME, bot("random"))
    with redis.Redis.from_url(stack.redis_url) as broker:
        urgent, others = waiting_lists(INSTANT).values()
        until(lambda: broker.llen(urgent) == 1 and broker.llen(others) == 5)
        assert redis_depth(broker, INSTANT).waiting == 6
        assert 0 < (redis_depth(broker, INSTANT).oldest or 0) < PATIENCE
    for worker in workers:
        stack.restart(worker)
    first = until(lambda: played_at(house, against_a_person))
    assert all(first <= until(lambda table=table: played_at(house, table)) for table in among_bots)  # type: ignore[misc]


def test_work_that_nobody_takes_is_handed_out_ever_more_seldom(stack: Stack) -> None:
    """Else the broker's lists would grow and grow while there is no worker."""
    with redis.Redis.from_url(stack.redis_url) as store:
        claim, keys = (
            store.register_script(
                Path(script.__file__).with_name("lua").joinpath("claim_with_backoff.lua").read_text()
            ),
            ["{x}:outbox", "{x}:tries", "{x}:late"],
        )
        store.zadd(keys[0], {"t_x": 0})
        pauses, now = [], 0
        for _ in range(9):
            [(_, pause)] = claim(keys, [now, 100, 10, 32])
            assert claim(keys, [now, 100, 10, 32]) == []
            pauses.append(pause)
            now += pause
        assert store.zscore("{x}:late", "t_x") == 0, "since when it is late does not change with that"
        store.delete(*keys)
    assert pauses == [100, 200, 200, 200, 400, 800, 1600, 3200, 3200]


def test_how_late_the_bots_are_is_known_without_them(stack: Stack) -> None:
    house = SessionClient(stack)
    stack.kill("search-1")
    table = start(house, ME, bot("easy"))
    until(lambda: overdue(stack) > 2)
    stack.restart("search-1")
    until(lambda: house.look(table).actor == 0)
    until(lambda: overdue(stack) == 0)


def test_a_turn_that_is_thought_about_is_not_handed_out_again_meanwhile(stack: Stack) -> None:
    house = SessionClient(stack)
    stack.kill("search-1")
    table = start(house, ME, bot("hard"))
    with redis.Redis.from_url(stack.redis_url) as store:
        number, version = shard(table), house.look(table).version
        until(lambda: store.zscore(late_key(number), table))
        turn = house.call("GetBotTurn", pb.BotTurnRequest(table=table, version=version))
        assert turn.due
        again: Any = store.zscore(outbox_key(number), table)
        assert again >= turn.at + 1000 * thinking("hard")
        done = acting(turn)
        assert house.call("ActAsBot", done).played
        assert store.zscore(late_key(number), table) is None
        assert not house.call("ActAsBot", done).played, "somebody was faster"
    stack.restart("search-1")
    until(lambda: house.look(table).actor == 0)


def acting(turn: pb.BotTurn) -> pb.ActAsBotRequest:
    """A legal action in that position."""
    codec = registry.codec(turn.game)
    action = codec.encode_action(codec.game.legal(codec.decode(turn.state))[0])
    return pb.ActAsBotRequest(table=turn.table, version=turn.version, seat=turn.seat, action=action)


def test_a_turn_that_takes_too_long_is_counted_and_goes_on(tmp_path: Path) -> None:
    with Stack(tmp_path, env={"TEAHOUSE_TURN_LIMIT": "1", "TEAHOUSE_REDELIVER": "1"}) as alone:
        house = SessionClient(alone)
        host = house.player()
        table = house.open(host, bot("medium"), bot("medium"), game="tea_garden").id
        house.call("StartTable", pb.TableRequest(caller=host, table=table))
        until(lambda: 'teahouse_bot_failures_total{why="limit"}' in metrics(alone))
        stopped = house.look(table).version
        until(lambda: house.look(table).version > stopped + 3)


def test_a_worker_that_is_told_to_stop_ends_by_itself_and_its_turn_goes_on_elsewhere(stack: Stack) -> None:
    house = SessionClient(stack)
    table = start(house, bot("medium"), bot("medium"))
    worker = psutil.Process(stack.pid("search-1"))
    until(lambda: played_at(house, table))
    os.kill(worker.pid, signal.SIGTERM)
    until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)
    stopped = house.look(table)
    assert stopped.status == "playing", "the game was over before it was told to stop"
    until(lambda: house.look(table).version > stopped.version + 3)
    stack.wait()
    assert not operate(stack, "close", table, "--reason", "The test is over")[1]


def test_what_an_operator_watches(stack: Stack) -> None:
    house = SessionClient(stack)
    table = start(house, ME, bot("easy"))
    until(lambda: house.look(table).actor == 0)
    until(lambda: "teahouse_bot_turns_total" in metrics(stack))
    text = metrics(stack)
    for figure in (
        'teahouse_bot_queue_turns{queue="instant"}',
        'teahouse_bot_queue_oldest_seconds{queue="search"}',
        'teahouse_bot_seconds_count{game="geishas_road",level="easy"}',
        'teahouse_bot_turns_total{level="easy"}',
    ):
        assert figure in text


def metrics(stack: Stack, service: str = "search-1") -> str:
    return httpx.get(stack.metrics(service), timeout=20).text


def overdue(stack: Stack) -> float:
    """By the metrics of the session service, in seconds."""
    [told] = re.findall(r"^teahouse_outbox_overdue_seconds (\S+)$", metrics(stack, "sessions"), re.MULTILINE)
    return float(told)
