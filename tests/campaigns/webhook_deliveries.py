"""Webhooks while processes are killed with -9: whatever happened to a player is delivered, at least once.

`make test` kills a few processes once; `python -m tests.campaigns.webhook_deliveries --rounds 20` (in `make soak`) goes
on and on.
"""

import argparse
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from deploy.stack import Stack
from tests.campaigns.crashes import Player
from tests.support.processes import own_stack
from tests.support.waiting import until

# Quick, and on this machine.
ENV = {
    "TEAHOUSE_WEBHOOK_PRIVATE": "1",
    "TEAHOUSE_WEBHOOK_TIMEOUT": "3",
    "TEAHOUSE_WEBHOOK_PAUSE": "0.05",
    "TEAHOUSE_REDELIVER": "1",
}
PATIENCE = 120.0


@dataclass
class Call:
    """One request that a receiver got."""

    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.body)
        return told

    def signed_with(self, secret: str) -> bool:
        """As docs/api.md tells receivers to check it."""
        parts = dict(part.split("=", 1) for part in self.headers["teahouse-signature"].split(","))
        digest = hmac.new(secret.encode(), f"{parts['t']}.".encode() + self.body, "sha256").hexdigest()
        return hmac.compare_digest(digest, parts["v1"]) and abs(time.time() - int(parts["t"])) < 300


class Receiver(ThreadingHTTPServer):
    """A client author's server on this machine; `answer` gives the status for a call."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Call], int]) -> None:
        self.calls: list[Call] = []
        self.answer = answer
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"

    def events(self) -> set[tuple[str, str, int, str]]:
        told = [call.event for call in list(self.calls)]
        return {(event["player"], event["table"], event["version"], event["type"]) for event in told}


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        call = Call({name.lower(): value for name, value in self.headers.items()}, body)
        self.server.calls.append(call)
        self.send_response(self.server.answer(call))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiver(answer: Callable[[Call], int] = lambda call: 204) -> Iterator[Receiver]:
    server = Receiver(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Duel:
    """Two people with a webhook each, and what the two must be told."""

    def __init__(self, stack: Stack, url: str) -> None:
        self.people = [Player(stack.url, number) for number in range(2)]
        self.ids = []
        for person in self.people:
            made = person.ask("POST", "/v1/players", {"name": f"player {person.number}"}).json()
            person.client.headers["Authorization"] = f"Bearer {made['token']}"
            self.ids.append(made["id"])
            assert person.ask("POST", "/v1/webhooks", {"url": url}).status_code == 201
        seats = [{"kind": "me"}, {"kind": "open"}]
        opened = self.people[0].ask("POST", "/v1/tables", {"game": "geishas_road", "seats": seats}).json()
        self.table: str = opened["id"]
        self.people[1].ask("POST", f"/v1/tables/{self.table}/seats")
        started = self.people[0].ask("POST", f"/v1/tables/{self.table}/start").json()
        self.due = {(player, self.table, started["version"], "started") for player in self.ids}
        self.actor: int | None = None

    def play(self, disturb: Callable[[], None], at: int = 6) -> None:
        """To the end; `disturb` is called in the middle."""
        moves = 0
        while True:
            position = self.people[0].ask("GET", f"/v1/tables/{self.table}/view").json()
            if position["status"] == "finished":
                self.due |= {(player, self.table, position["version"], "finished") for player in self.ids}
                return
            if position["actor"] != self.actor:
                self.actor = int(position["actor"])
                self.due.add((self.ids[self.actor], self.table, position["version"], "your_turn"))
            actor = self.people[position["actor"]]
            position = actor.ask("GET", f"/v1/tables/{self.table}/view").json()
            move = {"version": position["version"], "action": position["legal"][0]}
            answer = actor.ask("POST", f"/v1/tables/{self.table}/actions", move)
            assert answer.status_code in (200, 409), answer.text
            moves += 1
            if moves == at:
                disturb()


def play_through(stack: Stack, victim: str, away: float = 0.5) -> str:
    """A game in whose middle the victim is killed; raises AssertionError, else tells the story."""

    def kill() -> None:
        stack.kill(victim)
        time.sleep(away)
        stack.restart(victim)

    kills: list[Future[None]] = []
    with receiver() as server, ThreadPoolExecutor(1) as pool:
        duel = Duel(stack, server.url)
        duel.play(lambda: kills.append(pool.submit(kill)))
        [killed] = kills
        killed.result()
        until(lambda: duel.due <= server.events(), f"{victim} killed: a delivery of {len(duel.due)}", PATIENCE)
        assert duel.due == server.events()
        calls, told = len(server.calls), len(server.events())
    return f"{victim} killed: {len(duel.due)} things happened, {told} delivered, {calls - told} twice"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with own_stack(sessions=2, bots=0, env=ENV) as stack:
        for number in range(rounds):
            for victim in stack.processes:
                print(f"round {number + 1}/{rounds}: {play_through(stack, victim)}", flush=True)
    print(f"webhook deliveries: {rounds} rounds, every process killed in each")


if __name__ == "__main__":
    main()
