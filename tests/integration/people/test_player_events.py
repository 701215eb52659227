"""One stream per player, across all tables."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue

import httpx

from deploy.stack import Stack
from tests.integration.people.test_matchmaking import LARGER, TICKETS, ask, clear, matched, wish
from tests.support.people import Json, Person, begin, play_on, problem

EVENTS = "/v1/players/me/events"


class Listener:
    """Reads a stream in the background."""

    def __init__(self, lines: Iterator[str], prefix: str) -> None:
        self.heard: Queue[Json] = Queue()
        self.lines, self.prefix = lines, prefix
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        try:
            for line in self.lines:
                if line.startswith(self.prefix) and line:
                    self.heard.put(json.loads(line.removeprefix(self.prefix)))
        except Exception:  # the stream was closed
            return

    def next(self) -> Json:
        return self.heard.get(timeout=30)

    def until(self, kind: str, **wanted: object) -> Json:
        """The next event of that kind; others may come before it."""
        while True:
            event = self.next()
            if event["type"] == kind and event.items() >= wanted.items():
                return event


@contextmanager
def listen(person: Person, ndjson: bool = True) -> Iterator[Listener]:
    headers = {"Accept": "application/x-ndjson"} if ndjson else {}
    with person.stream("GET", EVENTS, headers=headers) as answer:
        assert answer.status_code == 200
        kind = "application/x-ndjson" if ndjson else "text/event-stream"
        assert answer.headers["content-type"].startswith(kind)
        yield Listener(answer.iter_lines(), "" if ndjson else "data: ")


def test_turns_are_told_once_each_and_then_the_end(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    people = (ada, bob)
    first = people[ada.view(table)["actor"]]
    second = people[first is ada]
    with listen(first) as mine, listen(second, ndjson=False) as other:
        begun = mine.next()
        assert (begun["type"], begun["table"]) == ("started", table)
        version = ada.view(table)["version"]
        turn = mine.next()
        assert turn == {
            "type": "your_turn",
            "table": table,
            "game": begun["game"],
            "version": version,
            "seat": turn["seat"],
        }
        assert other.next()["type"] == "started"
        position = play_on(table, ada, bob, moves=1)
        while people[position["actor"]] is first:
            position = play_on(table, ada, bob, moves=1)
        assert other.next() == turn | {"version": position["version"], "seat": position["actor"]}
        play_on(table, ada, bob)
        for listener in (mine, other):
            end = listener.until("finished", table=table)
            assert end["outcome"] == ada.view(table)["outcome"]


def test_invitations_are_told_and_told_again(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    with listen(bob) as heard:
        table = ada.open({"kind": "me"}, {"kind": "open"})
        assert ada.post(f"/v1/tables/{table}/invitations", json={"player": bob.id}).status_code == 200
        invited = heard.next()
        assert (invited["type"], invited["table"], invited["seat"], invited["by"]) == ("invited", table, 1, ada.id)
    with listen(bob) as heard:
        assert heard.next()["type"] == "invited"
        assert bob.post(f"/v1/tables/{table}/seats").status_code == 200
        assert ada.post(f"/v1/tables/{table}/start").status_code == 200
        assert heard.next()["type"] == "started"


def test_a_match_and_a_party_are_told(stack: Stack) -> None:
    ada, bob, eve = (Person(stack.url, name) for name in ("Ada", "Bob", "Eve"))
    with listen(bob) as heard:
        ticket = ask(ada, wish(LARGER, (3,)), party=[bob.id])
        assert heard.next() == {"type": "party", "ticket": ticket, "by": ada.id}
        assert bob.post(f"{TICKETS}/{ticket}/join").status_code == 200
        table = matched(eve, ask(eve, wish(LARGER, (3,))))["id"]
        told = [heard.next(), heard.next()]
        assert {event["type"] for event in told} >= {"matched", "started"}
        assert {(event["table"], event.get("ticket")) for event in told} == {(table, ticket), (table, None)}
    # It is told again to whoever was away.
    with listen(eve) as heard:
        assert heard.until("matched")["table"] == table


def test_the_stream_outlives_the_copy_that_serves_it(stack: Stack) -> None:
    ada, bob = Person(stack.url, "Ada"), Person(stack.url, "Bob")
    waiting = ask(bob, wish(LARGER, (4,)))
    with listen(bob) as heard:
        for copy in ("sessions", "sessions-2"):
            stack.kill(copy)
            stack.restart(copy)
        table = ada.open({"kind": "me"}, {"kind": "open"})
        assert ada.post(f"/v1/tables/{table}/invitations", json={"player": bob.id}).status_code == 200
        assert heard.until("invited")["table"] == table
    clear((bob, waiting))


def test_only_players_have_events(stack: Stack) -> None:
    problem(httpx.get(f"{stack.url}{EVENTS}"), 401, "TOKEN_NEEDED")
    ada = Person(stack.url, "Ada")
    with httpx.stream("GET", f"{stack.url}{EVENTS}?token={ada.token}", timeout=20) as answer:
        assert answer.status_code == 200
