"""Moves at a running session service with two copies: versions, races, repeats, watching, replays."""

import itertools
import json
import random
import time
from typing import Any

import grpc
import pytest
import redis

from deploy.stack import Stack
from services.engine.verify import Untrue, verify
from services.platform.errors import from_rpc
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.races import race
from tests.support.session_client import SessionClient

PAIRS = 60


def test_only_the_actor_sees_legal_actions_and_each_seat_its_own_view(house: SessionClient) -> None:
    table, players = house.duel()
    views = [house.look(table, player) for player in players]
    spectator = house.look(table)
    actor = views[0].actor
    assert json.loads(views[actor].legal)
    assert views[1 - actor].legal == spectator.legal == b"[]"
    assert len({views[0].view, views[1].view, spectator.view}) == 3
    assert not spectator.HasField("seat")


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (b"not json", "MALFORMED_ACTION"),
        (b"[]", "MALFORMED_ACTION"),
        (b"{}", "MALFORMED_ACTION"),
        (b'{"use":{"marker":"reveal"},"lay":{"card":"gift-red-1"}}', "MALFORMED_ACTION"),
        (b'{"fly":{}}', "MALFORMED_ACTION"),
        (b'{"use":{"marker":"reveal","twice":true}}', "MALFORMED_ACTION"),
        (b'{"use":{"marker":3}}', "MALFORMED_ACTION"),
        (b'{"use":{}}', "MALFORMED_ACTION"),
        (b'{"use":{"marker":"\xff"}}', "MALFORMED_ACTION"),
        (b"[" * 30000, "MALFORMED_ACTION"),
        (b'{"use":' * 9000, "MALFORMED_ACTION"),
        (b'{"use":{"marker":"' + b"x" * 65536 + b'"}}', "MALFORMED_ACTION"),
        (b'{"use":{"marker":"nothing"}}', "MALFORMED_ACTION"),
        (b'{"lay":{"card":"gift-red-1"}}', "ILLEGAL_ACTION"),
        (b'{"take":{"positions":[0]}}', "ILLEGAL_ACTION"),
    ],
)
def test_a_bad_action_changes_nothing(house: SessionClient, action: bytes, reason: str) -> None:
    table, players = house.duel()
    version, actor, _ = house.first_legal(table, players)
    before = house.look(table, actor)
    request = pb.ActRequest(caller=actor, table=table, version=version, action=action)
    refusal = house.refused("Act", request)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason), refusal.message
    assert house.look(table, actor) == before


def test_foreign_and_stale_moves_change_nothing(house: SessionClient) -> None:
    table, players = house.duel()
    version, actor, action = house.first_legal(table, players)
    other = next(player for player in players if player != actor)
    before = house.look(table, actor)
    data = json.dumps(action).encode()
    for caller, at, reason in [
        (other, version, "NOT_YOUR_TURN"),
        (house.player("Eve"), version, "NOT_SEATED"),
        ("", version, "NOT_SEATED"),
        (actor, version - 1, "STALE_VERSION"),
        (actor, version + 1, "STALE_VERSION"),
    ]:
        refusal = house.refused("Act", pb.ActRequest(caller=caller, table=table, version=at, action=data))
        assert refusal.reason == reason
        if reason == "STALE_VERSION":
            assert refusal.metadata["current_version"] == str(version)
    assert house.look(table, actor) == before


def test_of_two_simultaneous_moves_one_wins(stack: Stack) -> None:
    assert race(stack, PAIRS) == (PAIRS, PAIRS)


def test_a_repeated_request_gets_its_first_answer(stack: Stack, house: SessionClient) -> None:
    table, players = house.duel()
    version, actor, action = house.first_legal(table, players)
    first = house.act(table, actor, version, action, "key-1")
    assert first.position.version == version + 1
    for copy in (house, SessionClient(stack, "sessions-2")):
        assert copy.act(table, actor, version, action, "key-1") == first
    house.step(table, players, random.Random(1))
    assert house.act(table, actor, version, action, "key-1") == first
    for other in (version, version + 1):
        reused = pb.ActRequest(caller=actor, table=table, version=other, action=b"{}", idempotency_key="key-1")
        assert house.refused("Act", reused).reason == "KEY_REUSED"
    assert (
        house.refused(
            "Act", pb.ActRequest(caller=actor, table=table, version=version, action=json.dumps(action).encode())
        ).reason
        == "STALE_VERSION"
    )


