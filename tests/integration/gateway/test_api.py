"""The API from the first call to the replay, over real processes."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from deploy.stack import Stack
from services.engine.verify import verify
from tests.support.people import GAME, Person, begin, play_on, problem


@pytest.fixture
def ada(stack: Stack) -> Person:
    return Person(stack.url, "Ada")


@pytest.fixture
def anyone(stack: Stack) -> Iterator[httpx.Client]:
    """Without a token."""
    with httpx.Client(base_url=stack.url, timeout=20) as client:
        yield client


def test_a_player_sees_itself_and_others_see_its_name_but_not_its_token(ada: Person, anyone: httpx.Client) -> None:
    me = ada.get("/v1/players/me").json()
    assert (me["id"], me["name"]) == (ada.id, "Ada")
    seen = anyone.get(f"/v1/players/{ada.id}")
    assert seen.json() == me
    assert ada.token not in seen.text


def test_games_come_with_schemas_texts_and_components(anyone: httpx.Client) -> None:
    games = anyone.get("/v1/games").json()["games"]
    (summary,) = [game for game in games if game["id"] == GAME]
    assert summary["seats"] == {"min": 2, "max": 2}
    assert {"en", "pl"} <= summary["title"].keys()
    game = anyone.get(f"/v1/games/{GAME}").json()
    assert summary.items() <= game.items()
    for schema in (game["options"], *game["schemas"].values()):
        jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({}, game["options"])
    assert {"en", "pl"} <= game["texts"].keys()
    assert anyone.get(f"/v1/games/{GAME}/components").json()


@pytest.mark.parametrize("path", ["/v1/games", f"/v1/games/{GAME}", f"/v1/games/{GAME}/components"])
def test_what_has_not_changed_is_not_sent_again(stack: Stack, anyone: httpx.Client, path: str) -> None:
    tag = anyone.get(path).headers["etag"]
    assert {anyone.get(f"{url}{path}").headers["etag"] for url in stack.urls} == {tag}
    again = anyone.get(path, headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert anyone.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_view_is_not_sent_again_until_somebody_acts(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    path = f"/v1/tables/{table}/view"
    condition = {"If-None-Match": ada.get(path).headers["etag"]}
    assert ada.get(path, headers=condition).status_code == 304
    play_on(table, ada, bob, moves=1)
    assert ada.get(path, headers=condition).status_code == 200


def test_seats_are_taken_left_given_to_bots_and_opened_again(stack: Stack, ada: Person) -> None:
    table = ada.open({"kind": "me"}, {"kind": "open"})
    seats = f"/v1/tables/{table}/seats"
    bob = Person(stack.url, "Bob")
    taken = bob.post(seats, json={"seat": 1}).json()
    assert taken["seats"][1] == {"seat": 1, "kind": "player", "player": {"id": bob.id, "name": "Bob"}}
    assert bob.delete(f"{seats}/1").json()["seats"][1] == {"seat": 1, "kind": "open"}
    seated = ada.put(f"{seats}/1", json={"kind": "bot", "bot": "random"}).json()
    assert seated["seats"][1] == {"seat": 1, "kind": "bot", "bot": "random"}
    assert ada.put(f"{seats}/1", json={"kind": "open"}).json()["seats"][1]["kind"] == "open"
    assert ada.delete(f"{seats}/0").json()["status"] == "closed"


def test_the_list_shows_public_tables_page_by_page(ada: Person, anyone: httpx.Client) -> None:
    opened = {ada.open({"kind": "me"}, {"kind": "open"}) for _ in range(3)}
    hidden = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    assert {row["id"] for row in pages(ada, mine=True, limit=2)} == {*opened, hidden}
    rows = pages(anyone, game=GAME, status="open", limit=2)
    found = [row["id"] for row in rows]
    assert opened <= set(found)
    assert hidden not in found
    assert len(found) == len(set(found))
    assert all(row["status"] == "open" and row["game"] == GAME for row in rows)


def pages(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        page = client.get("/v1/tables", params=query).json()
        rows += page["tables"]
        if page["next_cursor"] is None:
            return rows
        query["cursor"] = page["next_cursor"]


def test_a_private_table_opens_with_its_code_only(stack: Stack, ada: Person, anyone: httpx.Client) -> None:
    table = f"/v1/tables/{ada.open({'kind': 'me'}, {'kind': 'open'}, visibility='private')}"
    code = ada.get(table).json()["join_code"]
    problem(anyone.get(table), 403, "WRONG_CODE")
    problem(anyone.get(f"{table}/view"), 403, "WRONG_CODE")
    problem(anyone.get(f"{table}/events"), 403, "WRONG_CODE")
    assert anyone.get(table, params={"join_code": code}).json()["join_code"] is None
    assert anyone.get(f"{table}/view", headers={"X-Join-Code": code}).status_code == 200
    bob = Person(stack.url, "Bob")
    problem(bob.post(f"{table}/seats", json={"join_code": "wrong"}), 403, "WRONG_CODE")
    assert bob.post(f"{table}/seats", json={"join_code": code}).json()["seats"][1]["kind"] == "player"
    assert bob.get(table).json()["join_code"] == code


def test_a_whole_game_its_log_and_a_replay_that_can_be_checked(stack: Stack, anyone: httpx.Client) -> None:
    table, ada, bob = begin(stack.url)
    promised = ada.get(f"/v1/tables/{table}").json()["seed_hash"]
    problem(ada.get(f"/v1/tables/{table}/replay"), 409, "NOT_FINISHED")
    last = play_on(table, ada, bob)
    assert last["status"] == "finished"
    assert {"breakdown", "places", "scores"} <= last["outcome"].keys()
    assert anyone.get(f"/v1/tables/{table}").json()["outcome"] == last["outcome"]
    replay = anyone.get(f"/v1/tables/{table}/replay").json()
    assert replay["game"] == GAME
    assert replay["seats"] == ["player", "player"]
    assert [seat["player"]["name"] for seat in replay["players"]] == ["Ada", "Bob"]
    assert replay["outcome"] == last["outcome"]
    assert replay["seed_hash"] == promised
    assert verify(replay).startswith("true: ")
    lines = read_log(ada, table)
    assert [line["version"] for line in lines] == list(range(1, last["version"] + 1))
    assert len([line for line in lines if line["seat"] is not None]) == len(replay["actions"])


def read_log(client: httpx.Client, table: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    while True:
        page = client.get(f"/v1/tables/{table}/log", params={"after": len(lines), "limit": 7}).json()
        lines += page["lines"]
        if len(lines) == page["version"]:
            return lines


def test_a_bot_answers_by_itself(ada: Person) -> None:
    table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "greedy"})
    ada.post(f"/v1/tables/{table}/start")
    limit = time.monotonic() + 60
    while (position := ada.view(table))["status"] == "playing" and time.monotonic() < limit:
        if position["actor"] == 0:
            assert ada.act(table, position["version"], position["legal"][-1]).status_code == 200
        else:
            time.sleep(0.02)
    assert position["status"] == "finished"


def test_a_repeated_request_with_the_same_key_acts_once(stack: Stack) -> None:
    table, *people = begin(stack.url)
    actor = people[people[0].view(table)["actor"]]
    position = actor.view(table)
    headers = {"Idempotency-Key": "lost answer"}
    first, second = (actor.act(table, position["version"], position["legal"][0], **headers) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert actor.view(table)["version"] == position["version"] + 1


def test_what_is_answered_is_what_the_document_says(stack: Stack, anyone: httpx.Client) -> None:
    document = anyone.get("/openapi.json").json()
    table, ada, bob = begin(stack.url)
    play_on(table, ada, bob)
    paths = {
        "/v1/players/me": "/v1/players/me",
        "/v1/games": "/v1/games",
        "/v1/games/{game}": f"/v1/games/{GAME}",
        "/v1/games/{game}/components": f"/v1/games/{GAME}/components",
        "/v1/tables": "/v1/tables?mine=true",
        **{f"/v1/tables/{{table}}{part}": f"/v1/tables/{table}{part}" for part in ("", "/view", "/log", "/replay")},
    }
    for template, path in paths.items():
        response = document["paths"][template]["get"]["responses"]["200"]
        schema = response["content"]["application/json"]["schema"] | {"components": document["components"]}
        jsonschema.validate(ada.get(path).json(), schema)


def test_it_is_alive_ready_measured_and_documented(anyone: httpx.Client) -> None:
    assert anyone.get("/healthz").json() == anyone.get("/readyz").json() == {"status": "ok"}
    assert anyone.get("/docs").status_code == 200
    figures = anyone.get("/metrics").text
    for name in ("teahouse_http_requests_total", "teahouse_http_seconds", "teahouse_open_streams"):
        assert name in figures
    assert 'route="/healthz"' in figures
    assert "teahouse_gateway_moves_total" in figures


def test_any_web_page_may_call(anyone: httpx.Client) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "PUT"}
    allowed = anyone.options("/v1/tables/t_x/seats/1", headers=asked)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "*")
