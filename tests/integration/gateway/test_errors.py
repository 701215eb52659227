"""Every mistake a client can make gets a 4xx problem document and changes nothing."""

import json
import socket
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from deploy.stack import Stack
from tests.integration.gateway.conftest import JSON, Game
from tests.support.people import GAME, Person, begin, play_on, problem


def test_a_stale_version_tells_the_current_one(game: Game) -> None:
    document = problem(game.actor.act(game.table, game.version - 1, game.legal[0]), 409, "STALE_VERSION")
    assert document["current_version"] == game.version


def test_a_version_of_the_future_is_stale_too(game: Game) -> None:
    problem(game.actor.act(game.table, game.version + 1, game.legal[0]), 409, "STALE_VERSION")


def test_a_player_who_is_not_the_actor_waits(game: Game) -> None:
    problem(game.other.act(game.table, game.version, game.legal[0]), 409, "NOT_YOUR_TURN")


def test_a_stranger_cannot_act(game: Game) -> None:
    problem(game.stranger.act(game.table, game.version, game.legal[0]), 403, "NOT_SEATED")


def test_a_spectator_cannot_act(stack: Stack, game: Game) -> None:
    answer = httpx.post(stack.url + game.actions, json={"version": game.version, "action": game.legal[0]})
    problem(answer, 401, "TOKEN_NEEDED")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("action", [{"no_such_action": {}}, {}, [], None, "pass", 7, {"😀": 1}])
def test_an_action_of_another_shape_is_malformed(game: Game, action: Any) -> None:
    problem(game.actor.act(game.table, game.version, action), 422, "MALFORMED_ACTION")


def test_an_action_that_the_rules_forbid_now_is_illegal(stack: Stack, game: Game) -> None:
    table, *people = begin(stack.url)
    while True:
        play_on(table, *people, moves=1)
        later = people[people[0].view(table)["actor"]].view(table)["legal"]
        if forbidden := [action for action in later if action not in game.legal]:
            break
    problem(game.actor.act(game.table, game.version, forbidden[0]), 422, "ILLEGAL_ACTION")


def test_an_action_with_an_unknown_field_is_malformed(game: Game) -> None:
    (kind, fields), *_ = game.legal[0].items()
    problem(game.actor.act(game.table, game.version, {kind: {**fields, "extra": 1}}), 422, "MALFORMED_ACTION")


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b'{"action": {}}', "version"),
        (b'{"version": 1}', "action"),
        (b'{"version": "1", "action": {}}', "version"),
        (b'{"version": -1, "action": {}}', "version"),
        (b'{"version": 1.5, "action": {}}', "version"),
        (b'{"version": 99999999999999999999, "action": {}}', "version"),
        (b'{"version": 1, "action": {}, "extra": 1}', "extra"),
        (b"[]", ""),
        (b"null", ""),
    ],
)
def test_a_body_of_another_shape_is_told_what_is_wrong(game: Game, content: bytes, field: str) -> None:
    document = problem(game.send(content), 422, "INVALID_REQUEST")
    assert [error["field"] for error in document["errors"]] == [field]
    assert document["errors"][0]["message"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"not json",
        b'{"version": NaN, "action": {}}',
        b'{"version": 1, "action": {"a": "\xff"}}',
        b'{"version": 1, "action": ' + b"[" * 20000 + b"]" * 20000 + b"}",
        b'{"version": 1, "action": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"version": 1, "action": {}} {}',
    ],
)
def test_what_is_not_json_is_refused(game: Game, content: bytes) -> None:
    problem(game.send(content), 400, "MALFORMED_JSON")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_another_content_type_is_refused(game: Game, kind: str) -> None:
    problem(game.send(b'{"version": 1, "action": {}}', **{"Content-Type": kind}), 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_over_64_kb_is_refused(game: Game) -> None:
    problem(game.send(b" " * 65 * 1024), 413, "BODY_TOO_LARGE")


def test_a_chunked_body_over_64_kb_is_refused(game: Game) -> None:
    chunks = (b" " * 1024 for _ in range(200))
    answer = game.actor.post(game.actions, content=chunks, headers=JSON)
    problem(answer, 413, "BODY_TOO_LARGE")


def test_a_huge_announced_body_is_refused_before_it_is_sent(stack: Stack) -> None:
    request = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n"
    with socket.create_connection(("127.0.0.1", stack.port), timeout=10) as connection:
        connection.sendall(request)
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_an_idempotency_key_that_is_too_long_is_refused(game: Game) -> None:
    answer = game.actor.act(game.table, game.version, game.legal[0], **{"Idempotency-Key": "k" * 101})
    document = problem(answer, 422, "INVALID_REQUEST")
    assert document["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic abc", "Bearer p_x.1.y", "Bearer " + "x" * 5000])
