"""Leaving a game for a while or for good: stand-ins, returning, absence, resigning."""

import json
import random
from typing import Any

import pytest

from deploy.stack import Stack
from services.engine.verify import Untrue, verify
from teahouse.v1 import sessions_pb2 as pb
from tests.support.people import Person, begin, play_on, problem
from tests.support.processes import idle_workers, restarted
from tests.support.session_client import SessionClient, bot

# Seats for four.
LARGER = "thurn_and_taxis"


def act_until_it_moves_on(house: SessionClient, table: str, players: list[str], actor: int) -> None:
    rng = random.Random(1)
    while house.table(table).actor == actor:
        house.step(table, players, rng)


def test_a_stand_in_plays_until_the_player_returns(house: SessionClient) -> None:
    table, players = house.duel()
    actor = house.table(table).actor
    leave = pb.LeaveSeatRequest(caller=players[actor], table=table, seat=actor)
    assert house.call("LeaveSeat", leave).seats[actor].stand_in == "greedy"
    there = house.until(table, lambda found: found.actor != actor)
    assert there.seats[actor].stand_in == "greedy"
    assert house.call("LeaveSeat", leave).seats[actor].stand_in, "may be repeated"
    back = house.call("Return", pb.TableRequest(caller=players[actor], table=table))
    assert not back.seats[actor].stand_in
    again = house.call("Return", pb.TableRequest(caller=players[actor], table=table))
    assert again == back, "may be repeated"
    act_until_it_moves_on(house, table, players, 1 - actor)
    assert house.table(table).actor == actor, "the player has the decision, no bot takes it away"
    kinds = [event for line in house.log(table) for event in json.loads(line.table_events)]
    assert kinds[-2:] == [
        {"stand_in": {"seat": actor, "bot": "greedy", "why": "left"}},
        {"returned": {"seat": actor}},
    ]


def test_both_leave_and_bots_play_to_the_end(house: SessionClient) -> None:
    table, players = house.duel()
    for seat, player in enumerate(players):
        house.call("LeaveSeat", pb.LeaveSeatRequest(caller=player, table=table, seat=seat))
    ended = house.until(table, lambda found: found.status == "finished")
    assert sorted(json.loads(ended.outcome)["places"])[0] == 1
    leave = pb.LeaveSeatRequest(caller=players[0], table=table, seat=0)
    assert house.refused("LeaveSeat", leave).reason == "NOT_OPEN"
    assert house.refused("Return", pb.TableRequest(caller=players[0], table=table)).reason == "NOT_PLAYING"


def test_watchers_hear_of_it_and_see_the_position(stack: Stack, house: SessionClient) -> None:
    table, players = house.duel()
    waiting = 1 - house.table(table).actor
    watches = [
        copy.stub.Watch(pb.WatchRequest(caller=player, table=table))
        for copy in (house, SessionClient(stack, "sessions-2"))
        for player in ("", *players)
    ]
    before = [next(watch).position for watch in watches]
    house.call("LeaveSeat", pb.LeaveSeatRequest(caller=players[waiting], table=table, seat=waiting))
    for watch, old in zip(watches, before, strict=True):
        update = next(watch)
        assert "stand_in" in json.loads(update.table_events)[0]
        assert (update.position.view, update.position.legal) == (old.view, old.legal)
        watch.cancel()


def test_who_acts_has_returned(stack: Stack, house: SessionClient) -> None:
    table, players = house.duel()
    actor = house.table(table).actor
    with idle_workers(stack):
        house.call("LeaveSeat", pb.LeaveSeatRequest(caller=players[actor], table=table, seat=actor))
        position = house.look(table, players[actor])
        malformed = pb.ActRequest(caller=players[actor], table=table, version=position.version, action=b"{}")
        assert house.refused("Act", malformed).reason == "MALFORMED_ACTION"
        assert house.table(table).seats[actor].stand_in
        update = house.act(table, players[actor], position.version, json.loads(position.legal)[0])
        assert {"returned": {"seat": actor}} in json.loads(update.table_events)
        assert not house.table(table).seats[actor].stand_in


