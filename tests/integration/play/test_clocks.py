"""Clocks at the running session service with two copies, and what they look like through the gateway."""

import json
import time

import pytest
import redis

from deploy.stack import Stack
from services.engine.verify import verify
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.clock_expiries import expire
from tests.support.people import Person, begin, problem
from tests.support.session_client import SessionClient


def test_every_expiry_is_handled_once_also_across_a_restart_of_all_sessions(stack: Stack) -> None:
    report = expire(stack, 16, away=1.5)
    assert not report.wrong
    assert report.expiries == 12 + 2 * 4
    assert report.late_while_away


def test_who_acts_in_time_keeps_the_seat(house: SessionClient) -> None:
    table, players = house.duel(clock=pb.Clock(kind="bank", seconds=600, increment=5))
    before = house.table(table)
    assert list(before.banks) == [600_000, 600_000]
    assert before.deadline == before.updated_at + 600_000
    actor = before.actor
    while house.table(table).actor == actor:
        position = house.look(table, players[actor])
        assert position.deadline == before.deadline
        update = house.act(table, players[actor], position.version, json.loads(position.legal)[0])
    after = house.table(table)
    used = after.updated_at - before.updated_at
    assert after.banks[actor] == 600_000 - used + 5_000
    assert update.position.deadline == after.deadline == after.updated_at + 600_000


def test_time_that_is_up_is_not_given_back(stack: Stack, house: SessionClient) -> None:
    """Between the deadline and the moment at which the rule is applied, which Redis holds back here, it is too late."""
    table, players = house.duel(clock=pb.Clock(kind="move", seconds=3, on_timeout="resign"))
    started = house.table(table)
    actor, deadline = started.actor, started.deadline
    with redis.Redis.from_url(stack.redis_url) as admin:
        admin.execute_command("CLIENT", "PAUSE", 20_000, "WRITE")
        while time.time() * 1000 <= deadline + 10:
            time.sleep(0.01)
        act = pb.ActRequest(caller=players[actor], table=table, version=started.version, action=b"{}")
        undo = pb.UndoRequest(caller=players[actor], table=table, version=started.version)
        assert house.refused("Act", act).reason == "TIME_UP"
        assert house.refused("Undo", undo).reason == "TIME_UP"
        admin.execute_command("CLIENT", "UNPAUSE")
    ended = house.until(table, lambda found: found.status == "finished")
    assert ended.seats[actor].resigned
    assert json.loads(ended.outcome)["places"] == [2 - (actor != seat) for seat in range(2)]


def test_a_clock_through_the_gateway(stack: Stack) -> None:
    wish = {"kind": "bank", "seconds": 3 * 86400, "increment": 60}
    table, ada, _ = begin(stack.url, clock=wish)
    shown = ada.get(f"/v1/tables/{table}").json()
    assert shown["clock"] == {**wish, "on_timeout": "bot"}
    assert shown["banks"] == [259200.0, 259200.0]
    assert shown["deadline"] == ada.view(table)["deadline"] > shown["updated_at"]
    without, *_ = begin(stack.url)
    assert (ada.get(f"/v1/tables/{without}").json()["clock"], ada.view(without)["deadline"]) == (None, None)


@pytest.mark.parametrize(
    ("clock", "reason"),
    [
        ({"kind": "move"}, "BAD_CLOCK"),
        ({"kind": "none", "seconds": 3}, "BAD_CLOCK"),
        ({"kind": "move", "seconds": 10**12}, "BAD_CLOCK"),
        ({"kind": "move", "seconds": 3, "increment": 3}, "BAD_CLOCK"),
        ({"kind": "sand"}, "INVALID_REQUEST"),
        ({"kind": "move", "seconds": -3}, "INVALID_REQUEST"),
        ({"kind": "move", "seconds": 10**30}, "INVALID_REQUEST"),
        ({"kind": "move", "seconds": 3, "minutes": 1}, "INVALID_REQUEST"),
        ("fast", "INVALID_REQUEST"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(stack: Stack, clock: object, reason: str) -> None:
    ada = Person(stack.url, "Ada")
    wish = {"game": "geishas_road", "seats": [{"kind": "me"}, {"kind": "open"}], "clock": clock}
    problem(ada.post("/v1/tables", json=wish), 422, reason)


def test_a_game_decided_by_the_clock_can_be_verified(stack: Stack) -> None:
    table, ada, _ = begin(stack.url, clock={"kind": "move", "seconds": 1, "on_timeout": "resign"})
    SessionClient(stack).until(table, lambda found: found.status == "finished")
    replay = ada.get(f"/v1/tables/{table}/replay").json()
    assert replay["outcome"]["reason"] == "resigned"
    assert verify(replay).startswith("true")
