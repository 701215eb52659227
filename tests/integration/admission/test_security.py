"""The OWASP API Security Top 10 of 2023, point by point; docs/security.md has the table. What these tests call is what
anybody can call."""

import base64
import json
import re
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from deploy.stack import Stack
from gateway.app import make_app
from services.platform.contracts import CONTRACTS, OPERATORS
from services.platform.settings import Settings
from tests.support.admin import Application
from tests.support.people import GAME, Person, begin, problem, socket
from tests.support.processes import gateway

ROOT = Path(__file__).resolve().parents[3]
KEY = r"tea_[\w-]{43}"
SEATS = [{"kind": "me"}, {"kind": "open"}]


@pytest.fixture
def eve(stack: Stack) -> Person:
    """A player with a good token who tries everything."""
    return Person(stack.url, "Eve")


def test_api1_a_strangers_table_is_neither_seen_nor_changed(stack: Stack, eve: Person) -> None:
    """Broken object level authorization: ids of others' tables, seats and players."""
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    path = f"/v1/tables/{table}"
    code = ada.get(path).json()["join_code"]
    assert bob.post(f"{path}/seats", json={"join_code": code}).is_success
    assert ada.post(f"{path}/start").is_success
    before = [ada.get(path).json(), ada.view(table), bob.view(table)]
    for suffix in ("", "/view", "/log", "/replay", "/events"):
        problem(eve.get(path + suffix), 403, "WRONG_CODE")
    view = before[1]
    problem(eve.act(table, view["version"], {}), 403, "NOT_SEATED")
    problem(eve.post(f"{path}/start"), 403, "NOT_HOST")
    problem(eve.put(f"{path}/seats/1", json={"kind": "open"}), 403, "NOT_HOST")
    problem(eve.delete(f"{path}/seats/0"), 403, "NOT_SEATED")
    assert table not in eve.get("/v1/tables", params={"limit": 100}).text
    assert eve.get("/v1/tables?mine=true").json()["tables"] == []
    assert [ada.get(path).json(), ada.view(table), bob.view(table)] == before


def test_api1_a_seat_sees_what_it_may_see_and_no_more(stack: Stack, eve: Person) -> None:
    """The same of hidden information: the view follows from the token, and nothing in the request changes it."""
    table, ada, bob = begin(stack.url)
    views = [person.view(table)["view"] for person in (ada, bob, eve)]
    assert len({json.dumps(view) for view in views}) == 3
    for trick in ({"seat": 0}, {"caller": ada.id}, {"player": ada.id}, {"token": ada.token}):
        problem(eve.get(f"/v1/tables/{table}/view", params=trick), 422, "INVALID_REQUEST")
    for header in ("X-Player", "X-Caller", "X-User"):
        assert eve.get(f"/v1/tables/{table}/view", headers={header: ada.id}).json()["view"] == views[2]


def forgeries(token: str) -> list[str]:
    """What may be tried with a token: more time, another player, another generation, no signature, another scheme."""
    player, expires, generation, signature = token.split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    return [
        f"{player}.{int(expires) + 10**6}.{generation}.{signature}",
        f"p_{'a' * 14}.{expires}.{generation}.{signature}",
        f"{player}.{expires}.{int(generation) + 1}.{signature}",
        f"{player}.{expires}.{generation}.",
        f"{player}.{expires}.{generation}",
        f"{player}.{expires}.{signature}",
        f"{none}.{base64.urlsafe_b64encode(player.encode()).decode()}.",
        player,
    ]


def test_api2_a_token_cannot_be_forged_and_ends(stack: Stack, eve: Person) -> None:
    """Broken authentication."""
    with httpx.Client(base_url=stack.url, timeout=20) as anyone:
        for forged in forgeries(eve.token):
            answer = anyone.get("/v1/players/me", headers={"Authorization": f"Bearer {forged}"})
            problem(answer, 401, "BAD_TOKEN")
        refused = anyone.get("/v1/players/me", params={"token": eve.token})
        problem(refused, 422, "INVALID_REQUEST")
        assert eve.token not in refused.text
        problem(anyone.get("/v1/players/me", headers={"Cookie": f"token={eve.token}"}), 401, "TOKEN_NEEDED")
    expires = int(eve.token.split(".")[1])
    assert time.time() < expires < time.time() + 91 * 86400


