"""Around a game, through the gateway: chat, presence, rematch, hints; with two copies of the session service."""

import itertools
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import redis
from websockets.sync.client import ClientConnection

from deploy.stack import Stack
from services.sessions.store.keys import shard
from teahouse.v1 import sessions_pb2 as pb
from tests.support.people import (
    BOT,
    Person,
    again,
    begin,
    chat,
    hear,
    insist,
    parse,
    play_on,
    play_out,
    presence,
    problem,
    say,
    socket,
    texts,
)
from tests.support.processes import idle_workers
from tests.support.session_client import SessionClient
from tests.support.waiting import until

# Chat.


def test_lines_reach_everybody_at_the_table_and_change_no_version(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    before = ada.view(table)
    with (
        bob.socket(table) as player,
        socket(stack.url, table) as guest,
        httpx.Client(base_url=stack.url, timeout=20) as reader,
        reader.stream("GET", f"/v1/tables/{table}/events") as answer,
    ):
        events = (event for event in parse(answer.iter_lines()) if event["event"] == "chat")
        for connection in (player, guest):
            hear(connection, "presence")
        said = [say(ada, table, text).json() for text in ("Good luck!", "  Zażółć 👩‍🚀 ")]
        player.send(json.dumps({"say": {"id": "x1", "text": "Thanks"}}))
        assert [hear(guest, "chat") for _ in said] == said
        third = hear(guest, "chat")
        assert [hear(player, "chat") for _ in range(3)] == [*said, third]
        assert list(itertools.islice(events, 3)) == [{"event": "chat", "data": line} for line in [*said, third]]
    assert texts([*said, third]) == ["Good luck!", "Zażółć 👩‍🚀", "Thanks"]
    with httpx.Client(base_url=stack.url, timeout=20) as anybody:
        assert [line["player"]["id"] for line in chat(anybody, table)] == [ada.id, ada.id, bob.id]
    assert chat(bob, table, after=said[0]["id"]) == [said[1], third]
    assert chat(bob, table, limit=1) == [third]
    assert chat(bob, table, after=said[0]["id"], limit=1) == [said[1]]
    assert ada.view(table) == before


def test_a_socket_acknowledges_a_line(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    with ada.socket(table) as connection:
        connection.send(json.dumps({"say": {"id": 7, "text": "Hello"}}))
        ack = hear(connection, "ack")
    assert ack == {"id": 7, "line": chat(ada, table)[0]["id"]}


@pytest.mark.parametrize("text", ["", "   ", "x" * 501, "a\x00b", "a\nb", "\x1b[2J", "\u202eabc", "a\u2028b"])
def test_what_cannot_be_said(stack: Stack, text: str) -> None:
    table, ada, _ = begin(stack.url)
    problem(say(ada, table, text), 422, "BAD_TEXT")
    assert chat(ada, table) == []


def test_who_writes_and_who_reads(stack: Stack) -> None:
    ada, eve = Person(stack.url, "Ada"), Person(stack.url, "Eve")
    table = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    assert say(ada, table, "x" * 500).status_code == 201
    problem(say(eve, table, "hi"), 403, "NOT_SEATED")
    problem(eve.get(f"/v1/tables/{table}/chat"), 403, "WRONG_CODE")
    problem(eve.get(f"/v1/tables/{table}/presence"), 403, "WRONG_CODE")
    assert len(chat(eve, table, join_code=code)) == 1
    problem(eve.get(f"/v1/tables/{table}/chat", params={"join_code": code, "after": "soup"}), 422, "BAD_PAGE")
    problem(say(ada, "t_" + "a" * 14, "hi"), 404, "UNKNOWN_TABLE")
    problem(httpx.post(f"{stack.url}/v1/tables/{table}/chat", json={"text": "x"}), 401, "TOKEN_NEEDED")


def test_a_repeated_line_is_said_once(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    key = {"Idempotency-Key": "k1"}
    first = say(ada, table, "Hello", **key)
    assert say(ada, table, "Hello", **key).json() == first.json()
    problem(say(ada, table, "Goodbye", **key), 422, "KEY_REUSED")
    assert say(bob, table, "Hello", **key).json()["id"] != first.json()["id"]
    assert texts(chat(ada, table)) == ["Hello", "Hello"]


def test_the_rate_of_a_player_is_limited_and_the_chat_is_bounded(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    answers = [say(ada, table, f"line {number}") for number in range(14)]
    late = [answer for answer in answers if answer.status_code == 429]
    assert late
    assert 1 <= int(late[0].headers["Retry-After"]) <= 10
    document = problem(late[0], 429, "TOO_MANY_REQUESTS")
    assert "lines of chat" in document["detail"]
    assert document["violated-policies"] == ["chat"]
    assert say(bob, table, "I may").status_code == 201
    with redis.Redis.from_url(stack.redis_url) as store:
        key = f"{{t:{shard(table)}}}:{table}:chat"
        for _ in range(600):
            store.xadd(key, {"line": b"", "key": ""})
        until(lambda: say(bob, table, "the last").status_code == 201)
        assert store.xlen(key) == 500
    assert len(chat(ada, table, limit=500)) == 500
    assert texts(chat(ada, table, limit=1)) == ["the last"]


def test_streams_lose_no_line_when_the_session_service_dies(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    copies = [name for name in stack.processes if name.startswith("sessions")]
    with bob.socket(table) as connection:
        say(ada, table, "one")
        assert hear(connection, "chat")["text"] == "one"
        for number, name in enumerate(copies):
            stack.kill(name)
            insist(ada, table, f"after {number}")
            stack.restart(name)
        assert [hear(connection, "chat") for _ in copies] == chat(ada, table)[1:]


# Presence.


def until_told(connection: ClientConnection, seats: list[bool], spectators: int) -> None:
    wanted = {
        "seats": [{"seat": number, "connected": there} for number, there in enumerate(seats)],
        "spectators": spectators,
    }
    while hear(connection, "presence") != wanted:
        pass


def test_who_comes_and_goes_is_told(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    table = ada.open({"kind": "me"}, {"kind": "open"})
    assert presence(ada, table) == ([False, False], 0)
    with ada.socket(table) as watching:
        until_told(watching, [True, False], 0)
        with eve.socket(table), eve.socket(table), socket(stack.url, table), bob.socket(table):
            until_told(watching, [True, False], 3)  # Eve twice, a guest, Bob
            bob.post(f"/v1/tables/{table}/seats")
            until_told(watching, [True, True], 2)
            until(lambda: presence(eve, table) == ([True, True], 2))
        until_told(watching, [True, False], 0)
    until(lambda: presence(eve, table) == ([False, False], 0))
    with redis.Redis.from_url(stack.redis_url) as store:
        until(lambda: not store.exists(f"{{t:{shard(table)}}}:{table}:present"))


def test_bots_are_always_there(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    assert presence(ada, ada.open({"kind": "me"}, BOT)) == ([False, True], 0)


def test_a_dead_copy_leaves_nobody_connected(stack: Stack) -> None:
    """Streams straight to one copy: nobody opens them again when it dies."""
    table, ada, bob = begin(stack.url)
    streams = [
        SessionClient(stack, "sessions-2").stub.Watch(pb.WatchRequest(caller=bob.id, table=table)) for _ in range(2)
    ]
    for stream in streams:
        next(stream)
    with ada.socket(table) as watching:
        until_told(watching, [True, True], 0)
        stack.kill("sessions-2")
        until_told(watching, [True, False], 0)
        until(lambda: presence(ada, table) == ([True, False], 0))
    stack.restart("sessions-2")


# Rematch.


def test_a_rematch_begins_when_all_have_asked(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    problem(again(ada, table), 409, "NOT_FINISHED")
    last = play_on(table, ada, bob)["version"]
    eve = Person(stack.url, "Eve")
    problem(again(eve, table), 403, "NOT_SEATED")
    opened = again(bob, table)
    assert opened.status_code == 201
    new = opened.json()
    assert (new["status"], new["host"]) == ("open", bob.id)
    assert [(seat["kind"], seat.get("player"), seat.get("invited")) for seat in new["seats"]] == [
        ("open", None, {"id": ada.id, "name": "Ada"}),
        ("player", {"id": bob.id, "name": "Bob"}, None),
    ]
    assert again(bob, table).json() == new
    problem(eve.post(f"/v1/tables/{new['id']}/seats"), 409, "SEAT_TAKEN")
    old = eve.get(f"/v1/tables/{table}").json()
    assert (old["rematch"], old["version"], old["options"]) == (new["id"], last + 1, new["options"])
    begun = again(ada, table)
    assert (begun.status_code, begun.json()["status"]) == (200, "playing")
    assert again(bob, table).json()["version"] == begun.json()["version"]
    assert new["id"] in [one["id"] for one in ada.get("/v1/tables?mine=true").json()["tables"]]
    play_on(new["id"], ada, bob)


def test_a_rematch_against_a_bot_begins_at_once_and_private_tables_stay_so(stack: Stack) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, BOT, visibility="private", options={"mode": "harder"})
    ada.post(f"/v1/tables/{table}/start")
    play_out(ada, table)
    new = again(ada, table).json()
    assert (new["status"], new["visibility"], new["options"]["mode"]) == ("playing", "private", "harder")
    assert new["join_code"]
    assert [seat["kind"] for seat in new["seats"]] == ["player", "bot"]


def test_two_who_ask_at_once_get_one_rematch(stack: Stack) -> None:
    table, *people = begin(stack.url)
    play_on(table, *people)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda person: again(person, table), people * 2))
    assert {answer.status_code for answer in answers} == {200, 201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert again(people[0], table).json()["status"] == "playing"


# Hints.


@pytest.fixture
def deciding(stack: Stack) -> tuple[str, Person, Person]:
    """A table, whoever has the decision there, and the other."""
    table, ada, bob = begin(stack.url)
    return (table, ada, bob) if ada.view(table)["actor"] == 0 else (table, bob, ada)


def test_a_hint_is_a_legal_action_and_changes_nothing(stack: Stack, deciding: tuple[str, Person, Person]) -> None:
    table, actor, other = deciding
    before = actor.view(table)
    answer = actor.get(f"/v1/tables/{table}/hint", params={"bot": "greedy"})
    assert answer.status_code == 200, answer.text
    hint = answer.json()
    assert (hint["version"], hint["bot"]) == (before["version"], "greedy")
    assert hint["action"] in before["legal"]
    assert actor.get(f"/v1/tables/{table}/hint").json() == hint, "asked again, the same hint"
    assert actor.view(table) == before
    moved = actor.act(table, hint["version"], hint["action"]).json()
    next_one = actor if moved["legal"] else other
    later = next_one.get(f"/v1/tables/{table}/hint").json()
    assert later["version"] == moved["version"]
    assert later["action"] in next_one.view(table)["legal"]


def test_who_gets_no_hint(stack: Stack, deciding: tuple[str, Person, Person]) -> None:
    table, actor, other = deciding
    problem(other.get(f"/v1/tables/{table}/hint"), 409, "NOT_YOUR_TURN")
    problem(Person(stack.url, "Eve").get(f"/v1/tables/{table}/hint"), 403, "NOT_SEATED")
    for bot in ("random", "oracle", ""):
        problem(actor.get(f"/v1/tables/{table}/hint", params={"bot": bot}), 422, "BAD_BOT")
    waiting = actor.open({"kind": "me"}, {"kind": "open"})
    problem(actor.get(f"/v1/tables/{waiting}/hint"), 409, "NOT_PLAYING")
    hints = [actor.get(f"/v1/tables/{table}/hint") for _ in range(21)]
    assert hints[0].status_code == 200
    problem(hints[-1], 429, "TOO_MANY_REQUESTS")


def test_without_workers_a_hint_is_late_and_can_be_asked_for_again(
    stack: Stack, deciding: tuple[str, Person, Person]
) -> None:
    table, actor, _ = deciding
    with idle_workers(stack):
        problem(actor.get(f"/v1/tables/{table}/hint"), 504, "HINT_LATE")
    until(lambda: actor.get(f"/v1/tables/{table}/hint").status_code == 200)
