"""Webhooks, from the move at a table to a receiver on this machine."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import httpx
import pytest
import redis

from deploy.stack import Stack
from tests.campaigns.webhook_deliveries import ENV, PATIENCE, Call, play_through, receiver
from tests.support import people
from tests.support.admin import operate
from tests.support.people import Json, Person, play_on, problem
from tests.support.required_tools import missing
from tests.support.waiting import until

TRIES, FAILURES = 3, 2
SETTINGS = ENV | {"TEAHOUSE_WEBHOOK_TRIES": str(TRIES), "TEAHOUSE_WEBHOOK_FAILURES": str(FAILURES)}


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Teahouse that may call this machine, and does not wait long."""
    folder = tmp_path_factory.mktemp("hooked")
    with (
        (folder / "output.log").open("w") as output,
        Stack(folder / "data", sessions=2, bots=0, env=SETTINGS, output=output) as stack,
    ):
        yield stack


def hook(person: Person, url: str, *events: str) -> Json:
    made = person.post("/v1/webhooks", json={"url": url} | ({"events": events} if events else {}))
    assert made.status_code == 201, made.text
    webhook: Json = made.json()
    assert made.headers["location"] == f"/v1/webhooks/{webhook['id']}"
    return webhook


def deliveries(person: Person, webhook: Json) -> list[Json]:
    answer = person.get(f"/v1/webhooks/{webhook['id']}/deliveries")
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["deliveries"]
    return found


def start(url: str, ada: Person) -> tuple[str, Person]:
    """A table where Ada begins to play against another."""
    bob = Person(url, "Bob")
    return people.start(ada, bob), bob


