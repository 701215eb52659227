"""Seats that a host keeps for somebody."""

import contextlib

import httpx
from websockets.exceptions import ConnectionClosed

from deploy.stack import Stack
from tests.support.people import GAME, Json, Person, problem


def invite(host: Person, table: str, guest: str, seat: int | None = None) -> httpx.Response:
    body: Json = {"player": guest} if seat is None else {"player": guest, "seat": seat}
    return host.post(f"/v1/tables/{table}/invitations", json=body)


def sit(person: Person, table: str, **wish: int) -> httpx.Response:
    return person.post(f"/v1/tables/{table}/seats", json=wish)


def test_a_seat_is_kept_for_the_guest_alone(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    table = ada.open({"kind": "me"}, {"kind": "open"})
    invited = invite(ada, table, bob.id)
    assert invited.status_code == 200, invited.text
    assert invited.json()["seats"][1] == {"seat": 1, "kind": "open", "invited": {"id": bob.id, "name": "Bob"}}
    problem(sit(eve, table), 409, "SEAT_TAKEN")
    problem(sit(eve, table, seat=1), 409, "SEAT_TAKEN")
    problem(ada.post(f"/v1/tables/{table}/start"), 409, "SEATS_OPEN")
    taken = sit(bob, table).json()["seats"][1]
    assert taken == {"seat": 1, "kind": "player", "player": {"id": bob.id, "name": "Bob"}}
    problem(invite(ada, table, bob.id), 409, "ALREADY_SEATED")


def test_a_guest_needs_no_code_of_a_private_table(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    problem(sit(bob, table), 403, "WRONG_CODE")
    assert invite(ada, table, bob.id).status_code == 200
    assert bob.get(f"/v1/tables/{table}").json()["join_code"] is None
    problem(eve.get(f"/v1/tables/{table}"), 403, "WRONG_CODE")
    assert sit(bob, table).status_code == 200


def test_a_guest_whose_invitation_is_taken_back_sees_no_more(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    invite(ada, table, bob.id)
    with bob.socket(table) as watching, ada.socket(table) as host:
        watching.recv(timeout=20)
        assert ada.put(f"/v1/tables/{table}/seats/1", json={"kind": "open"}).status_code == 200
        heard = ""
        with contextlib.suppress(ConnectionClosed):
            while True:
                heard += str(watching.recv(timeout=20))
        assert ("seat_set" in heard, "WRONG_CODE" in heard) == (False, True)
        while "seat_set" not in str(host.recv(timeout=20)):
            pass


def test_an_invitation_is_moved_and_taken_back(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    table = ada.open({"kind": "me"}, *[{"kind": "open"}] * 2, game="thurn_and_taxis")
    assert [seat.get("invited") for seat in invite(ada, table, bob.id).json()["seats"]][1:] == [
        {"id": bob.id, "name": "Bob"},
        None,
    ]
    moved = invite(ada, table, bob.id, 2).json()["seats"]
    assert ("invited" in moved[1], moved[2]["invited"]["id"]) == (False, bob.id)
    problem(invite(ada, table, eve.id, 2), 409, "SEAT_TAKEN")
    opened = ada.put(f"/v1/tables/{table}/seats/2", json={"kind": "open"}).json()["seats"][2]
    assert opened == {"seat": 2, "kind": "open"}
    assert sit(eve, table, seat=2).status_code == 200
    # A guest who sits down elsewhere leaves the kept seat to the others.
    table = ada.open({"kind": "me"}, *[{"kind": "open"}] * 2, game="thurn_and_taxis")
    invite(ada, table, bob.id, 2)
    assert sit(bob, table, seat=1).status_code == 200
    assert sit(eve, table).json()["seats"][2]["player"]["id"] == eve.id


def test_only_the_host_invites_players_that_exist_before_the_start(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"})
    problem(invite(bob, table, bob.id), 403, "NOT_HOST")
    problem(invite(ada, table, "p_nobody"), 404, "UNKNOWN_PLAYER")
    problem(invite(ada, table, bob.id, 7), 422, "BAD_SEATS")
    problem(invite(ada, table, bob.id, 0), 409, "SEAT_TAKEN")
    problem(ada.post(f"/v1/tables/{table}/invitations", json={"seat": 1}), 422, "INVALID_REQUEST")
    solo = {"game": GAME, "seats": [{"kind": "me"}, {"kind": "bot", "bot": "random"}]}
    started = ada.post("/v1/tables", json=solo).json()["id"]
    ada.post(f"/v1/tables/{started}/start")
    problem(invite(ada, started, bob.id), 409, "NOT_OPEN")
