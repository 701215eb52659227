"""Keys of client applications and tokens of players: made, used, limited, made void, and never written down."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from deploy.stack import Stack
from tests.support.admin import Application, admin
from tests.support.people import GAME, Person, begin, play_on, problem, socket
from tests.support.processes import gateway
from tests.support.waiting import until

SEATS = [{"kind": "me"}, {"kind": "open"}]


@pytest.fixture(scope="module")
def application(stack: Stack) -> Application:
    return Application(stack)


@pytest.fixture(scope="module")
def copy(stack: Stack) -> Iterator[str]:
    """Another gateway, with heartbeats that a test can wait for and logs that tell all."""
    with gateway(stack, heartbeat="1", log_level="DEBUG") as url:
        yield url


def as_player(application: Application, player: str) -> httpx.Client:
    return httpx.Client(base_url=application.base_url, headers={**application.headers, "X-Player": player}, timeout=20)


def token_of(answer: httpx.Response) -> dict[str, str]:
    assert answer.is_success, answer.text
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def closing_code(live: ClientConnection) -> int | None:
    try:
        while True:
            live.recv(timeout=60)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def test_a_key_is_printed_once_listed_without_itself_and_kept_as_a_hash(stack: Stack) -> None:
    application = Application(stack, "--scopes", "read", "--limit", "77/60")
    assert application.key.startswith("tea_")
    listed = admin(stack, "keys", "list").stdout
    (line,) = [line for line in listed.splitlines() if line.startswith(application.key_id)]
    assert "limit 77/60  read  A chess site" in line
    assert application.key not in listed
    written = b"".join(file.read_bytes() for file in (stack.data / "redis").rglob("*") if file.is_file())
    assert hashlib.sha256(application.key.encode()).hexdigest().encode() in written
    assert application.key.encode() not in written


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["create", "x", "--scopes", "read,rule"], "BAD_SCOPE"),
        (["create", "x", "--limit", "5/0"], "BAD_LIMIT"),
        (["create", "x", "--application", "a_none"], "UNKNOWN_APPLICATION"),
        (["revoke", "k_none"], "UNKNOWN_KEY"),
    ],
)
def test_the_operator_is_told_what_was_wrong(stack: Stack, arguments: list[str], reason: str) -> None:
    answer = admin(stack, "keys", *arguments)
    assert answer.returncode == 1
    assert answer.stderr.startswith(reason)
    assert answer.stdout == ""


def test_an_application_plays_a_game_for_two_players_of_its_own(application: Application) -> None:
    ada, bob = (as_player(application, application.player(name)) for name in ("Ada", "Bob"))
    table = ada.post("/v1/tables", json={"game": GAME, "seats": SEATS}).json()["id"]
    assert bob.post(f"/v1/tables/{table}/seats").json()["seats"][1]["player"]["name"] == "Bob"
    assert ada.post(f"/v1/tables/{table}/start").json()["status"] == "playing"
    position = ada.get(f"/v1/tables/{table}/view").json()
    actor = (ada, bob)[position["actor"]]
    view = actor.get(f"/v1/tables/{table}/view").json()
    move = {"version": view["version"], "action": view["legal"][0]}
    assert actor.post(f"/v1/tables/{table}/actions", json=move).json()["version"] == view["version"] + 1
    address = str(application.base_url.join(f"/v1/tables/{table}/socket")).replace("http", "ws", 1)
    headers = {name: actor.headers[name] for name in ("X-API-Key", "X-Player")}
    with connect(address, additional_headers=headers) as live:
        assert json.loads(live.recv())["snapshot"]["seat"] == view["seat"]


def test_an_application_gets_tokens_for_its_own_players_only(stack: Stack, application: Application) -> None:
    own, other = application.player(), Application(stack)
    fresh = token_of(application.post(f"/v1/players/{own}/token"))
    assert httpx.get(f"{stack.url}/v1/players/me", headers=fresh).json()["id"] == own
    stranger = Person(stack.url, "Eve")
    for player in (other.player(), stranger.id, "p_none"):
        problem(application.post(f"/v1/players/{player}/token"), 403, "NOT_YOUR_PLAYER")
        problem(as_player(application, player).get("/v1/players/me"), 403, "NOT_YOUR_PLAYER")
    problem(stranger.post(f"/v1/players/{own}/token"), 401, "KEY_NEEDED")
    problem(stranger.get("/v1/players/me", headers={"X-API-Key": "tea_wrong"}), 401, "BAD_KEY")
    assert stranger.get("/v1/players/me", headers={"X-Player": own}).json()["id"] == stranger.id


def test_another_key_of_an_application_has_the_same_players(stack: Stack, application: Application) -> None:
    player = application.player()
    successor = Application(stack, "--application", application.id)
    assert successor.id == application.id
    assert successor.key != application.key
    assert token_of(successor.post(f"/v1/players/{player}/token"))


def test_a_key_does_what_its_scopes_allow_and_nothing_else(stack: Stack, application: Application) -> None:
    player = application.player()
    allowed = {"read": ["GET /v1/games", "GET /v1/players/me"], "players": ["POST /v1/players"]}
    allowed |= {"play": ["POST /v1/tables", "DELETE /v1/players/me/tokens"]}
    for scope in allowed:
        narrow = as_player(Application(stack, "--scopes", scope, "--application", application.id), player)
        for other, calls in allowed.items():
            for method, path in (call.split() for call in calls):
                body = {"name": "Ada"} if path == "/v1/players" else {"game": GAME, "seats": SEATS}
                answer = narrow.request(method, path, json=body if method == "POST" else None)
                if scope == other:
                    assert answer.is_success, answer.text
                else:
                    assert other in problem(answer, 403, "SCOPE_MISSING")["detail"]


def test_the_openapi_document_names_the_scope_of_every_call(stack: Stack) -> None:
    document = httpx.get(f"{stack.url}/openapi.json").json()
    assert document["components"]["securitySchemes"]["api_key"]["name"] == "X-API-Key"
    for path, operations in document["paths"].items():
        for operation in operations.values():
            scopes = [each["api_key"] for each in operation.get("security", []) if "api_key" in each]
            assert len(scopes) == path.startswith("/v1/"), path
            assert all(scope in (["read"], ["players"], ["play"]) for scope in scopes)


def test_a_key_has_its_own_limit(stack: Stack) -> None:
    application = Application(stack, "--limit", "5/3600")
    answers = [application.get("/v1/games") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert answers[0].headers["ratelimit-policy"] == '"application";q=5;w=3600'
    assert httpx.get(f"{stack.url}/v1/games").status_code == 200


def test_a_revoked_key_stops_working_on_every_gateway(stack: Stack, copy: str) -> None:
    application = Application(stack)
    urls = [f"{url}/v1/games" for url in (stack.url, copy)]
    assert [application.get(url).status_code for url in urls] == [200, 200]
    assert "revoked" in admin(stack, "keys", "revoke", application.key_id).stdout
    for url in urls:
        until(lambda url=url: application.get(url).status_code == 401)  # type: ignore[misc]
        problem(application.get(url), 401, "BAD_KEY")
    assert admin(stack, "keys", "revoke", application.key_id).returncode == 0


def refusal(connection: ClientConnection) -> str:
    """The reason of the next error; presence comes too."""
    while True:
        message = json.loads(connection.recv(timeout=20))
        if "error" in message:
            return str(message["error"]["reason"])


def test_a_token_is_refreshed_and_the_old_one_stays_good(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    answer = ada.post("/v1/players/me/token")
    assert answer.json().keys() == {"id", "name", "created_at", "token", "expires_at", "bot_account"}
    assert answer.headers["cache-control"] == "no-store"
    assert httpx.get(f"{stack.url}/v1/players/me", headers=token_of(answer)).json()["id"] == ada.id
    assert ada.get("/v1/players/me").json()["id"] == ada.id


def test_void_tokens_stop_working_on_every_gateway_and_so_do_their_streams(stack: Stack, copy: str) -> None:
    table, ada, bob = begin(stack.url)
    urls = [f"{url}/v1/players/me" for url in (stack.url, copy)]
    assert [ada.get(url).status_code for url in urls] == [200, 200]
    with (
        socket(copy, table, token=ada.token) as live,
        socket(copy, table, token=bob.token) as other,
        socket(stack.url, table, token=ada.token) as acting,
        connect(f"{copy.replace('http', 'ws', 1)}/v1/tables/{table}/socket?%74oken={ada.token}") as disguised,
        ada.stream("GET", f"{copy}/v1/tables/{table}/events") as events,
    ):
        live.recv(), other.recv(), acting.recv(), disguised.recv()
        only = token_of(ada.delete("/v1/players/me/tokens"))
        for url in urls:
            until(lambda url=url: ada.get(url).status_code == 401)  # type: ignore[misc]
            problem(ada.get(url), 401, "BAD_TOKEN")
            assert httpx.get(url, headers=only).json()["id"] == ada.id
        for number in range(2):
            acting.send(json.dumps({"act": {"id": number, "version": 1, "action": {}}}))
            assert refusal(acting) == "BAD_TOKEN"
        assert closing_code(live) == closing_code(disguised) == 1008
        assert "event: snapshot" in list(events.iter_lines())
        other.send("{}")
        assert refusal(other) == "INVALID_REQUEST"
    refused = httpx.get(f"{copy}/v1/tables/{table}/events", params={"token": ada.token})
    problem(refused, 401, "BAD_TOKEN")


def test_nobody_writes_a_key_or_a_token_into_a_log(stack: Stack, copy: str, application: Application) -> None:
    """Of the whole run so far, whatever the tests before this one did."""
    table, ada, bob = begin(copy)
    secrets = [ada.token, bob.token, application.key, "tea_" + "x" * 43]
    with socket(copy, table, token=ada.token) as live:
        live.recv()
        live.send(json.dumps({"act": {"id": ada.token, "version": 1, "action": {"token": ada.token}}}))
        assert "error" in json.loads(live.recv())
    play_on(table, ada, bob, moves=2)
    for params in ({"token": ada.token}, {"token": ada.token[:-1] + "?"}, {"cursor": ada.token, "limit": ada.token}):
        for path in (f"/v1/tables/{table}/events", "/v1/tables", f"/nowhere/{ada.token}"):
            with httpx.stream("GET", copy + path, params=params, headers={"X-API-Key": secrets[3]}):
                pass
    httpx.post(f"{copy}/v1/players", content=ada.token, headers={"Content-Type": "application/json"})
    httpx.request(ada.token[:20], copy + "/v1/players")
    stack.kill("sessions")
    stack.kill("sessions-2")
    answer = httpx.get(f"{copy}/v1/players/me", headers={"Authorization": f"Bearer {bob.token[:-1]}x"}, timeout=60)
    problem(answer, 503, "UNAVAILABLE")
    stack.restart("sessions")
    stack.restart("sessions-2")
    assert stack.supervisor.output is not None
    log = Path(stack.supervisor.output.name).read_text()
    assert "listening" in log
    assert "DEBUG" in log
    for secret in secrets:
        assert secret not in log
        assert secret[-30:] not in log