def test_a_player_is_told_what_happens_and_the_message_is_signed(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    with receiver() as server:
        webhook = hook(ada, server.url)
        table, bob = start(hooked.url, ada)
        turns, before, position = [], None, ada.view(table)
        while position["status"] == "playing":
            if position["actor"] == 0 != before:
                turns.append(position["version"])
            before = position["actor"]
            position = play_on(table, ada, bob, moves=1)
        due = {(ada.id, table, 3, "started"), (ada.id, table, position["version"], "finished")}
        due |= {(ada.id, table, version, "your_turn") for version in turns}
        until(lambda: due <= server.events(), "everything that was due")
        assert server.events() == due
        for call in server.calls:
            assert call.signed_with(webhook["secret"])
            assert not call.signed_with("another")
            event = call.event
            assert event.keys() == {"id", "type", "at", "player", "table", "version", "game"}
            assert call.headers["teahouse-delivery"] == event["id"]
            assert call.headers["teahouse-event"] == event["type"]
            assert call.headers["content-type"] == "application/json"
        until(lambda: {each["status"] for each in deliveries(ada, webhook)} == {"delivered"}, "the last report")
    assert {each["id"] for each in deliveries(ada, webhook)} == {call.event["id"] for call in server.calls}


def test_a_webhook_hears_only_of_what_it_asked_for(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    with receiver() as server:
        hook(ada, server.url, "finished")
        table, bob = start(hooked.url, ada)
        play_on(table, ada, bob)
        until(lambda: server.calls, "a call")
        assert [event[3] for event in server.events()] == ["finished"]


def test_players_are_told_when_the_operator_closes_their_table(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    with receiver() as server:
        hook(ada, server.url, "closed")
        table, _ = start(hooked.url, ada)
        assert "closed" in operate(hooked, "close", table, "--reason", "The hall burns.")[0]
        until(lambda: server.calls, "a call")
        assert server.events() == {(ada.id, table, ada.view(table)["version"], "closed")}


def test_what_failed_is_tried_again_with_growing_pauses(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    answers = iter([500, 302])
    with receiver(lambda call: next(answers, 200)) as server:
        webhook = hook(ada, server.url, "started")
        start(hooked.url, ada)
        until(lambda: [each["status"] for each in deliveries(ada, webhook)] == ["delivered"], "the third attempt")
        assert len(server.calls) == TRIES
        assert len({call.body for call in server.calls}) == 1
        (delivery,) = deliveries(ada, webhook)
    assert (delivery["attempts"], delivery["answer"], delivery["error"], delivery["next_try"]) == (3, 200, None, None)
    assert ada.get(f"/v1/webhooks/{webhook['id']}").json()["failures"] == 0


def test_after_repeated_failure_it_is_disabled_until_it_is_switched_on_again(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    broken = threading.Event()
    broken.set()
    with receiver(lambda call: 500 if broken.is_set() else 200) as server:
        webhook = hook(ada, server.url, "started")
        path = f"/v1/webhooks/{webhook['id']}"
        for _ in range(FAILURES):
            start(hooked.url, ada)
        until(lambda: not ada.get(path).json()["enabled"], "the webhook disabled")
        assert "the receiver answered 500" in ada.get(path).json()["disabled_because"]
        found = deliveries(ada, webhook)
        assert [(each["status"], each["attempts"]) for each in found] == [("failed", TRIES)] * FAILURES
        start(hooked.url, ada)
        with redis.Redis.from_url(hooked.redis_url) as store:
            until(lambda: not store.keys("{t:*}:notices"), "what happened while it was off looked at")
        broken.clear()
        on = ada.patch(path, json={"enabled": True}).json()
        assert (on["enabled"], on["failures"], on["disabled_because"]) == (True, 0, None)
        table, _ = start(hooked.url, ada)
        until(lambda: deliveries(ada, webhook)[0]["status"] == "delivered", "a call after it was switched on")
        assert deliveries(ada, webhook)[0]["table"] == table
        assert len(deliveries(ada, webhook)) == FAILURES + 1, "what happened while it was off is not delivered"


def test_a_worker_killed_in_the_middle_of_a_call(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    called, dead = threading.Event(), threading.Event()

    def wait(call: Call) -> int:
        called.set()
        dead.wait(PATIENCE)
        return 200

    with receiver(wait) as server:
        webhook = hook(ada, server.url, "started")
        start(hooked.url, ada)
        assert called.wait(PATIENCE)
        hooked.kill("hooks")
        dead.set()
        assert deliveries(ada, webhook)[0]["status"] == "waiting"
        hooked.restart("hooks")
        until(lambda: deliveries(ada, webhook)[0]["status"] == "delivered", "another attempt")
        assert len(server.calls) >= 2
        assert len({call.headers["teahouse-delivery"] for call in server.calls}) == 1


def test_of_a_deleted_webhook_nothing_is_left(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    with receiver(lambda call: 500) as server, redis.Redis.from_url(hooked.redis_url) as store:
        webhook = hook(ada, server.url)
        start(hooked.url, ada)
        until(lambda: server.calls, "a call")
        assert kept(store, ada) and marked(store, ada)
        path = f"/v1/webhooks/{webhook['id']}"
        assert ada.delete(path).json()["id"] == webhook["id"]
        problem(ada.get(path), 404, "UNKNOWN_WEBHOOK")
        problem(ada.delete(path), 404, "UNKNOWN_WEBHOOK")
        problem(ada.get(f"{path}/deliveries"), 404, "UNKNOWN_WEBHOOK")
        assert ada.get("/v1/webhooks").json() == {"webhooks": []}
        until(lambda: not kept(store, ada), "everything gone")
        until(lambda: not marked(store, ada), "marks gone")


def kept(store: Any, person: Person) -> list[bytes]:
    """Where Redis has something of that player's webhooks and deliveries."""
    return [key for key in store.keys("{h:*}:*") if holds(store, key, person.id)]


def marked(store: Any, person: Person) -> list[bytes]:
    """Where tables are told that the player has a webhook."""
    return [key for key in store.keys("{t:*}:hooked") if store.hexists(key, person.id)]


def holds(store: Any, key: bytes, player: str) -> bool:
    if store.type(key) == b"zset":
        return any(entry.startswith(player.encode()) for entry in store.zrange(key, 0, -1))
    return player.encode() in key


def test_the_log_of_deliveries_is_bounded(hooked: Stack) -> None:
    ada = Person(hooked.url, "Ada")
    with receiver() as server:
        webhook = hook(ada, server.url)
        while len(server.calls) < 55:
            table, bob = start(hooked.url, ada)
            end = (ada.id, table, play_on(table, ada, bob)["version"], "finished")
            until(partial(lambda end: end in server.events(), end), "the end told")
        until(lambda: all(each["status"] == "delivered" for each in deliveries(ada, webhook)), "all delivered")
        found = deliveries(ada, webhook)
        assert len(found) == 50
        assert [each["at"] for each in found] == sorted((each["at"] for each in found), reverse=True)


@pytest.mark.parametrize("victim", ["hooks", "sessions", "redis"])
def test_a_process_that_dies_costs_no_delivery(hooked: Stack, victim: str) -> None:
    print(play_through(hooked, victim))


def name_of_this_machine() -> str:
    """One that does not look like it."""
    for name in (socket.gethostname(), "ip6-localhost", "ip6-loopback"):
        with suppress(OSError):
            socket.getaddrinfo(name, 80)
            return name
    return missing("this machine has no name but localhost (/etc/hosts gives it one)", "REQUIRE_HOSTNAME")


def test_private_addresses_are_refused_unless_the_operator_allows_them(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    for host in (
        "127.0.0.1",
        "localhost",
        "10.1.2.3",
        "169.254.169.254",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "0.0.0.0",
        "127.1",
    ):
        document = problem(ada.post("/v1/webhooks", json={"url": f"http://{host}:8080/"}), 422, "BAD_URL")
        assert document["errors"][0]["field"] == "url"
    with receiver() as server:
        # A name that only turns out to be this machine when it is looked up.
        webhook = hook(ada, server.url.replace("127.0.0.1", name_of_this_machine()), "started")
        start(stack.url, ada)
        until(lambda: deliveries(ada, webhook) and deliveries(ada, webhook)[0]["attempts"], "an attempt")
        until(lambda: "private" in deliveries(ada, webhook)[0]["error"], "its refusal")
        assert not server.calls
    ada.delete(f"/v1/webhooks/{webhook['id']}")


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({}, "INVALID_REQUEST"),
        ({"url": 7}, "INVALID_REQUEST"),
        ({"url": "https://example.org", "events": ["earthquake"]}, "INVALID_REQUEST"),
        ({"url": "https://example.org", "events": "your_turn"}, "INVALID_REQUEST"),
        ({"url": "https://example.org", "secret": "mine"}, "INVALID_REQUEST"),
        ({"url": "https://example.org/" + "x" * 1000}, "INVALID_REQUEST"),
        ({"url": ""}, "BAD_URL"),
        ({"url": "ftp://example.org"}, "BAD_URL"),
        ({"url": "https://user:pass@example.org"}, "BAD_URL"),
        ({"url": "https://example.org/\r\nX: y"}, "BAD_URL"),
        ({"url": "https://exämple.org"}, "BAD_URL"),
    ],
)
def test_a_webhook_that_cannot_be_called_is_not_made(stack: Stack, wish: Json, reason: str) -> None:
    ada = Person(stack.url, "Ada")
    problem(ada.post("/v1/webhooks", json=wish), 422, reason)
    assert ada.get("/v1/webhooks").json() == {"webhooks": []}


def test_a_player_has_ten_webhooks_at_the_most_and_only_its_own(stack: Stack) -> None:
    ada, eve = Person(stack.url, "Ada"), Person(stack.url, "Eve")
    numbers = count()

    def make(_: Any) -> httpx.Response:
        return ada.post("/v1/webhooks", json={"url": f"https://example.org/{next(numbers)}", "events": ["invited"]})

    with ThreadPoolExecutor(15) as pool:
        answers = list(pool.map(make, range(15)))
    assert sorted(answer.status_code for answer in answers) == [201] * 10 + [409] * 5
    problem(make(None), 409, "TOO_MANY_WEBHOOKS")
    mine = ada.get("/v1/webhooks").json()["webhooks"]
    assert len(mine) == 10
    assert all(webhook["enabled"] and "secret" not in webhook for webhook in mine)
    path = f"/v1/webhooks/{mine[0]['id']}"
    assert ada.get(path).json() == mine[0]
    for answer in (
        eve.get(path),
        eve.delete(path),
        eve.patch(path, json={"enabled": False}),
        eve.get(path + "/deliveries"),
    ):
        problem(answer, 404, "UNKNOWN_WEBHOOK")
    assert ada.get(path).json() == mine[0]
    problem(httpx.get(f"{stack.url}/v1/webhooks"), 401, "TOKEN_NEEDED")
