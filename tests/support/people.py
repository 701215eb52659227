"""Players of the integration tests: they know nothing but the API."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.support.waiting import until

GAME = "geishas_road"
BOT = {"kind": "bot", "bot": "random"}
Json = dict[str, Any]


class Person(httpx.Client):
    """A player with a token."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__(base_url=url, timeout=20)
        made = self.post("/v1/players", json={"name": name})
        assert made.status_code == 201, made.text
        self.id: str = made.json()["id"]
        self.token: str = made.json()["token"]
        self.headers["Authorization"] = f"Bearer {self.token}"

    def open(self, *seats: Json, **more: Any) -> str:
        """A new table's id."""
        opened = self.post("/v1/tables", json={"game": GAME, "seats": seats, **more})
        assert opened.status_code == 201, opened.text
        table: str = opened.json()["id"]
        return table

    def view(self, table: str) -> Json:
        answer = self.get(f"/v1/tables/{table}/view")
        assert answer.status_code == 200, answer.text
        position: Json = answer.json()
        return position

    def act(self, table: str, version: int, action: Any, **headers: str) -> httpx.Response:
        move = {"version": version, "action": action}
        return self.post(f"/v1/tables/{table}/actions", json=move, headers=headers)

    def socket(self, table: str, **query: Any) -> ClientConnection:
        return socket(str(self.base_url), table, token=self.token, **query)


def socket(url: str, table: str, **query: Any) -> ClientConnection:
    address = httpx.URL(url.replace("http", "ws", 1)).join(f"/v1/tables/{table}/socket")
    return connect(str(address.copy_merge_params(query)), open_timeout=20)


def begin(url: str, **more: Any) -> tuple[str, Person, Person]:
    """A table where two people have begun to play."""
    ada, bob = Person(url, "Ada"), Person(url, "Bob")
    return start(ada, bob, **more), ada, bob


def start(host: Person, guest: Person, **more: Any) -> str:
    """A table where these two have begun to play."""
    table = host.open({"kind": "me"}, {"kind": "open"}, **more)
    assert guest.post(f"/v1/tables/{table}/seats").status_code == 200
    assert host.post(f"/v1/tables/{table}/start").status_code == 200
    return table


def play_on(table: str, *people: Person, moves: int = 1000) -> Json:
    """Whoever has the decision takes the first legal action; gives the last position."""
    position = people[0].view(table)
    for _ in range(moves):
        if position["status"] != "playing":
            break
        actor = people[position["actor"]]
        position = actor.view(table)
        answer = actor.act(table, position["version"], position["legal"][0])
        assert answer.status_code == 200, answer.text
        position = answer.json()
    return position


def problem(answer: httpx.Response, status: int, reason: str) -> Json:
    """Checks that the answer is a whole problem document, and gives it."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document: Json = answer.json()
    assert (answer.status_code, document["reason"]) == (status, reason), answer.text
    assert document["status"] == status
    assert document["type"] == "/problems/" + reason.lower().replace("_", "-")
    assert document["title"]
    assert document["detail"]
    assert document["instance"] == answer.request.url.path
    assert "Traceback" not in answer.text
    return document


def play_out(person: Person, table: str) -> None:
    """A game against bots, to its end."""

    def over() -> bool:
        position = person.view(table)
        while position["legal"]:
            position = person.act(table, position["version"], position["legal"][0]).json()
        return bool(position["status"] == "finished")

    until(over)


def again(person: Person, table: str) -> httpx.Response:
    return person.post(f"/v1/tables/{table}/rematch")


def presence(client: httpx.Client, table: str) -> tuple[list[bool], int]:
    answer = client.get(f"/v1/tables/{table}/presence")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert [seat["seat"] for seat in told["seats"]] == list(range(len(told["seats"])))
    return [seat["connected"] for seat in told["seats"]], told["spectators"]


def hear(connection: ClientConnection, kind: str) -> Any:
    """The next message of that kind."""
    while True:
        message = json.loads(connection.recv(timeout=30))
        assert "error" not in message, message
        if kind in message:
            return message[kind]


def say(person: Person, table: str, text: str, **headers: str) -> httpx.Response:
    return person.post(f"/v1/tables/{table}/chat", json={"text": text}, headers=headers)


def insist(person: Person, table: str, text: str) -> None:
    """Says it, as soon as somebody is there to take it."""
    until(lambda: say(person, table, text, **{"Idempotency-Key": text}).status_code == 201)


def chat(person: httpx.Client, table: str, **query: Any) -> list[Json]:
    answer = person.get(f"/v1/tables/{table}/chat", params=query)
    assert answer.status_code == 200, answer.text
    lines: list[Json] = answer.json()["lines"]
    return lines


def texts(lines: list[Json]) -> list[str]:
    return [line["text"] for line in lines]


def parse(lines: Iterator[str]) -> Iterator[Json]:
    event: Json = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            event[name] = json.loads(value) if name == "data" else value
        elif event:
            yield event
            event = {}