def test_watching_resumes_after_any_version(stack: Stack, house: SessionClient) -> None:
    """The story told live is the story told from the log, wherever one comes in and whichever copy one asks."""
    table, players = house.duel({"mode": "advanced"})
    rng = random.Random(3)
    live = SessionClient(stack, "sessions-2").stub.Watch(pb.WatchRequest(caller=players[0], table=table))
    story = [next(live)]
    for _ in range(25):
        house.step(table, players, rng)
        story.append(next(live))
    live.cancel()
    versions = [update.position.version for update in story]
    assert versions == list(range(versions[0], versions[0] + 26))
    told = [json.loads(update.events) for update in story]
    for at in range(26):
        request = pb.WatchRequest(caller=players[0], table=table, after_version=versions[at])
        caught_up = next(house.stub.Watch(request))
        assert json.loads(caught_up.events) == list(itertools.chain(*told[at + 1 :]))
        assert caught_up.position == story[-1].position
    log = house.call("GetLog", pb.LogRequest(caller=players[0], table=table, after_version=versions[0])).lines
    assert [json.loads(line.events) for line in log] == told[1:]
    wrong = house.stub.Watch(pb.WatchRequest(table=table, after_version=versions[-1] + 5))
    with pytest.raises(grpc.RpcError) as error:
        next(wrong)
    assert from_rpc(error.value).reason == "STALE_VERSION"


def test_a_slow_watcher_misses_nothing(house: SessionClient) -> None:
    table, players = house.duel()
    rng = random.Random(5)
    slow = house.stub.Watch(pb.WatchRequest(caller=players[1], table=table))
    first = next(slow).position.version
    while house.step(table, players, rng).position.status == "playing":
        pass
    events = [event for update in slow for event in json.loads(update.events)]
    lines = house.call("GetLog", pb.LogRequest(caller=players[1], table=table, after_version=first, limit=500)).lines
    assert events == [event for line in lines for event in json.loads(line.events)]


def replay_of(house: SessionClient, table: str) -> dict[str, Any]:
    replay = house.call("GetReplay", pb.TableRequest(table=table))
    return {
        "game": replay.game,
        "rules_version": replay.rules_version,
        "options": json.loads(replay.options),
        "seats": list(replay.seats),
        "seed": replay.seed,
        "seed_hash": replay.seed_hash,
        "actions": [{"seat": one.seat, "action": json.loads(one.action)} for one in replay.actions],
        "outcome": json.loads(replay.outcome),
    }


def test_a_finished_game_can_be_verified_and_a_forged_one_cannot(house: SessionClient) -> None:
    table, players = house.duel({"mode": "harder"})
    published = house.call("GetTable", pb.TableRequest(table=table)).seed_hash
    assert house.refused("GetReplay", pb.TableRequest(table=table)).reason == "NOT_FINISHED"
    rng = random.Random(7)
    while house.step(table, players, rng).position.status == "playing":
        pass
    version, status = house.look(table).version, house.look(table).status
    assert status == "finished"
    late = pb.ActRequest(caller=players[0], table=table, version=version, action=b'{"use":{"marker":"reveal"}}')
    assert house.refused("Act", late).reason == "NOT_PLAYING"
    replay = replay_of(house, table)
    assert replay["seed_hash"] == published
    assert verify(replay).startswith("true")
    forgeries: list[dict[str, Any]] = [
        {"seed": bytes(32).hex()},
        {"outcome": {**replay["outcome"], "scores": [99, 0]}},
        {"actions": replay["actions"][:-1]},
        {"rules_version": "0-none"},
    ]
    for forged in forgeries:
        with pytest.raises(Untrue):
            verify({**replay, **forged})


def test_a_caller_who_goes_away_keeps_no_news_from_the_others(stack: Stack, house: SessionClient) -> None:
    """The call is cancelled while Redis holds its commit back: the move counts, and those who watch hear of it."""
    table, players = house.duel()
    version, actor, action = house.first_legal(table, players)
    watch = house.stub.Watch(pb.WatchRequest(table=table))
    assert next(watch).position.version == version
    with redis.Redis.from_url(stack.redis_url) as admin:
        admin.execute_command("CLIENT", "PAUSE", 800, "WRITE")
        request = pb.ActRequest(caller=actor, table=table, version=version, action=json.dumps(action).encode())
        call = house.stub.Act.future(request, timeout=10)
        time.sleep(0.3)
        call.cancel()
    assert next(watch).position.version == version + 1


def test_eight_hundred_looks_at_once(house: SessionClient) -> None:
    table, _ = house.duel()
    calls = [house.stub.Look.future(pb.TableRequest(table=table), timeout=30) for _ in range(800)]
    assert [call.exception() for call in calls] == [None] * 800


@pytest.mark.parametrize("table", ["open", "t_", "t_aaaaaaaaaaaaaa:log", "", "x" * 5000, "t_ąąąąąąąąąąąąąą"])
def test_what_is_no_id_is_no_table(house: SessionClient, table: str) -> None:
    assert house.refused("Look", pb.TableRequest(table=table)).reason == "UNKNOWN_TABLE"


def test_the_log_ends_where_it_ends(house: SessionClient) -> None:
    table, _ = house.duel()
    request = pb.LogRequest(table=table, after_version=2**62)
    assert not house.call("GetLog", request).lines