def test_the_others_vote_that_a_player_is_absent(stack: Stack) -> None:
    with restarted(stack, "sessions-2", absence="0"):
        house = SessionClient(stack, "sessions-2")
        table, players = house.begin(3, game=LARGER)
        actor = house.table(table).actor
        voter = (actor + 1) % 3
        vote = pb.VoteAbsentRequest(caller=players[voter], table=table, seat=actor)
        for _ in range(2):
            voted = house.call("VoteAbsent", vote).seats[actor]
            assert (list(voted.absent_votes), voted.stand_in) == ([voter], ""), "a second vote is the same vote"
        house.step(table, players, random.Random(1))
        assert not house.table(table).seats[actor].absent_votes, "who acts is not absent"
        act_until_it_moves_on(house, table, players, actor)
        target = house.table(table).actor
        for voter in (seat for seat in range(3) if seat != target):
            vote = pb.VoteAbsentRequest(caller=players[voter], table=table, seat=target)
            voted = house.call("VoteAbsent", vote).seats[target]
        assert voted.stand_in == "greedy"
        [(version, _), *_] = house.happened(table, "stand_in")
        votes = house.happened(table, "voted_absent")
        assert [by["seat"] for _, by in votes] == [actor, target, target]
        assert votes[-1][0] == version, "the last vote brings the stand-in"
        by_absent = pb.VoteAbsentRequest(caller=players[target], table=table, seat=voter)
        assert house.refused("VoteAbsent", by_absent).reason == "NOT_SEATED"


def test_who_can_be_voted_absent_and_by_whom(house: SessionClient) -> None:
    table, players = house.begin(2, bot("random"), game=LARGER)
    actor = house.until(table, lambda found: found.actor < 2).actor
    other = 1 - actor
    before = house.table(table)
    for caller, seat, reason in [
        (players[other], actor, "NOT_ABSENT"),  # a minute has not passed
        (players[actor], other, "NOT_ABSENT"),  # nobody waits for that seat
        (players[actor], 2, "NOT_ABSENT"),  # a bot
        (players[actor], actor, "NOT_SEATED"),  # the own seat
        (house.player("Eve"), actor, "NOT_SEATED"),
        ("", actor, "NOT_SEATED"),
        (players[other], 7, "BAD_SEATS"),
    ]:
        vote = pb.VoteAbsentRequest(caller=caller, table=table, seat=seat)
        assert house.refused("VoteAbsent", vote).reason == reason
    assert house.table(table) == before


def replayed(person: Person, table: str) -> dict[str, Any]:
    replay: dict[str, Any] = person.get(f"/v1/tables/{table}/replay").json()
    return replay


