"""Quick match through the gateway, with two copies of the session service behind it."""

import json
from typing import Any

import pytest
import redis

from deploy.stack import Stack
from services.sessions.store.keys import proposal as proposal_key
from services.sessions.store.keys import ticket as ticket_key
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns.tickets import campaign
from tests.support.people import GAME, Json, Person, play_on, problem
from tests.support.waiting import until

TICKETS = "/v1/matchmaking/tickets"
LARGER = "thurn_and_taxis"


def wish(game: str = GAME, seats: tuple[int, ...] = (2,), **options: Any) -> Json:
    return {"game": game, "seats": list(seats), "options": options}


def ask(person: Person, *wishes: Json, **more: Any) -> str:
    made = person.post(TICKETS, json={"wishes": wishes or [wish()], **more})
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"{TICKETS}/{made.json()['id']}"
    ticket: str = made.json()["id"]
    return ticket


def look(person: Person, ticket: str) -> Json:
    answer = person.get(f"{TICKETS}/{ticket}")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def matched(person: Person, ticket: str) -> Json:
    """The table where the ticket led."""

    def table() -> Any:
        return look(person, ticket)["table"]

    found: Json = person.get(f"/v1/tables/{until(table, 'a match')}").json()
    return found


def seated(table: Json) -> set[str]:
    return {seat["player"]["id"] for seat in table["seats"] if seat["kind"] == "player"}


def clear(*holders: tuple[Person, str]) -> None:
    """Nobody may wait on when another test begins."""
    for person, ticket in holders:
        assert person.delete(f"{TICKETS}/{ticket}").status_code == 200