@pytest.mark.parametrize("path", ["/v1/players/me", "/v1/tables"])
def test_a_wrong_token_is_refused_even_where_none_is_needed(stack: Stack, header: str, path: str) -> None:
    answer = httpx.get(stack.url + path, headers={"Authorization": header})
    problem(answer, 401, "BAD_TOKEN")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"game": "chess", "seats": [{"kind": "me"}]}, 404, "UNKNOWN_GAME"),
        ({"game": GAME, "seats": [{"kind": "me"}]}, 422, "BAD_SEATS"),
        ({"game": GAME, "seats": [{"kind": "me"}] * 2}, 422, "BAD_SEATS"),
        ({"game": GAME, "seats": [{"kind": "me"}, {"kind": "bot", "bot": "deep"}]}, 422, "BAD_BOT"),
        ({"game": GAME, "seats": [{"kind": "me"}, {"kind": "automa", "automa": "nobody"}]}, 422, "BAD_BOT"),
        ({"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}], "options": {"mode": "x"}}, 422, "BAD_OPTIONS"),
        ({"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}], "options": {"x": 1}}, 422, "BAD_OPTIONS"),
        ({"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}], "options": []}, 422, "BAD_OPTIONS"),
        ({"game": GAME, "seats": []}, 422, "INVALID_REQUEST"),
        ({"game": GAME, "seats": [{"kind": "king"}]}, 422, "INVALID_REQUEST"),
        ({"game": GAME, "seats": [{"kind": "bot"}]}, 422, "INVALID_REQUEST"),
        ({"game": GAME, "seats": [{"kind": "me", "bot": "greedy"}]}, 422, "INVALID_REQUEST"),
        ({"game": GAME, "seats": [{"kind": "me"}], "visibility": "secret"}, 422, "INVALID_REQUEST"),
        ({"game": GAME, "seats": [{"kind": "me"}], "extra": 1}, 422, "INVALID_REQUEST"),
        ({"seats": [{"kind": "me"}]}, 422, "INVALID_REQUEST"),
    ],
)
def test_a_table_that_cannot_be_is_not_opened(game: Game, body: Any, status: int, reason: str) -> None:
    problem(game.stranger.post("/v1/tables", json=body), status, reason)
    assert game.stranger.get("/v1/tables?mine=true").json()["tables"] == []


BAD_BODIES = [
    (b'"' + b"x" * 65536 + b'"', "application/json", 413, "BODY_TOO_LARGE"),
    (b'{"a":' * 3000 + b"1" + b"}" * 3000, "application/json", 400, "MALFORMED_JSON"),
    (b"[" * 65000, "application/json", 422, "INVALID_REQUEST"),
    (b'{"name": "\xc3\x28"}', "application/json", 400, "MALFORMED_JSON"),
    (b'{"name": "\xed\xa0\x80"}', "application/json", 400, "MALFORMED_JSON"),
    (b"{", "application/json", 400, "MALFORMED_JSON"),
    (b'{"surely_unknown": 1}', "application/json", 422, "INVALID_REQUEST"),
    (b"[1, 2, 3]", "application/json", 422, "INVALID_REQUEST"),
    (b'"text"', "application/json", 422, "INVALID_REQUEST"),
    (b"17", "application/json", 422, "INVALID_REQUEST"),
    (b"name=Ada", "application/x-www-form-urlencoded", 415, "UNSUPPORTED_MEDIA_TYPE"),
    (b"<name>Ada</name>", "text/xml", 415, "UNSUPPORTED_MEDIA_TYPE"),
    (b'{"name": "Ada"}', "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
]


def test_every_call_that_takes_a_body_refuses_bad_ones_and_changes_nothing(stack: Stack, game: Game) -> None:
    """Whatever calls there are: those that the API's own document says take a body."""
    host = Person(stack.url, "Hana")
    table = host.open({"kind": "me"}, {"kind": "open"})
    before = host.get(f"/v1/tables/{table}").json()
    paths = host.get("/openapi.json").json()["paths"]
    calls = [
        (method, path.replace("{table}", table).replace("{seat}", "1"))
        for path, operations in paths.items()
        for method, operation in operations.items()
        if "requestBody" in operation
    ]
    assert len(calls) >= 5
    for method, path in calls:
        for content, kind, status, reason in BAD_BODIES:
            problem(host.request(method, path, content=content, headers={"Content-Type": kind}), status, reason)
    assert host.get(f"/v1/tables/{table}").json() == before
    assert len(host.get("/v1/tables?mine=true").json()["tables"]) == 1


def next_error(live: ClientConnection) -> dict[str, Any]:
    """Presence comes before it, when it likes."""
    while "error" not in (told := json.loads(live.recv())):
        pass
    error: dict[str, Any] = told["error"]
    return error


def test_a_socket_refuses_bad_messages_too_and_stays_open(game: Game) -> None:
    with game.actor.socket(game.table) as live:
        for content, _, status, reason in BAD_BODIES:
            if status not in (413, 415):
                live.send(content)
                assert next_error(live)["reason"] == reason
        live.send(b" " * 65537)
        with pytest.raises(ConnectionClosed) as closed:
            next_error(live)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b"])
def test_a_bad_name_is_refused(stack: Stack, name: str) -> None:
    problem(httpx.post(f"{stack.url}/v1/players", json={"name": name}), 422, "BAD_NAME")


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("GET", "/nowhere", 404, "UNKNOWN_ROUTE"),
        ("GET", "/v1/tables/", 404, "UNKNOWN_ROUTE"),
        ("GET", "/v1/tables/t_none", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/tables/%ff%00", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/tables/t_none/view", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/tables/t_none/log", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/tables/t_none/replay", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/tables/t_none/events", 404, "UNKNOWN_TABLE"),
        ("POST", "/v1/tables/t_none/start", 404, "UNKNOWN_TABLE"),
        ("DELETE", "/v1/tables/t_none/seats/0", 404, "UNKNOWN_TABLE"),
        ("GET", "/v1/games/chess", 404, "UNKNOWN_GAME"),
        ("GET", "/v1/games/chess/components", 404, "UNKNOWN_GAME"),
        ("GET", "/v1/players/p_none", 404, "UNKNOWN_PLAYER"),
        ("GET", "/v1/tables?limit=0", 422, "INVALID_REQUEST"),
        ("GET", "/v1/tables?limit=many", 422, "INVALID_REQUEST"),
        ("GET", "/v1/tables?status=lost", 422, "INVALID_REQUEST"),
        ("GET", "/v1/tables?cursor=nonsense", 422, "BAD_PAGE"),
        ("GET", "/v1/tables/t_none/log?after=-1", 422, "INVALID_REQUEST"),
        ("GET", "/v1/tables/t_none/events?after=99999999999999999999", 422, "INVALID_REQUEST"),
        ("DELETE", "/v1/tables/t_none/seats/one", 422, "INVALID_REQUEST"),
        ("DELETE", "/v1/tables/t_none/seats/-1", 422, "INVALID_REQUEST"),
    ],
)
def test_what_is_not_there_is_not_found(game: Game, method: str, path: str, status: int, reason: str) -> None:
    problem(game.stranger.request(method, path), status, reason)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/tables", "GET, POST"),
        ("PATCH", "/v1/tables/t_x/seats/0", "DELETE, PUT"),
        ("POST", "/v1/games", "GET"),
        ("GET", "/v1/tables/t_x/actions", "POST"),
    ],
)
def test_another_method_is_told_which_are_allowed(stack: Stack, method: str, path: str, allowed: str) -> None:
    answer = httpx.request(method, stack.url + path)
    problem(answer, 405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"] == allowed


def test_only_the_host_seats_bots_and_begins(stack: Stack, game: Game) -> None:
    ada, eve = game.actor, game.stranger
    table = f"/v1/tables/{ada.open({'kind': 'me'}, {'kind': 'open'})}"
    problem(eve.put(f"{table}/seats/1", json={"kind": "bot", "bot": "random"}), 403, "NOT_HOST")
    problem(eve.post(f"{table}/start"), 403, "NOT_HOST")
    problem(ada.post(f"{table}/start"), 409, "SEATS_OPEN")
    problem(ada.post(f"{table}/seats"), 409, "ALREADY_SEATED")
    problem(eve.post(f"{table}/seats", json={"seat": 0}), 409, "SEAT_TAKEN")
    problem(eve.post(f"{table}/seats", json={"seat": 7}), 422, "BAD_SEATS")
    problem(eve.post(f"{table}/seats", json={"chair": 1}), 422, "INVALID_REQUEST")
    problem(eve.delete(f"{table}/seats/0"), 403, "NOT_SEATED")
    problem(ada.put(f"{table}/seats/1", json={"kind": "me"}), 422, "INVALID_REQUEST")
    problem(ada.act(table.rpartition("/")[2], 1, {}), 409, "NOT_PLAYING")


def test_nobody_sits_down_once_the_game_has_begun(game: Game) -> None:
    problem(game.stranger.post(f"/v1/tables/{game.table}/seats"), 409, "NOT_OPEN")
    problem(game.people[0].post(f"/v1/tables/{game.table}/start"), 409, "NOT_OPEN")
    problem(game.people[0].delete(f"/v1/tables/{game.table}/seats/1"), 403, "NOT_SEATED")


def test_only_a_player_has_tables(stack: Stack) -> None:
    problem(httpx.get(f"{stack.url}/v1/tables?mine=true"), 401, "TOKEN_NEEDED")
