"""Services told to stop (SIGTERM) under load and started again: what was acknowledged is there, streams go on without a
gap, and a client sees no error that a retry does not cure; of two gateways that are restarted in turn, at most one.

Half of the clients act with requests and listen to events, half do both through a socket. A client knows the addresses
of both gateways; when its stream ends it goes on at the other one. `make test` restarts each gateway once;
`python -m tests.campaigns.rolling_restarts` (in `make soak`) restarts every kind of service again and again.
"""

import argparse
import json
import random
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from deploy.stack import Stack
from tests.support.judge import Table, Verdict, judge
from tests.support.processes import own_stack
from tests.support.waiting import until

GATEWAYS = ("gateway", "gateway-2")
OTHERS = ("sessions", "sessions-2", "geishas_road", "bots-1", "hooks")
# What a retry cures, and how long to wait before it.
CURABLE, PAUSE = (502, 503, 504), 0.3
PATIENCE = 120.0
AGAIN = 1012  # the close code of a server that stops
MOST_ERRORS = 500


class Client(threading.Thread, ABC):
    """Plays one game after the other against a bot until told to stop, and checks each."""

    def __init__(self, urls: list[str], number: int, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.urls, self.number, self.over = urls, number, over
        self.at = number
        self.random = random.Random(number)
        self.http = httpx.Client(timeout=20, trust_env=False)
        self.path, self.version = "", 0
        # What was tried and acknowledged at each table, for the judge.
        self.tables: list[Table] = []
        self.seen: list[Any] = []
        self.gaps: list[str] = []
        self.errors: list[str] = []
        self.games = self.resumed = 0
        self.problem = ""

    @property
    def url(self) -> str:
        return self.urls[self.at % len(self.urls)]

    def leave(self, url: str, error: object = None) -> None:
        """Goes on at the other gateway, unless it has done so already."""
        if self.url == url:
            self.at += 1
            self.resumed += 1
        if error is not None:
            self.errors.append(f"{time.strftime('%H:%M:%S')} {url} {error!r}")
        if len(self.errors) > MOST_ERRORS:
            raise RuntimeError("too many errors", self.errors[-1])

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        """Until somebody answers; everything but an answer counts as an error. None: it had been done already."""
        headers = {"Idempotency-Key": key} if key else {}
        while True:
            url = self.url
            try:
                answer = self.http.request(method, url + path, json=body, headers=headers)
                if answer.status_code < 400:
                    return answer.json()
                if answer.status_code == 409:
                    return None
                if answer.status_code not in CURABLE:
                    raise RuntimeError(method, path, answer.text)
                self.leave(url, answer.text)
                time.sleep(PAUSE)
            except httpx.TransportError as error:
                self.leave(url, error)

    def run(self) -> None:
        try:
            token = self.ask("POST", "/v1/players", {"name": f"Client {self.number}"})["token"]
            self.http.headers["Authorization"] = f"Bearer {token}"
            while not self.over.is_set():
                self.game()
        except Exception as error:
            self.problem = f"client {self.number}: {error!r}"

    def game(self) -> None:
        seats = [{"kind": "me"}, {"kind": "bot", "bot": "random"}]
        opened = self.ask("POST", "/v1/tables", {"game": "geishas_road", "seats": seats})
        self.path = f"/v1/tables/{opened['id']}"
        self.tables.append(Table(opened["id"], players=1))
        started = self.ask("POST", f"{self.path}/start") or {"version": 2}
        self.version, self.seen = started["version"], []
        self.play()
        self.compare_stream()
        self.games += 1

    @abstractmethod
    def play(self) -> None:
        """One game, to its end."""

    def take(self, position: dict[str, Any]) -> None:
        assert position["version"] >= self.version, "the stream went back"
        self.version = position["version"]
        self.seen += position["events"]

    def choose(self, position: dict[str, Any]) -> Any:
        """An action, noted as tried."""
        action = self.random.choice(position["legal"])
        self.tables[-1].tried[position["version"] + 1].append((0, action))
        return action

    def acknowledge(self, version: int, action: Any) -> None:
        self.tables[-1].acknowledged[version] = (0, action)

    def compare_stream(self) -> None:
        """The stream told all that the log tells, once."""
        lines = self.ask("GET", f"{self.path}/log?after=2&limit=500")["lines"]
        logged = [event for line in lines for event in line["events"]]
        if self.seen != logged or not logged:
            self.gaps.append(f"{self.path}: {len(self.seen)} events in the stream, {len(logged)} in the log")


class Listener(Client):
    """Listens to events, acts with requests."""

    def play(self) -> None:
        finished = False
        while not finished:
            url = self.url
            try:
                for position in self.events(url):
                    self.take(position)
                    finished = position["status"] == "finished"
                    if position["legal"]:
                        self.act(position)
            except httpx.TransportError as error:
                self.leave(url, error)
                time.sleep(PAUSE)
            else:
                if not finished:
                    self.leave(url)

    def act(self, position: dict[str, Any]) -> None:
        action = self.choose(position)
        move = {"version": position["version"], "action": action}
        update = self.ask("POST", f"{self.path}/actions", move, key=f"{self.path}{move['version']}")
        if update:
            self.acknowledge(update["version"], action)

    def events(self, url: str) -> Iterator[dict[str, Any]]:
        headers = {"Last-Event-ID": str(self.version)}
        with self.http.stream("GET", f"{url}{self.path}/events", headers=headers) as answer:
            if answer.status_code in CURABLE:
                raise httpx.RemoteProtocolError(str(answer.status_code))
            answer.raise_for_status()
            for line in answer.iter_lines():
                if line.startswith("data: ") and "version" in (told := json.loads(line.removeprefix("data: "))):
                    yield told  # chat and presence have none


class Player(Client):
    """Acts and listens through a socket."""

    def play(self) -> None:
        token = self.http.headers["Authorization"].removeprefix("Bearer ")
        while True:
            url = self.url
            address = f"{url.replace('http', 'ws', 1)}{self.path}/socket?token={token}&after={self.version}"
            waiting: list[Any] = []
            try:
                with connect(address, open_timeout=20, proxy=None) as socket:
                    self.talk(socket, waiting)
            except ConnectionClosedOK:
                return
            except ConnectionClosed as closed:
                stopped = closed.rcvd is not None and closed.rcvd.code == AGAIN and not waiting
                self.leave(url, None if stopped else f"{closed}, waiting for {waiting}")
            except (OSError, TimeoutError) as error:
                self.leave(url, error)
            except InvalidStatus as refused:
                if refused.response.status_code not in CURABLE:
                    raise
                self.leave(url, refused)
                time.sleep(PAUSE)

    def talk(self, socket: ClientConnection, waiting: list[Any]) -> None:
        """Until the socket is closed. `waiting` holds the actions that are not acknowledged yet."""
        while True:
            message = json.loads(socket.recv(timeout=30))
            if "update" in message:
                self.take(message["update"])
                if message["update"]["legal"]:
                    action = self.choose(message["update"])
                    socket.send(json.dumps({"act": {"version": self.version, "action": action}}))
                    waiting.append(action)
            elif "ack" in message:
                self.acknowledge(message["ack"]["version"], waiting.pop(0))
            elif "error" in message and message["error"]["status"] in (*CURABLE, 409):
                # Whether it was carried out, the next socket tells.
                time.sleep(PAUSE)
                raise ConnectionAbortedError(message["error"]["reason"])
            elif "presence" not in message:
                raise RuntimeError(message)


@dataclass
class Rolled:
    """What the clients remember, against the tables' logs."""

    names: tuple[str, ...]
    rounds: int
    players: list[Client]
    verdict: Verdict

    @property
    def problems(self) -> list[str]:
        found = self.verdict.problems
        for player in self.players:
            found += player.gaps
            if not player.games:
                found.append(f"client {player.number} has played no game")
            # A service that is alone is missed while it restarts: the errors until it is back are cured by retries.
            if self.names == GATEWAYS and len(player.errors) > self.rounds:
                found.append(f"client {player.number} saw {player.errors}")
        # Every gateway that stops ends the streams of those who are there.
        if self.names == GATEWAYS and self.resumed < self.rounds * len(self.names):
            found.append(f"{self.resumed} times a client went elsewhere: the gateways did not restart under load")
        return found

    @property
    def resumed(self) -> int:
        return sum(player.resumed for player in self.players)

    def __str__(self) -> str:
        errors = [len(player.errors) for player in self.players]
        return (
            f"rolling restart: {self.rounds} of {', '.join(self.names)}, {len(self.players)} clients, "
            f"{sum(player.games for player in self.players)} games, {self.verdict}; {self.resumed} times a client went "
            f"elsewhere, {sum(len(player.gaps) for player in self.players)} streams had a gap, "
            f"errors: {sum(errors)}, at most {max(errors)} for one client"
        )


def roll(stack: Stack, clients: int, rounds: int = 1, names: tuple[str, ...] = GATEWAYS) -> Rolled:
    """Raises AssertionError if a client cannot go on."""
    for url in stack.urls:  # whatever restarted before this must not be counted here
        until(lambda url=url: httpx.get(f"{url}/v1/tables", trust_env=False).status_code == 200, url)  # type: ignore[misc]
    over = threading.Event()
    kinds: tuple[type[Client], ...] = (Listener, Player)
    players = [kinds[number // 2 % 2](stack.urls, number, over) for number in range(clients)]
    for player in players:
        player.start()
    try:
        for _ in range(rounds):
            for name in names:
                wait_for_moves(players)
                stack.restart(name)
        wait_for_moves(players)
    finally:
        over.set()
    for player in players:
        player.join(PATIENCE)
        assert not player.is_alive(), f"client {player.number} does not end"
        assert not player.problem, player.problem
    tables = [table for player in players for table in player.tables]
    return Rolled(names, rounds, players, judge(stack.redis_url, tables))


def wait_for_moves(players: list[Client]) -> None:
    """Everybody plays."""
    before = [(player.games, player.version) for player in players]
    limit = time.monotonic() + PATIENCE
    for player, known in zip(players, before, strict=True):
        while (player.games, player.version) == known:
            assert not player.problem, player.problem
            assert time.monotonic() < limit, f"client {player.number} waits"
            time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=20)
    chosen = parser.parse_args()
    with own_stack(sessions=2, bots=2, gateways=2) as stack:
        problems = []
        for names in (GATEWAYS, OTHERS):
            rolled = roll(stack, chosen.clients, chosen.rounds, names)
            print(rolled, flush=True)
            problems += rolled.problems
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
