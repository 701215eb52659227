"""Results, ratings, leaderboards and history, through the gateway."""

import json
import random

import redis

from deploy.stack import Stack
from services.sessions.people.ratings import NEWCOMER
from services.sessions.store.keys import results as results_key
from services.sessions.store.keys import shard
from teahouse.v1 import ratings_pb2 as rt
from tests.support.people import GAME, Json, Person, play_on, problem
from tests.support.session_client import SessionClient
from tests.support.waiting import until


def rated_game(ada: Person, bob: Person, **more: object) -> Json:
    """A finished table, as the first of them sees it, when it has been counted."""
    table = ada.open({"kind": "me"}, {"kind": "open"}, **{"rated": True, **more})
    assert bob.post(f"/v1/tables/{table}/seats").status_code == 200
    started = ada.post(f"/v1/tables/{table}/start").json()
    played = profile(ada)["results"].get(GAME, {"played": 0})["played"]
    play_on(table, ada, bob)
    until(lambda: profile(bob)["results"].get(GAME) and profile(ada)["results"][GAME]["played"] > played, "a count")
    assert started["rated"] is (more.get("rated", True))
    finished: Json = ada.get(f"/v1/tables/{table}").json()
    return finished


def profile(person: Person) -> Json:
    answer = person.get(f"/v1/players/{person.id}")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def test_a_rated_game_moves_the_ratings_of_both(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    assert (profile(ada)["ratings"], profile(ada)["results"]) == ({}, {})
    places = rated_game(ada, bob)["outcome"]["places"]
    until(lambda: profile(bob)["ratings"], "a rating")
    won = {person.id: place == 1 for person, place in zip((ada, bob), places, strict=True)}
    for person in (ada, bob):
        found = profile(person)
        assert found["results"] == {GAME: {"played": 1, "won": int(won[person.id])}}
        assert found["ratings"][GAME]["games"] == 1
        assert person.get("/v1/players/me").json() == found
    ratings = {person.id: profile(person)["ratings"][GAME]["rating"] for person in (ada, bob)}
    ahead = ratings[ada.id] - ratings[bob.id]
    assert (ahead > 0, ahead < 0) == (won[ada.id] > won[bob.id], won[ada.id] < won[bob.id])
    board = leaderboard(ada)
    assert {line["player"]["id"]: line["rating"] for line in board}.items() >= ratings.items()
    assert [line["rank"] for line in board] == list(range(1, len(board) + 1))
    assert [line["rating"] for line in board] == sorted((line["rating"] for line in board), reverse=True)


def leaderboard(person: Person, limit: int = 1) -> list[Json]:
    """All pages of it."""
    lines: list[Json] = []
    cursor = ""
    while True:
        page = person.get(f"/v1/leaderboards/{GAME}", params={"limit": limit, "cursor": cursor}).json()
        assert page["game"] == GAME
        lines += page["players"]
        cursor = page["next_cursor"]
        if cursor is None:
            return lines


def test_other_games_count_without_a_rating(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    rated_game(ada, bob, rated=False)
    assert profile(ada)["results"][GAME]["played"] == 1
    assert profile(ada)["ratings"] == {}


def test_rated_tables_have_no_bots(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    bots = {"game": GAME, "rated": True, "seats": [{"kind": "me"}, {"kind": "bot", "bot": "greedy"}]}
    problem(ada.post("/v1/tables", json=bots), 422, "BAD_SEATS")
    table = ada.open({"kind": "me"}, {"kind": "open"}, rated=True)
    seated = ada.put(f"/v1/tables/{table}/seats/1", json={"kind": "bot", "bot": "greedy"})
    problem(seated, 422, "BAD_SEATS")
    assert ada.get(f"/v1/tables/{table}").json()["seats"][1]["kind"] == "open"


def test_history_lists_finished_public_tables_page_by_page(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    tables = [rated_game(ada, bob, rated=False)["id"] for _ in range(2)]
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    assert bob.post(f"/v1/tables/{table}/seats", json={"join_code": code}).status_code == 200
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    play_on(table, ada, bob)
    until(lambda: profile(ada)["results"][GAME]["played"] == 3, "a count")
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        page = eve.get(f"/v1/players/{ada.id}/tables", params={"limit": 1, "cursor": cursor}).json()
        found += [each["id"] for each in page["tables"]]
        assert {each["status"] for each in page["tables"]} == {"finished"}
        cursor = page["next_cursor"]
    assert found == tables[::-1]
    problem(eve.get("/v1/players/p_nobody/tables"), 404, "UNKNOWN_PLAYER")
    problem(eve.get(f"/v1/players/{ada.id}/tables?cursor=x"), 422, "BAD_PAGE")
    problem(eve.get(f"/v1/leaderboards/{GAME}?cursor=x"), 422, "BAD_PAGE")
    problem(eve.get("/v1/leaderboards/chess"), 404, "UNKNOWN_GAME")


def test_a_table_that_was_half_counted_is_counted_once(stack: Stack) -> None:
    """As copies leave it that die after having counted the table for none, one or both of its players."""
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    people = (ada, bob)
    table = rated_game(ada, bob)["id"]
    until(lambda: profile(bob)["ratings"], "a rating")
    once = [profile(person) for person in people]
    mu, sigma = NEWCOMER
    before = rt.RatingsBefore(mu=[mu, mu], sigma=[sigma, sigma]).SerializeToString()
    store = redis.Redis.from_url(stack.redis_url)
    outbox = results_key(shard(table))
    for counted in (0, 1, 2):
        for person in people[counted:]:
            # As if it had never been counted for these.
            store.delete(f"{{p:{person.id}}}:games", f"{{p:{person.id}}}:history")
        store.set(f"{{t:{shard(table)}}}:{table}:ratings", before)
        store.zadd(outbox, {table: 0})
        until(lambda: store.zscore(outbox, table) is None, "the outbox is empty")
        assert [profile(person) for person in people] == once
        assert not store.exists(f"{{t:{shard(table)}}}:{table}:ratings")


def test_every_finished_table_is_counted_though_both_copies_are_killed(stack: Stack) -> None:
    house, dice = SessionClient(stack), random.Random(3)
    games = [house.duel() for _ in range(2)]
    for number, (table, players) in enumerate(games):
        while house.look(table).status == "playing":
            house.step(table, players, dice)
        if number == 1:
            for copy in ("sessions", "sessions-2"):
                stack.kill(copy)
            for copy in ("sessions", "sessions-2"):
                stack.restart(copy)
    ada = Person(stack.url, "Ada")
    for _, players in games:
        for player in players:

            def results(player: str = player) -> Json:
                found: Json = ada.get(f"/v1/players/{player}").json()["results"]
                return found

            assert until(results, "a count")[GAME]["played"] == 1, json.dumps(results())