def test_two_with_the_same_wish_play_at_once(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    # Written differently, meant the same: what is left out has its default.
    first = ask(ada, wish(mode="harder"))
    second = ask(bob, wish(mode="harder", destiny=False))
    table = matched(ada, first)
    assert look(bob, second)["table"] == table["id"]
    assert table["status"] == "playing"
    assert seated(table) == {ada.id, bob.id}
    assert table["options"]["mode"] == "harder"
    people = {seat["player"]["id"]: seat["seat"] for seat in table["seats"]}
    assert play_on(table["id"], *sorted((ada, bob), key=lambda one: people[one.id]))["status"] == "finished"
    assert table["id"] in [each["id"] for each in ada.get("/v1/tables?mine=true").json()["tables"]]


def test_other_wishes_do_not_meet(stack: Stack) -> None:
    wishes = [wish(mode="basic"), wish(mode="advanced"), wish(LARGER, (3,)), wish(LARGER, (4,))]
    people = [Person(stack.url, f"player {number}") for number in range(6)]
    tickets = [ask(person, one) for person, one in zip(people, wishes, strict=False)]
    tickets.append(ask(people[4], wish(mode="basic"), rated=True))
    tickets.append(ask(people[5], wish(mode="basic"), clock={"kind": "move", "seconds": 600}))
    # Another one is matched meanwhile: the matchmaker has looked at all of them.
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    ask(ada, wish(mode="harder"), wish(LARGER, (2,)))
    table = matched(bob, ask(bob, wish(LARGER, (4, 2))))
    assert (table["game"], seated(table)) == (LARGER, {ada.id, bob.id})
    assert [look(person, ticket)["status"] for person, ticket in zip(people, tickets, strict=True)] == ["waiting"] * 6
    clear(*zip(people, tickets, strict=True))
    assert look(people[0], tickets[0])["status"] == "cancelled"


def test_a_player_waits_with_one_ticket(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    ticket = ask(ada)
    refused = ada.post(TICKETS, json={"wishes": [wish(LARGER)]})
    assert problem(refused, 409, "ALREADY_WAITING")["ticket"] == ticket
    clear((ada, ticket))
    # Cancelled twice is cancelled.
    clear((ada, ticket))
    clear((ada, ask(ada)))


def test_a_party_sits_at_one_table_when_all_have_joined(stack: Stack) -> None:
    ada, bob, eve, dan = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve", "Dan"))
    ticket = ask(ada, wish(LARGER, (3,)), party=[bob.id])
    assert [(each["id"], each["ready"]) for each in look(bob, ticket)["players"]] == [(ada.id, True), (bob.id, False)]
    problem(dan.get(f"{TICKETS}/{ticket}"), 404, "UNKNOWN_TICKET")
    problem(dan.post(f"{TICKETS}/{ticket}/join"), 404, "UNKNOWN_TICKET")
    own = ask(bob, wish(mode="advanced"))
    assert problem(bob.post(f"{TICKETS}/{ticket}/join"), 409, "ALREADY_WAITING")["ticket"] == own
    clear((bob, own))
    third = ask(eve, wish(LARGER, (3,)))
    fourth = ask(dan, wish(LARGER, (4,)))
    assert look(eve, third)["status"] == "waiting"
    joined = bob.post(f"{TICKETS}/{ticket}/join")
    assert [each["ready"] for each in joined.json()["players"]] == [True, True]
    table = matched(eve, third)
    assert seated(table) == {ada.id, bob.id, eve.id}
    assert matched(bob, ticket)["id"] == table["id"]
    problem(bob.delete(f"{TICKETS}/{ticket}"), 409, "TICKET_CLOSED")
    clear((dan, fourth))


def test_a_friend_can_decline(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    ticket = ask(ada, party=[bob.id])
    clear((bob, ticket))
    assert look(ada, ticket)["status"] == "cancelled"
    problem(bob.post(f"{TICKETS}/{ticket}/join"), 409, "TICKET_CLOSED")
    clear((ada, ask(ada)))


def test_bots_fill_up_after_the_time_that_the_player_chose(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    table = matched(ada, ask(ada, wish(LARGER, (3,)), bots_after=0, bot="random"))
    assert seated(table) == {ada.id}
    assert [seat["bot"] for seat in table["seats"] if seat["kind"] == "bot"] == ["random", "random"]


def test_the_stream_of_a_ticket_ends_with_the_match(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    ticket = ask(ada, wish(LARGER, (2,)))
    told = []
    with ada.stream("GET", f"{TICKETS}/{ticket}/events", headers={"Accept": "application/x-ndjson"}) as stream:
        assert stream.headers["content-type"] == "application/x-ndjson"
        for line in stream.iter_lines():
            if line:
                told.append(json.loads(line))
            if len(told) == 1:
                ask(bob, wish(LARGER, (2,)))
    assert [each["status"] for each in told] == ["waiting", "matched"]
    assert told[1]["table"]
    with bob.stream("GET", f"{TICKETS}/{ticket}/events") as stream:
        assert stream.status_code == 404


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"wishes": []}, "INVALID_REQUEST"),
        ({"wishes": [{"game": GAME, "seats": []}]}, "INVALID_REQUEST"),
        ({"wishes": [{"game": GAME, "seats": [3]}]}, "BAD_SEATS"),
        ({"wishes": [{"game": GAME, "seats": [2], "options": {"mode": "?"}}]}, "BAD_OPTIONS"),
        ({"wishes": [wish()], "rated": True, "bots_after": 3}, "BAD_TICKET"),
        ({"wishes": [wish()], "bots_after": 3, "bot": "?"}, "BAD_BOT"),
        ({"wishes": [wish()], "party": ["p_1", "p_1"]}, "BAD_TICKET"),
        ({"wishes": [wish()], "colour": "red"}, "INVALID_REQUEST"),
    ],
)
def test_a_wrong_ticket_is_refused(stack: Stack, body: Json, reason: str) -> None:
    ada = Person(stack.url, "Ada")
    problem(ada.post(TICKETS, json=body), 422, reason)
    clear((ada, ask(ada)))


def test_unknown_games_and_friends_are_refused(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    problem(ada.post(TICKETS, json={"wishes": [wish("chess")]}), 404, "UNKNOWN_GAME")
    problem(ada.post(TICKETS, json={"wishes": [wish()], "party": ["p_nobody"]}), 404, "UNKNOWN_PLAYER")


@pytest.mark.parametrize("made", [False, True])
def test_what_a_copy_left_behind_is_finished_by_another(stack: Stack, made: bool) -> None:
    """As a copy leaves it that dies after the claim, before or after it has made the table."""
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    # Wishes that nobody else has: the matchmaker itself finds nothing.
    tickets = [ask(ada, wish(LARGER, (3,)), rated=True), ask(bob, wish(LARGER, (4,)), rated=True)]
    store = redis.Redis.from_url(stack.redis_url)
    records = [mm.TicketRecord.FromString(store.hget(ticket_key(ticket), "record")) for ticket in tickets]  # type: ignore[arg-type]
    table = pb.Table(
        id=f"t_left{'made' if made else 'open'}abcdef", game=GAME, options=b"{}", status="open", host=ada.id
    )
    table.visibility = "public"
    for record in records:
        table.seats.add(kind="player", player=record.ticket.players[0].player)
    proposal = mm.Proposal(table=table, tickets=records)

    def leave_behind() -> None:
        with store.pipeline() as pipe:
            for ticket in tickets:
                pipe.hset(ticket_key(ticket), "status", "claimed")
                pipe.zrem("{m}:waiting", ticket)
            pipe.set(proposal_key(table.id), proposal.SerializeToString())
            pipe.zadd("{m}:proposals", {table.id: 0})
            pipe.execute()

    leave_behind()
    assert matched(ada, tickets[0])["id"] == matched(bob, tickets[1])["id"] == table.id
    if made:
        before = ada.get(f"/v1/tables/{table.id}").json()
        leave_behind()
        until(lambda: look(ada, tickets[0])["status"] == "matched", "a second time")
        assert ada.get(f"/v1/tables/{table.id}").json() == before
    # Both are free again.
    clear((ada, ask(ada, wish(LARGER, (3,)))), (bob, ask(bob, wish(LARGER, (4,)))))


def test_a_repeated_request_makes_one_ticket(stack: Stack) -> None:
    """Also after it was matched: nobody sits twice because an answer was lost."""
    ada, key = Person(stack.url, "Ada"), {"Idempotency-Key": "first"}
    asks = {"wishes": [wish()], "bots_after": 0}
    first = ada.post(TICKETS, json=asks, headers=key).json()["id"]
    table = matched(ada, first)["id"]
    again = ada.post(TICKETS, json=asks, headers=key)
    assert (again.status_code, again.json()["id"], again.json()["table"]) == (201, first, table)
    problem(ada.post(TICKETS, json=asks | {"bots_after": 1}, headers=key), 422, "KEY_REUSED")
    second = ada.post(TICKETS, json=asks, headers={"Idempotency-Key": "second"}).json()["id"]
    assert matched(ada, second)["id"] != table


def test_no_ticket_is_lost_or_matched_twice_when_a_copy_is_killed(stack: Stack) -> None:
    try:
        campaign(stack, 60, "sessions-2", quiet=1)
    finally:
        stack.restart("sessions-2")
