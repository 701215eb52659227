"""Taking steps back, in every game, at the running services."""

import json
import random

import pytest

from deploy.stack import Stack
from services.engine import registry
from services.engine.verify import verify
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.random_games import pieces
from tests.support.people import Person, begin, problem
from tests.support.session_client import SessionClient

# Steps to take and take back in one game, and the most moves it may need for that.
ENOUGH, MOVES = 10, 150


def undo(house: SessionClient, table: str, caller: str, version: int) -> pb.Update:
    update: pb.Update = house.call("Undo", pb.UndoRequest(caller=caller, table=table, version=version))
    return update


def seen(house: SessionClient, table: str, players: list[str]) -> list[tuple[bytes, bytes, int, bool]]:
    """All that anybody sees of the position."""
    looks = [house.look(table, player) for player in (*players, "")]
    return [(look.view, look.legal, look.actor, look.can_undo) for look in looks]


@pytest.mark.parametrize("game", registry.names())
def test_what_was_taken_back_leaves_no_trace_in_the_position(stack: Stack, game: str) -> None:
    """Random play of all seats; wherever steps can be taken back, one or more of them are."""
    copies = [SessionClient(stack), SessionClient(stack, "sessions-2")]
    house = copies[0]
    cases = [case for case in pieces(game).CASES if set(case[0]) == {"player"}]
    seats, options = max(cases, key=lambda case: len(case[1]))
    table, players = house.begin(len(seats), game=game, options=options)
    rng = random.Random(game)
    before = [seen(house, table, players)]
    undone = 0
    for _ in range(MOVES):
        update = house.step(table, players, rng)
        if update.position.status != "playing" or undone >= ENOUGH:
            break
        if not update.position.can_undo:
            before = [seen(house, table, players)]
            continue
        before.append(seen(house, table, players))
        if len(before) > 2 or rng.random() < 0.6:
            for _ in range(rng.randint(1, len(before) - 1)):
                before.pop()
                version = house.look(table).version
                update = undo(rng.choice(copies), table, players[update.position.actor], version)
                assert seen(house, table, players) == before[-1]
                assert update.position == house.look(table, players[update.position.actor])
                undone += 1
            assert update.position.can_undo == (len(before) > 1)
    assert undone >= 1


def test_a_game_with_steps_taken_back_is_told_whole_and_can_be_verified(stack: Stack) -> None:
    table, ada, bob = begin(stack.url, options={"mode": "advanced"})
    people = [ada, bob]
    rng = random.Random(11)
    position, undone, acted = ada.view(table), [], 0
    while position["status"] == "playing":
        actor = people[position["actor"]]
        position = actor.view(table)
        position = actor.act(table, position["version"], rng.choice(position["legal"])).json()
        acted += 1
        if position["can_undo"] and rng.random() < 0.5:
            answer = actor.post(f"/v1/tables/{table}/undo", json={"version": position["version"]})
            assert answer.status_code == 200, answer.text
            undone.append({"undone": {"seat": position["seat"], "version": position["version"]}})
            position = answer.json()
            assert (position["events"], position["table_events"]) == ([], undone[-1:])
    assert undone
    lines = ada.get(f"/v1/tables/{table}/log?limit=500").json()["lines"]
    assert [event for line in lines for event in line["table_events"] if "undone" in event] == undone
    replay = ada.get(f"/v1/tables/{table}/replay").json()
    assert len(replay["actions"]) == acted - len(undone)
    assert verify(replay).startswith("true")


def test_an_undo_wakes_those_who_watch(stack: Stack, house: SessionClient) -> None:
    table, players = house.duel()
    rng = random.Random(5)
    while not (update := house.step(table, players, rng)).position.can_undo:
        assert update.position.status == "playing"
    actor = update.position.actor
    watch = SessionClient(stack, "sessions-2").stub.Watch(pb.WatchRequest(caller=players[1 - actor], table=table))
    next(watch)
    undo(house, table, players[actor], update.position.version)
    told = next(watch)
    watch.cancel()
    assert json.loads(told.table_events) == [{"undone": {"seat": actor, "version": update.position.version}}]
    assert told.position.view == house.look(table, players[1 - actor]).view


def test_who_cannot_take_back_what(stack: Stack) -> None:
    table, *people = begin(stack.url)
    eve = Person(stack.url, "Eve")
    position = people[0].view(table)
    actor, other = people[position["actor"]], people[1 - position["actor"]]
    before = actor.view(table)
    path, version = f"/v1/tables/{table}/undo", {"version": position["version"]}
    problem(actor.post(path, json=version), 409, "NOTHING_TO_UNDO")
    problem(other.post(path, json=version), 409, "NOT_YOUR_TURN")
    problem(eve.post(path, json=version), 403, "NOT_SEATED")
    problem(actor.post(path, json={"version": 1}), 409, "STALE_VERSION")
    problem(actor.post(path, json={"version": "1"}), 422, "INVALID_REQUEST")
    problem(actor.post(path, json={}), 422, "INVALID_REQUEST")
    problem(eve.post("/v1/tables/t_none/undo", json=version), 404, "UNKNOWN_TABLE")
    assert actor.view(table) == before