def test_api2_secrets_are_not_kept_where_they_could_be_read(stack: Stack, eve: Person) -> None:
    """Tokens are signed, not stored; keys are stored as hashes; neither is in an answer that others get."""
    application = Application(stack)
    application.player()
    with Redis.from_url(stack.redis_url) as store:
        stored = b"\n".join(everything(store))
    assert sha256(application.key.encode()).hexdigest().encode() in stored and eve.id.encode() in stored
    # As whoever looks for secrets would find one; "tea_garden" is a game.
    assert re.fullmatch(KEY, application.key) and not re.search(KEY.encode(), stored)
    assert application.key.removeprefix("tea_").encode() not in stored
    assert eve.token.encode() not in stored
    assert eve.token not in httpx.get(f"{stack.url}/v1/players/{eve.id}").text
    made = eve.post("/v1/players/me/token")
    assert made.headers["cache-control"] == "no-store"


def everything(store: Any) -> Iterator[bytes]:
    """All that is in Redis: names, fields and values."""
    reads = {b"string": "GET", b"hash": "HGETALL", b"set": "SMEMBERS", b"zset": "ZRANGE", b"list": "LRANGE"}
    for name in store.scan_iter(count=1000):
        kind = store.type(name)
        yield name
        if kind == b"stream":
            yield from (part for _, fields in store.xrange(name) for pair in fields.items() for part in pair)
        elif kind != b"none":  # gone meanwhile
            bounds = (0, -1) if kind in (b"zset", b"list") else ()
            found = store.execute_command(reads[kind], name, *bounds) or []
            parts = [found] if isinstance(found, bytes) else found.items() if isinstance(found, dict) else found
            yield from (part for each in parts for part in (each if isinstance(each, tuple) else (each,)))


@pytest.mark.parametrize(
    "field",
    ["id", "host", "status", "join_code", "seed", "seed_hash", "version", "rules_version", "created_at", "outcome"],
)
def test_api3_properties_that_are_not_the_clients_are_refused(eve: Person, field: str) -> None:
    """Broken object property level authorization: mass assignment."""
    problem(eve.post("/v1/tables", json={"game": GAME, "seats": SEATS, field: "x"}), 422, "INVALID_REQUEST")
    assert eve.get("/v1/tables?mine=true").json()["tables"] == []


def test_api3_an_answer_shows_what_its_reader_may_know(stack: Stack, eve: Person) -> None:
    """The same, reading: no seed before the end, no join code for strangers, nothing of an account but the name."""
    made = httpx.post(f"{stack.url}/v1/players", json={"name": "Eve", "id": "p_x"})
    problem(made, 422, "INVALID_REQUEST")
    ada = Person(stack.url, "Ada")
    table = ada.open(*SEATS, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    seen = eve.get(f"/v1/tables/{table}", params={"join_code": code}).json()
    assert seen["join_code"] is None
    assert "seed" not in seen
    player = eve.get(f"/v1/players/{ada.id}").json()
    assert not {"token", "application", "generation", "expires_at"} & player.keys()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/tables?limit=101", 422),
        ("GET", "/v1/tables?limit=1000000000", 422),
        ("GET", "/v1/tables/t_none/log?limit=501", 422),
        ("POST", "/v1/players", 413),
    ],
)
def test_api4_nobody_asks_for_more_than_an_answer_may_cost(eve: Person, method: str, path: str, status: int) -> None:
    """Unrestricted resource consumption. Rates and open streams: test_limits.py. Bodies: gateway/test_errors.py."""
    body = b"x" * 70_000 if method == "POST" else None
    assert eve.request(method, path, content=body).status_code == status


def test_api4_limits_are_on_by_default(stack: Stack, eve: Person) -> None:
    settings = Settings()
    rates = {name: value for name, value in vars(settings).items() if name.startswith("limit_")}
    assert len(rates) == 6
    assert all(requests > 0 for requests, _ in rates.values())
    assert settings.open_limit > 0
    assert '"player";q=' in eve.get("/v1/players/me").headers["ratelimit-policy"]