def test_a_duel_ends_when_one_resigns(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    play_on(table, ada, bob, moves=5)
    with bob.socket(table) as socket:
        assert "snapshot" in json.loads(socket.recv(timeout=20))
        ended = ada.post(f"/v1/tables/{table}/resign")
        assert ended.status_code == 200, ended.text
        told = json.loads(socket.recv(timeout=20))["update"]
    assert told["table_events"] == [{"resigned": {"seat": 0, "why": "asked"}}, {"finished": {}}]
    outcome = {"places": [2, 1], "scores": [0, 0], "breakdown": [[], []], "reason": "resigned"}
    assert ended.json()["outcome"] == told["outcome"] == ada.view(table)["outcome"] == outcome
    assert (told["status"], told["actor"], told["legal"]) == ("finished", None, [])
    assert ended.json()["seats"][0]["resigned"] is True
    assert ada.post(f"/v1/tables/{table}/resign").status_code == 200, "may be repeated"
    problem(bob.post(f"/v1/tables/{table}/resign"), 409, "NOT_PLAYING")
    replay = replayed(ada, table)
    assert replay["resigned"] == [0]
    assert verify(replay).startswith("true")
    forgeries: list[dict[str, Any]] = [
        {"resigned": []},
        {"resigned": [1]},
        {"outcome": {**outcome, "places": [1, 2]}},
        {"outcome": {**outcome, "scores": [50, 0]}},
        {"players": [{"kind": "player"}] * 3, "seats": ["player"] * 2},
    ]
    for forged in forgeries:
        with pytest.raises(Untrue):
            verify({**replay, **forged})


def test_a_solo_player_who_resigns_against_bots_ends_the_game(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    bots = [{"kind": "bot", "bot": "random"}] * 2
    table = ada.open({"kind": "me"}, *bots, game=LARGER)
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    ended = ada.post(f"/v1/tables/{table}/resign").json()
    assert (ended["status"], ended["outcome"]["places"]) == ("finished", [3, 1, 1])
    assert verify(replayed(ada, table)).startswith("true")


def test_who_resigns_among_others_comes_last(stack: Stack, house: SessionClient) -> None:
    """A bot plays the seat to the end, which its player cannot take back."""
    table, players = house.begin(3, game=LARGER)
    resigned = house.call("Resign", pb.TableRequest(caller=players[1], table=table))
    assert resigned.status == "playing"
    assert (resigned.seats[1].resigned, resigned.seats[1].stand_in) == (True, "greedy")
    assert house.refused("Return", pb.TableRequest(caller=players[1], table=table)).reason == "RESIGNED"
    late = pb.ActRequest(caller=players[1], table=table, version=resigned.version, action=b"{}")
    assert house.refused("Act", late).reason in ("RESIGNED", "STALE_VERSION")
    for seat in (0, 2):
        house.call("LeaveSeat", pb.LeaveSeatRequest(caller=players[seat], table=table, seat=seat))
    ended = house.until(table, lambda found: found.status == "finished", patience=120)
    outcome = json.loads(ended.outcome)
    assert outcome["places"][1] == 3
    assert outcome["reason"] != "resigned"
    replay = Person(stack.url, "Eve").get(f"/v1/tables/{table}/replay").json()
    assert verify(replay).startswith("true")
    with pytest.raises(Untrue):
        verify({**replay, "resigned": [0]})


def test_all_persons_resign_and_the_table_ends(house: SessionClient) -> None:
    table, players = house.begin(2, bot("random"), game=LARGER)
    assert house.call("Resign", pb.TableRequest(caller=players[0], table=table)).status == "playing"
    ended = house.call("Resign", pb.TableRequest(caller=players[1], table=table))
    assert ended.status == "finished"
    assert json.loads(ended.outcome)["places"] == [2, 2, 1]


def test_what_strangers_and_those_who_wait_cannot_do(stack: Stack) -> None:
    ada, eve = Person(stack.url, "Ada"), Person(stack.url, "Eve")
    waiting = f"/v1/tables/{ada.open({'kind': 'me'}, {'kind': 'open'})}"
    table, *people = begin(stack.url)
    before = people[0].view(table)
    for call in ("resign", "return"):
        problem(ada.post(f"{waiting}/{call}"), 409, "NOT_PLAYING")
        problem(eve.post(f"/v1/tables/{table}/{call}"), 403, "NOT_SEATED")
        problem(eve.post(f"/v1/tables/t_none/{call}"), 404, "UNKNOWN_TABLE")
    problem(ada.post(f"{waiting}/absent", json={"seat": 0}), 409, "NOT_PLAYING")
    problem(people[0].post(f"/v1/tables/{table}/absent", json={"seat": -1}), 422, "INVALID_REQUEST")
    problem(people[0].post(f"/v1/tables/{table}/absent", json={}), 422, "INVALID_REQUEST")
    problem(people[0].delete(f"/v1/tables/{table}/seats/1"), 403, "NOT_SEATED")
    problem(people[0].delete(f"/v1/tables/{table}/seats/9"), 422, "BAD_SEATS")
    assert people[0].view(table) == before
