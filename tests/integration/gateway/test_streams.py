"""Live updates: Server-Sent Events and WebSockets, with clients that come late, come back, or send nonsense."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from deploy.stack import Stack
from tests.campaigns.slow_readers import SOCKET, Reader
from tests.support.people import Json, Person, begin, parse, play_on, socket
from tests.support.processes import gateway
from tests.support.waiting import until


def receive(connection: ClientConnection) -> Json:
    """The next message about the game."""
    while True:
        message: Json = json.loads(connection.recv(timeout=20))
        if "presence" not in message:
            return message


def act(connection: ClientConnection, id_: str, version: int, action: Any) -> None:
    connection.send(json.dumps({"act": {"id": id_, "version": version, "action": action}}))


@contextmanager
def events(client: httpx.Client, table: str, last: int | None = None, **query: Any) -> Iterator[Iterator[Json]]:
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    with client.stream("GET", f"/v1/tables/{table}/events", params=query, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["x-accel-buffering"] == "no"
        yield (event for event in parse(answer.iter_lines()) if event["event"] != "presence")


def told(client: httpx.Client, table: str, after: int) -> list[Json]:
    """The events after that version, by the log."""
    lines = client.get(f"/v1/tables/{table}/log", params={"after": after}).json()["lines"]
    return [event for line in lines for event in line["events"]]


# Server-Sent Events.


def test_events_begin_with_the_position_and_follow_every_move(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    eve = Person(stack.url, "Eve")
    with events(eve, table) as stream:
        first = next(stream)
        assert (first["event"], first["id"]) == ("snapshot", str(first["data"]["version"]))
        assert first["data"]["seat"] is None
        for number in range(1, 6):
            version = play_on(table, ada, bob, moves=1)["version"]
            update = next(stream)
            assert (update["event"], int(update["id"])) == ("update", first["data"]["version"] + number)
            assert update["data"]["events"] == told(eve, table, version - 1)


def test_events_continue_where_the_client_left_off(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    before = ada.view(table)["version"]
    after = play_on(table, ada, bob, moves=5)["version"]
    missed = told(ada, table, before)
    assert missed
    for query in ({"last": before}, {"after": before}):
        with events(ada, table, **query) as stream:
            update = next(stream)
            assert (update["event"], int(update["id"])) == ("update", after)
            assert update["data"]["events"] == missed
            assert update["data"]["view"] == ada.view(table)["view"]


def test_events_end_with_the_game_and_are_not_asked_for_again(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    with events(ada, table) as stream:
        last = play_on(table, ada, bob)
        *_, update = stream
    assert update["data"]["outcome"] == last["outcome"]
    again = ada.get(f"/v1/tables/{table}/events", headers={"Last-Event-ID": update["id"]})
    assert again.status_code == 204


def test_the_token_may_come_in_the_address_of_a_stream(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with httpx.Client(base_url=stack.url) as client:
        with events(client, table, token=ada.token) as stream:
            assert next(stream)["data"]["seat"] == 0
        refused = client.get(f"/v1/tables/{table}/events", params={"token": "wrong"})
        assert (refused.status_code, refused.json()["reason"]) == (401, "BAD_TOKEN")
        assert client.get("/v1/players/me", params={"token": ada.token}).status_code == 422


def test_a_spectator_sees_what_is_public_and_nothing_else(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    with httpx.Client(base_url=stack.url) as client, events(client, table) as stream:
        snapshot = next(stream)["data"]
        play_on(table, ada, bob, moves=3)
        seen = [snapshot, *(next(stream)["data"] for _ in range(3)), client.get(f"/v1/tables/{table}/view").json()]
    own = [person.view(table) for person in (ada, bob)]
    assert all(each["seat"] is None and each["legal"] == [] for each in seen)
    assert own[0]["view"] != own[1]["view"] != seen[-1]["view"] != own[0]["view"]
    assert Person(stack.url, "Eve").view(table) == seen[-1]


# JSON lines.


@contextmanager
def lines(client: httpx.Client, table: str, **query: Any) -> Iterator[Iterator[Json]]:
    """The messages of `curl -N -H 'Accept: application/x-ndjson'`, signs of life left out."""
    headers = {"Accept": "application/x-ndjson", "Accept-Encoding": "gzip, br"}
    with client.stream("GET", f"/v1/tables/{table}/events", params=query, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert "content-encoding" not in answer.headers
        messages = (json.loads(line) for line in answer.iter_lines() if line)
        yield (message for message in messages if "presence" not in message)


def test_lines_are_the_messages_of_the_socket(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    with lines(ada, table) as stream:
        first = next(stream)
        with ada.socket(table) as connection:
            assert connection.protocol.extensions == []
            assert first == receive(connection)
        play_on(table, ada, bob)
        told_by_lines = collect(lambda: next(stream)["update"], ada.view(table)["version"])
        assert told_by_lines == told(ada, table, first["snapshot"]["version"])
        assert list(stream) == []


def test_lines_continue_where_the_client_left_off(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    before = ada.view(table)["version"]
    after = play_on(table, ada, bob, moves=5)["version"]
    with lines(ada, table, after=before) as stream:
        update = next(stream)["update"]
        assert (update["version"], update["events"]) == (after, told(ada, table, before))
    with lines(ada, table, after=after) as stream:
        assert next(stream)["update"]["events"] == []
    ahead = ada.get(f"/v1/tables/{table}/events", params={"after": after + 1})
    assert (ahead.status_code, ahead.json()["reason"]) == (409, "STALE_VERSION")


def test_a_stream_resumed_after_every_version_tells_each_event_once(stack: Stack) -> None:
    """Whoever loses the connection after each update misses nothing and hears nothing twice."""
    table, ada, bob = begin(stack.url)
    start = version = ada.view(table)["version"]
    heard: dict[str, list[Json]] = {"events": [], "lines": [], "socket": []}
    for _ in range(12):
        now = play_on(table, ada, bob, moves=1)["version"]
        with events(ada, table, last=version) as by_events, lines(ada, table, after=version) as by_lines:
            heard["events"] += next(by_events)["data"]["events"]
            heard["lines"] += next(by_lines)["update"]["events"]
        with ada.socket(table, after=version) as connection:
            heard["socket"] += receive(connection)["update"]["events"]
        version = now
    assert heard["events"] == heard["lines"] == heard["socket"] == told(ada, table, start)


def test_every_stream_gives_signs_of_life(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    path = f"/v1/tables/{table}/events"
    with gateway(stack, heartbeat="0.3") as url, httpx.Client(base_url=url, timeout=20) as client:
        with client.stream("GET", path) as answer:
            chunks = answer.iter_raw()
            assert next(chunks).startswith(b"id: ")
            signs = (chunk for chunk in chunks if b"presence" not in chunk)
            assert [next(signs) for _ in range(2)] == [b": still here\n\n"] * 2
        with client.stream("GET", path, headers={"Accept": "application/x-ndjson"}) as answer:
            chunks = answer.iter_raw()
            assert next(chunks).startswith(b'{"snapshot":')
            signs = (chunk for chunk in chunks if b"presence" not in chunk)
            assert [next(signs) for _ in range(2)] == [b"\n"] * 2
        with socket(url, table, token=ada.token) as connection:
            receive(connection)
            # Whoever answers pings, as every library does, stays; a socket that is silent is closed after two of them.
            connection.recv(timeout=20)  # who is there
            with pytest.raises(TimeoutError):
                connection.recv(timeout=2)


# WebSockets.


def player(connection: ClientConnection, failures: list[str]) -> None:
    """Plays one seat with nothing but its socket; every action is acknowledged."""
    waiting, position, acted = "", receive(connection)["snapshot"], 0
    while position["status"] == "playing" or waiting:
        if position["status"] == "playing" and position["actor"] == position["seat"] and not waiting:
            acted += 1
            waiting = f"x{acted}"
            act(connection, waiting, position["version"], position["legal"][0])
        message = receive(connection)
        if "ack" in message:
            if message["ack"]["id"] != waiting:
                failures.append(f"expected an ack of {waiting}: {message}")
            waiting = ""
            while position["version"] < message["ack"]["version"]:
                position = receive(connection)["update"]
        elif "update" in message:
            if message["update"]["version"] <= position["version"]:
                failures.append(f"not newer than {position['version']}: {message}")
            position = message["update"]
        else:
            failures.append(f"unexpected: {message}")
    if not position["outcome"]:
        failures.append("no outcome")


def test_two_sockets_play_a_whole_game(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    failures: list[str] = []
    with ada.socket(table) as first, bob.socket(table) as second:
        threads = [threading.Thread(target=player, args=(each, failures)) for each in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []
        with pytest.raises(ConnectionClosed) as closed:
            receive(first)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1000
    assert ada.view(table)["status"] == "finished"


def test_a_socket_continues_with_what_was_missed(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    before = ada.view(table)["version"]
    after = play_on(table, ada, bob, moves=4)["version"]
    with ada.socket(table, after=before) as connection:
        update = receive(connection)["update"]
        assert (update["version"], update["view"]) == (after, ada.view(table)["view"])
        assert update["events"] == told(ada, table, before)
    with ada.socket(table, after=after) as connection:
        update = receive(connection)["update"]
        assert (update["version"], update["events"]) == (after, [])


NONSENSE: list[tuple[str | bytes, str, str | int | None]] = [
    ("{", "MALFORMED_JSON", None),
    ("[]", "INVALID_REQUEST", None),
    ("[" * 30000, "INVALID_REQUEST", None),
    ("[" * 30000 + "]" * 30000, "MALFORMED_JSON", None),
    (b"\xff\xfe", "MALFORMED_JSON", None),
    ('{"act": 1}', "INVALID_REQUEST", None),
    ('{"dance": {}}', "INVALID_REQUEST", None),
    ("{}", "INVALID_REQUEST", None),
    ('{"say": {"id": "e", "text": 3}}', "INVALID_REQUEST", "e"),
    ('{"say": {"id": "f", "text": " "}}', "BAD_TEXT", "f"),
    ('{"say": {"id": "g", "text": "x"}, "act": {"version": 1, "action": {}}}', "INVALID_REQUEST", None),
    ('{"act": {"id": "a"}}', "INVALID_REQUEST", "a"),
    ('{"act": {"id": "b", "version": "1", "action": {}}}', "INVALID_REQUEST", "b"),
    ('{"act": {"id": "c", "version": 1, "action": {}, "extra": 1}}', "INVALID_REQUEST", "c"),
    ('{"act": {"id": "d", "version": 0, "action": {}}}', "STALE_VERSION", "d"),
    ('{"act": {"id": 7, "version": 0, "action": {}}}', "STALE_VERSION", 7),
]


def test_nonsense_gets_an_error_and_the_socket_stays_open(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with ada.socket(table) as connection:
        position = receive(connection)["snapshot"]
        for sent, reason, id_ in NONSENSE:
            connection.send(sent)
            error = receive(connection)["error"]
            assert (error["reason"], error["id"]) == (reason, id_)
            assert error["type"]
            assert error["detail"]
            assert 400 <= error["status"] < 500
        act(connection, "stale", 0, {})
        assert receive(connection)["error"]["current_version"] == position["version"]
    assert ada.view(table) == position


def test_a_message_over_64_kb_closes_the_socket(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with ada.socket(table) as connection:
        receive(connection)
        connection.send("x" * 65 * 1024)
        with pytest.raises(ConnectionClosed) as closed:
            receive(connection)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


def test_nobody_acts_for_another_seat_through_a_socket(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    position = ada.view(table)
    actor = (ada, bob)[position["actor"]]
    other = (bob, ada)[position["actor"]]
    legal = actor.view(table)["legal"][0]
    expected = [
        (other.socket(table), "NOT_YOUR_TURN", 409),
        (Person(stack.url, "Eve").socket(table), "NOT_SEATED", 403),
        (socket(stack.url, table), "TOKEN_NEEDED", 401),
    ]
    for connection, reason, status in expected:
        with connection:
            assert receive(connection)["snapshot"]["legal"] == []
            act(connection, "x", position["version"], legal)
            error = receive(connection)["error"]
            assert (error["reason"], error["status"]) == (reason, status)
    assert ada.view(table) == position


@pytest.mark.parametrize(
    ("path", "query", "status", "reason"),
    [
        ("t_none", {}, 404, "UNKNOWN_TABLE"),
        ("{table}", {"token": "wrong"}, 401, "BAD_TOKEN"),
        ("{table}", {"after": "soon"}, 422, "INVALID_REQUEST"),
        ("{table}", {"after": -1}, 422, "INVALID_REQUEST"),
        ("{table}", {"after": 10**6}, 409, "STALE_VERSION"),
    ],
)
def test_a_socket_that_cannot_be_opened_says_why(
    stack: Stack, path: str, query: Json, status: int, reason: str
) -> None:
    table, _, _ = begin(stack.url)
    with pytest.raises(InvalidStatus) as refused:
        socket(stack.url, path.format(table=table), **query)
    assert refused.value.response.status_code == status
    assert json.loads(refused.value.response.body or b"")["reason"] == reason


def test_streams_go_on_without_a_gap_when_the_session_service_dies(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    with ada.socket(table) as connection, events(bob, table) as stream:
        version = receive(connection)["snapshot"]["version"]
        assert int(next(stream)["id"]) == version
        copies = [name for name in stack.processes if name.startswith("sessions")]
        for name in copies:
            stack.kill(name)
        act(connection, "lost", version, {})
        assert receive(connection)["error"]["status"] == 503
        refused = ada.get(f"/v1/tables/{table}/view")
        assert (refused.status_code, refused.json()["reason"]) == (503, "UNAVAILABLE")
        assert refused.headers["retry-after"]
        assert ada.get("/readyz").status_code == 503
        assert ada.get("/healthz").status_code == 200
        for name in copies:
            stack.restart(name)
        until(lambda: ada.get("/readyz").status_code == 200)
        last = play_on(table, ada, bob, moves=6)["version"]
        by_socket = collect(lambda: receive(connection)["update"], last)
        by_events = collect(lambda: next(stream)["data"], last)
    assert by_socket == told(ada, table, version)
    assert by_events == told(bob, table, version)


def collect(following: Callable[[], Json], last: int) -> list[Json]:
    """All events of the updates up to that version."""
    seen: list[Json] = []
    while True:
        update = following()
        seen += update["events"]
        if update["version"] == last:
            return seen


def test_a_socket_that_is_not_read_misses_nothing_and_slows_nobody(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    with ada.socket(table) as sleeper:
        version = receive(sleeper)["snapshot"]["version"]
        last = play_on(table, ada, bob)
        assert last["status"] == "finished"
        assert collect(lambda: receive(sleeper)["update"], last["version"]) == told(ada, table, version)


def test_a_stopping_gateway_ends_its_streams_at_once(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with ada.socket(table) as connection, events(ada, table) as stream:
        assert receive(connection)["snapshot"] == next(stream)["data"]
        began = time.monotonic()
        os.kill(stack.pid("gateway"), signal.SIGTERM)
        assert list(stream) == []
        with pytest.raises(ConnectionClosed) as closed:
            receive(connection)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert time.monotonic() - began < 4
    stack.wait()


def test_tokens_are_not_logged(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with ada.socket(table) as connection:
        receive(connection)
    refused = httpx.get(f"{stack.url}/v1/tables/{table}/events", params={"token": ada.token + "x"})
    assert refused.status_code == 401
    assert stack.supervisor.output is not None
    log = Path(stack.supervisor.output.name).read_text()
    assert "listening" in log
    assert ada.token not in log


def test_a_socket_that_does_not_answer_pings_is_closed(stack: Stack) -> None:
    table, _, _ = begin(stack.url)
    with gateway(stack, heartbeat="0.3") as url:
        silent = Reader(url, f"/v1/tables/{table}/socket", SOCKET, pace=1 << 16)
        until(silent.neglect, "its end", 30)
