"""Whoever makes a mistake is told what would be right, in few words; what a call does not take is refused."""

from typing import Any

import httpx
import pytest

from deploy.stack import Stack
from tests.integration.gateway.conftest import JSON, Game
from tests.support.people import GAME, problem


@pytest.mark.parametrize(
    ("body", "field", "allowed"),
    [
        ({"game": GAME, "seats": [{"kind": "me"}], "visibility": "secret"}, "visibility", '"private", "public"'),
        ({"game": GAME, "seats": [{"kind": "king"}]}, "seats[0].kind", '"me", "open"'),
        ({"game": GAME, "seats": [{"kind": "me"}], "clock": {"kind": "sand"}}, "clock.kind", '"bank", "move", "none"'),
        (
            {"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}], "options": {"mode": "x"}},
            "options.mode",
            '"advanced", "basic", "harder"',
        ),
    ],
)
def test_a_choice_that_does_not_exist_is_told_those_that_do(game: Game, body: Any, field: str, allowed: str) -> None:
    (error,) = game.stranger.post("/v1/tables", json=body).json()["errors"]
    assert error["field"] == field
    assert allowed in error["message"]


def test_a_webhook_is_told_which_events_there_are(game: Game) -> None:
    body = {"url": "https://example.org/", "events": ["my_turn"]}
    (error,) = problem(game.actor.post("/v1/webhooks", json=body), 422, "INVALID_REQUEST")["errors"]
    assert error["field"] == "events[0]"
    assert '"your_turn"' in error["message"]


def test_an_action_is_told_what_is_wrong_with_which_field(game: Game) -> None:
    wrong = problem(game.actor.act(game.table, game.version, {"use": {"marker": "x"}}), 422, "MALFORMED_ACTION")
    assert wrong["errors"][0]["field"] == "action.use.marker"
    assert '"reveal"' in wrong["errors"][0]["message"]


def test_an_action_has_its_kind_once(game: Game) -> None:
    action = b'{"use": {"marker": "reveal"}, "use": {"marker": "reveal"}}'
    content = b'{"version": %d, "action": %b}' % (game.version, action)
    assert "twice" in problem(game.send(content), 422, "MALFORMED_ACTION")["detail"]


@pytest.mark.parametrize("path", ["/v1/games", "/v1/bots", f"/v1/leaderboards/{GAME}", "/v1/players/p_x"])
def test_a_wrong_token_is_refused_where_nobody_asks_for_one(stack: Stack, path: str) -> None:
    problem(httpx.get(stack.url + path, headers={"Authorization": "Bearer wrong"}), 401, "BAD_TOKEN")


def test_a_new_player_may_bring_a_token_that_is_no_longer_good(stack: Stack) -> None:
    wrong = {"Authorization": "Bearer wrong"}
    assert httpx.post(f"{stack.url}/v1/players", json={"name": "Ada"}, headers=wrong).status_code == 201


@pytest.mark.parametrize(
    ("path", "field", "known"),
    [
        ("/v1/tables?gme=x&limit=3", "gme", '"game", "status", "mine", "limit", "cursor"'),
        ("/v1/games?x", "x", "expected none"),
        ("/v1/tables/t_none/events?form=json", "form", '"after"'),
    ],
)
def test_an_unknown_parameter_is_refused(stack: Stack, path: str, field: str, known: str) -> None:
    document = problem(httpx.get(stack.url + path), 422, "INVALID_REQUEST")
    assert document["errors"][0]["field"] == field
    assert known in document["errors"][0]["message"]


def test_a_body_where_none_is_taken_is_refused(game: Game) -> None:
    table = f"/v1/tables/{game.actor.open({'kind': 'me'}, {'kind': 'open'})}"
    for path in (f"{table}/start", f"{table}/resign", f"{table}/return", f"{table}/rematch", "/v1/players/me/token"):
        problem(game.actor.post(path, json={"seed": 1}), 422, "INVALID_REQUEST")
    problem(game.actor.post(f"{table}/start", json={}), 409, "SEATS_OPEN")
    assert game.actor.post("/v1/players/me/token", content=b" {} ").status_code == 200


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b'{"%b": 1}' % (b"x" * 50_000), JSON),
        (b'{"version": "%b"}' % (b"x" * 50_000), JSON),
        (b'{"version": 1, "action": {"%b": 1}}' % (b"x" * 50_000), JSON),
        (b'{"version": 1, "action": {"use": {"%b": 1}}}' % (b"x" * 50_000), JSON),
        (b'{"version": 1, "action": {"use": {"marker": "%b"}}}' % (b"x" * 50_000), JSON),
        (b"{}", {"Content-Type": "x" * 20_000}),
    ],
)
def test_what_came_is_not_sent_back_at_length(game: Game, content: bytes, headers: dict[str, str]) -> None:
    content = content.replace(b'"version": 1', b'"version": %d' % game.version)
    assert len(game.actor.post(game.actions, content=content, headers=headers).content) < 1500
    assert len(game.actor.get(f"/v1/tables/{'x' * 20_000}").content) < 3000


@pytest.mark.parametrize(("content", "said"), [(b"", "empty"), (b'{"version": "\\ud800"}', "character")])
def test_what_ends_too_early_is_told_so(game: Game, content: bytes, said: str) -> None:
    assert said in problem(game.send(content), 400, "MALFORMED_JSON")["detail"]


def test_a_host_who_frees_an_open_seat_is_told_what_to_do(game: Game) -> None:
    table = game.stranger.open({"kind": "me"}, {"kind": "open"})
    detail = problem(game.stranger.delete(f"/v1/tables/{table}/seats/1"), 403, "NOT_SEATED")["detail"]
    assert "no player sits there" in detail
    game.stranger.delete(f"/v1/tables/{table}/seats/0")


@pytest.mark.parametrize(("name", "said"), [(GAME, "needs 2"), ("tea_garden", "automa can be one (lu_yu)")])
def test_too_few_seats_are_told_how_many(game: Game, name: str, said: str) -> None:
    refused = game.stranger.post("/v1/tables", json={"game": name, "seats": [{"kind": "me"}]})
    detail = problem(refused, 422, "BAD_SEATS")["detail"]
    assert said in detail
    assert "2 to 2" not in detail


def test_only_methods_that_there_are_are_offered_to_browsers(stack: Stack) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    offered = httpx.options(f"{stack.url}/v1/games", headers=asked).headers["access-control-allow-methods"]
    assert offered == "DELETE, GET, PATCH, POST, PUT"