def test_api5_what_operators_and_services_do_cannot_be_reached_from_outside(stack: Stack, eve: Person) -> None:
    """Broken function level authorization: methods of the contracts that no route leads to."""
    application = Application(stack)
    methods = [method.full_name for contract in (*CONTRACTS, OPERATORS) for method in contract.methods]
    assert "teahouse.v1.Accounts.CreateKey" in methods
    for name in methods:
        service, _, method = name.rpartition(".")
        for client in (eve, application):
            answer = client.post(f"/{service}/{method}", content=b"", headers={"Content-Type": "application/grpc"})
            problem(answer, 404, "UNKNOWN_ROUTE")
    for path in ("/v1/keys", "/v1/admin", "/admin", "/v1/applications", "/debug", "/.env", "/v1/../admin"):
        assert eve.get(path).status_code == 404


def test_api5_a_key_is_no_operator_and_no_player(stack: Stack) -> None:
    """A function needs the right scope and a player; a host's functions need the host."""
    reader = Application(stack, "--scopes", "read")
    problem(reader.post("/v1/players", json={"name": "Ada"}), 403, "SCOPE_MISSING")
    problem(reader.post("/v1/tables", json={"game": GAME, "seats": SEATS}), 403, "SCOPE_MISSING")
    problem(Application(stack).post("/v1/tables", json={"game": GAME, "seats": SEATS}), 401, "TOKEN_NEEDED")


def test_api6_what_a_flood_would_spoil_is_counted_apart(stack: Stack) -> None:
    """Unrestricted access to sensitive business flows: making players, opening tables, guessing join codes."""
    limits = {"limit_new_players": "2/36000", "limit_tables": "1/36000", "limit_codes": "1/36000", "proxy_hops": "1"}
    with gateway(stack, **limits) as url, httpx.Client(base_url=url, headers={"X-Forwarded-For": "10.9.9.9"}) as flood:
        made = [flood.post("/v1/players", json={"name": "Eve"}) for _ in range(3)]
        assert [answer.status_code for answer in made] == [201, 201, 429]
        flood.headers["Authorization"] = f"Bearer {made[0].json()['token']}"
        table = {"game": GAME, "seats": SEATS, "visibility": "private"}
        opened = [flood.post("/v1/tables", json=table) for _ in range(2)]
        assert [answer.status_code for answer in opened] == [201, 429]
        flood.headers["Authorization"] = f"Bearer {made[1].json()['token']}"
        guesses = [
            flood.get(f"/v1/tables/{opened[0].json()['id']}", params={"join_code": f"aaaaa{number}"})
            for number in range(2, 6)
        ]
        assert [guess.status_code for guess in guesses] == [403, 429, 429, 429]


def test_api7_nothing_but_a_webhook_makes_the_server_call_an_address(eve: Person) -> None:
    """Server side request forgery. Addresses of webhooks are checked in test_webhooks.py; no other call takes
    one."""
    document = eve.get("/openapi.json").json()
    addresses = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, shape in schema.get("properties", {}).items()
        if re.search(r"(^|_)(ur[il]|callback|endpoint|href)s?(_|$)", field)
        or shape.get("format") in ("uri", "url", "hostname")
    ]
    assert {each for each in addresses if "webhook" in each.lower()}, "nothing would be found"
    assert [each for each in addresses if "webhook" not in each.lower()] == []


def test_api8_answers_carry_the_headers_that_keep_them_safe(stack: Stack, eve: Person) -> None:
    """Security misconfiguration."""
    answers = [
        eve.get("/v1/players/me"),
        eve.get("/v1/nowhere"),
        eve.post("/v1/tables", content=b"{"),
        eve.get("/docs"),
        eve.get("/healthz"),
        httpx.get(f"{stack.url}/v1/players/me"),
    ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert not {"server", "x-powered-by", "set-cookie"} & set(answer.headers)
        if answer.request.url.path.startswith("/v1/"):
            assert answer.headers["cache-control"] == "no-store"


def test_api8_any_origin_may_call_but_none_gets_a_browsers_credentials(stack: Stack) -> None:
    ask = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (
        httpx.options(f"{stack.url}/v1/players", headers=ask),
        httpx.get(f"{stack.url}/v1/games", headers=ask),
    ):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "DEBUG"])
def test_api8_other_methods_do_nothing(eve: Person, method: str) -> None:
    assert eve.request(method, "/v1/players/me").status_code in (400, 404, 405)


def test_api8_an_error_tells_nothing_of_the_inside(eve: Person) -> None:
    for answer in (
        eve.get("/v1/tables/%00%ff"),
        eve.get("/v1/players/" + "x" * 3000),
        eve.post("/v1/tables", json={"game": "../../etc/passwd", "seats": SEATS}),
        eve.get("/v1/games/{p:x}:account"),
        eve.get("/v1/games/..%2f..%2fetc%2fpasswd"),
    ):
        assert 400 <= answer.status_code < 500
        assert not re.search(r"Traceback|File \"|grpc|redis|127\.0\.0\.1|/services/|\.py", answer.text, re.IGNORECASE)


def test_api9_every_route_is_in_the_document_and_under_one_version() -> None:
    """Improper inventory management."""
    app = make_app(Settings())
    documented = set(app.openapi()["paths"])
    served = {getattr(route, "path", "") for route in walk(app.routes)}
    # Of the whole API, the socket is the one thing that OpenAPI cannot describe.
    undocumented = {path for path in served - documented if path.startswith("/v1")}
    assert undocumented == {"/v1/tables/{table}/socket"}
    assert {path.split("/")[1] for path in documented if path not in ("/healthz", "/readyz", "/metrics")} <= {
        "v1",
        "problems",
    }


def walk(routes: Any) -> list[Any]:
    """Routes, and those inside included routers."""
    found: list[Any] = []
    for route in routes:
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        found += walk(inner) if inner else [route]
    return found


def test_api9_the_table_of_this_page_names_tests_that_are_there() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    here = Path(__file__).read_text()
    for point in range(1, 11):
        assert re.search(rf"^\| API{point}:2023 ", page, re.MULTILINE), point
        assert f"def test_api{point}_" in here
    named = re.findall(r"`(\w+/test_\w+\.py)`: `(test_\w+)`", page)
    assert len(named) == page.count("`: `test_") >= 10
    for file, test in named:
        assert f"def {test}" in (ROOT / "tests" / "integration" / file).read_text(), test


def test_api10_what_others_say_of_a_request_is_not_believed(stack: Stack, eve: Person) -> None:
    """Unsafe consumption of APIs: headers of unknown proxies, and payloads that only pass through."""
    lies = {
        "Host": "evil.example",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "javascript",
        "X-Forwarded-For": "6.6.8.1",
        "X-Original-URL": "/metrics",
        "X-HTTP-Method-Override": "DELETE",
    }
    answer = eve.post("/v1/tables", json={"game": GAME, "seats": SEATS}, headers=lies)
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/v1/tables/{answer.json()['id']}"
    assert "evil" not in answer.text + str(answer.headers)
    # Who has no token is counted by the address.
    assert httpx.get(f"{stack.url}/v1/games", headers=lies).status_code == 200
    with Redis.from_url(stack.redis_url) as store:
        assert store.exists("{limit:address:127.0.0.1}")
        assert not store.exists("{limit:address:6.6.8.1}")


def test_api10_what_a_client_sends_through_reaches_the_rules_as_data(stack: Stack) -> None:
    """Options and actions pass through unread; the rules service takes what fits its schema and refuses the rest."""
    table, *people = begin(stack.url)
    actor = people[people[0].view(table)["actor"]]
    before = actor.view(table)
    payloads: list[Any] = [{"__class__": "x"}, {"a": {"$ref": "http://evil.example"}}, "' OR 1=1 --", [[]]]
    for payload in payloads:
        problem(actor.act(table, before["version"], payload), 422, "MALFORMED_ACTION")
        options = actor.post("/v1/tables", json={"game": GAME, "seats": SEATS, "options": payload})
        problem(options, 422, "BAD_OPTIONS")
    with socket(stack.url, table, token=actor.token) as live:
        assert json.loads(live.recv())["snapshot"] == before
