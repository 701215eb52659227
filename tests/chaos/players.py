"""People who play through the gateways while things break, and remember what they did and what was acknowledged."""

import asyncio
import json
import random
import time
from collections import Counter
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from tests.chaos.faulty_stack import GAME
from tests.support.judge import Table

# Answers that a retry cures; anything else is a fault of ours.
CURABLE = {502, 503, 504}
# What a request that is repeated gets if its first answer was lost.
DONE = {"ALREADY_SEATED", "NOT_OPEN", "STALE_VERSION", "NOT_PLAYING", "NOT_YOUR_TURN"}
# Seconds after which a client that hears nothing goes elsewhere.
SILENCE = 12.0


class Crowd:
    """Everybody's notes."""

    def __init__(self, urls: list[str], pause: float) -> None:
        self.urls, self.pause = urls, pause
        self.tables: dict[str, Table] = {}
        self.matches: list[Match] = []
        self.clocked: list[Clocked] = []
        self.cured: Counter[str] = Counter()
        self.unexpected: list[str] = []
        self.moves = 0
        self.over = asyncio.Event()
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        self.http = httpx.AsyncClient(timeout=SILENCE, trust_env=False, limits=limits)

    def begin(self, tables: int) -> list["asyncio.Task[None]"]:
        """A third of them against bots."""
        self.matches = [Match(self, number, against_bot=number % 3 == 0) for number in range(tables)]
        return [asyncio.create_task(match.run()) for match in self.matches]

    def surprised(self, what: str) -> None:
        if len(self.unexpected) < 50:
            self.unexpected.append(f"{time.strftime('%H:%M:%S')} {what}")

    async def ask(self, number: int, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """Until somebody answers, at one gateway or the other; None if it had been done already."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        while True:
            number += 1
            try:
                url = self.urls[number % len(self.urls)]
                answer = await self.http.request(method, url + path, json=body, headers=headers)
            except httpx.TransportError as error:
                self.cured[type(error).__name__] += 1
            else:
                if answer.status_code < 400:
                    return answer.json()
                reason = answer.json().get("reason") if "problem" in answer.headers["content-type"] else answer.text
                if reason in DONE:
                    return None
                self.cured[f"{answer.status_code} {reason}"] += 1
                if answer.status_code not in CURABLE:
                    self.surprised(f"{method} {path}: {answer.status_code} {answer.text}")
                    raise RuntimeError(answer.text)
            await asyncio.sleep(random.uniform(0.1, 0.5))

    async def player(self, number: int) -> str:
        token: str = (await self.ask(number, "POST", "/v1/players", body={"name": f"Player {number}"}))["token"]
        return token


class Match:
    """One game after the other at tables of the same two."""

    def __init__(self, crowd: Crowd, number: int, against_bot: bool) -> None:
        self.crowd, self.number, self.against_bot = crowd, number, against_bot
        # How often anything happened, at any of its tables.
        self.steps = 0
        self.changed = time.monotonic()
        self.table: Table | None = None

    async def run(self) -> None:
        crowd, number = self.crowd, self.number
        try:
            tokens = [await crowd.player(number) for _ in range(1 if self.against_bot else 2)]
            while not crowd.over.is_set():
                self.table = await self.open(tokens)
                seats = [Seat(self, self.table, token, number + each) for each, token in enumerate(tokens)]
                await asyncio.gather(*(seat.play() for seat in seats))
        except Exception as error:
            crowd.surprised(f"match {number} ended: {error!r}")

    async def open(self, tokens: list[str]) -> Table:
        ask, other = self.crowd.ask, {"kind": "bot", "bot": "random"} if self.against_bot else {"kind": "open"}
        body = {"game": GAME, "seats": [{"kind": "me"}, other]}
        opened = (await ask(self.number, "POST", "/v1/tables", tokens[0], body))["id"]
        for token in tokens[1:]:
            await ask(self.number, "POST", f"/v1/tables/{opened}/seats", token, {})
        await ask(self.number, "POST", f"/v1/tables/{opened}/start", tokens[0])
        table = self.crowd.tables[opened] = Table(opened, len(tokens))
        self.goes_on()
        return table

    def goes_on(self) -> None:
        self.steps += 1
        self.changed = time.monotonic()


class Seat:
    """One player at one table, through a socket; goes to the other gateway when that breaks."""

    def __init__(self, match: Match, table: Table, token: str, gateway: int) -> None:
        self.match, self.table, self.token, self.gateway = match, table, token, gateway
        self.crowd, self.random = match.crowd, random.Random(f"{table.id}{gateway}")
        self.waits_for: dict[str, tuple[int, int, Any]] = {}

    async def play(self) -> None:
        while not self.table.finished and not self.crowd.over.is_set():
            self.gateway += 1
            url = self.crowd.urls[self.gateway % len(self.crowd.urls)].replace("http", "ws", 1)
            address = f"{url}/v1/tables/{self.table.id}/socket?token={self.token}"
            try:
                async with connect(address, open_timeout=SILENCE, close_timeout=1, proxy=None) as socket:
                    await self.talk(socket)
            except InvalidHandshake as refused:
                self.refused(refused)
            except (OSError, WebSocketException, TimeoutError) as error:
                self.crowd.cured[f"socket: {type(error).__name__}"] += 1
            if not self.table.finished:
                await asyncio.sleep(self.random.uniform(0.1, 0.5))

    def refused(self, error: Any) -> None:
        response = getattr(error, "response", None)
        status = response.status_code if response else 0
        self.crowd.cured[f"socket: {status or type(error).__name__}"] += 1
        if response and status not in CURABLE:
            self.crowd.surprised(f"socket of {self.table.id}: {status} {response.body!r}")

    async def talk(self, socket: ClientConnection) -> None:
        """Until the game is over or something is wrong."""
        self.waits_for = {}
        while not self.crowd.over.is_set():
            message = json.loads(await asyncio.wait_for(socket.recv(), self.patience()))
            if "ack" in message:
                self.acknowledge(message["ack"])
            elif "error" in message:
                self.error(message["error"])
                return
            elif position := message.get("update") or message.get("snapshot"):
                self.notice(position)
                if position["status"] == "finished":
                    self.table.finished = True
                    return
                if position["legal"]:
                    await asyncio.sleep(self.random.uniform(0.5, 1.5) * self.crowd.pause)
                    await self.act(socket, position)

    def patience(self) -> float | None:
        return SILENCE if self.waits_for else 2 * SILENCE

    def notice(self, position: Any) -> None:
        if position["version"] < self.table.version and "events" in position:
            return  # the other player's socket was faster
        if position["version"] > self.table.version:
            self.table.version = position["version"]
            self.match.goes_on()

    async def act(self, socket: ClientConnection, position: Any) -> None:
        action, version, seat = self.random.choice(position["legal"]), position["version"], position["seat"]
        name = f"{version}"
        self.table.tried[version + 1].append((seat, action))
        self.waits_for[name] = (version + 1, seat, action)
        await socket.send(json.dumps({"act": {"id": name, "version": version, "action": action}}))

    def acknowledge(self, ack: Any) -> None:
        version, seat, action = self.waits_for.pop(ack["id"])
        if version != ack["version"]:
            self.crowd.surprised(f"{self.table.id}: a move on {version - 1} made version {ack['version']}")
        self.table.acknowledged[version] = (seat, action)
        self.crowd.moves += 1

    def error(self, problem: Any) -> None:
        self.crowd.cured[f"act: {problem['status']} {problem['reason']}"] += 1
        if problem["status"] not in CURABLE and problem["reason"] not in DONE:
            self.crowd.surprised(f"act at {self.table.id}: {problem}")


class Clocked:
    """Somebody who sits down at a table with a clock and never moves: the clock decides, not before its time."""

    def __init__(self, crowd: Crowd, number: int, seconds: int) -> None:
        self.crowd, self.number, self.seconds = crowd, number, seconds
        self.table = ""
        # How long after its start the game was over, at least and at the most; how late that is.
        self.least = self.most = 0.0
        self.over = False

    async def run(self) -> None:
        try:
            await self.wait_for_the_end()
        except Exception as error:
            self.crowd.surprised(f"a table with a clock: {error!r}")

    async def wait_for_the_end(self) -> None:
        ask, number = self.crowd.ask, self.number
        token = await self.crowd.player(number)
        body = {
            "game": GAME,
            "options": {"starting_seat": 0},
            "seats": [{"kind": "me"}, {"kind": "bot", "bot": "random"}],
            "clock": {"kind": "move", "seconds": self.seconds, "on_timeout": "resign"},
        }
        self.table = (await ask(number, "POST", "/v1/tables", token, body))["id"]
        before = time.monotonic()
        await ask(number, "POST", f"/v1/tables/{self.table}/start", token)
        after = time.monotonic()
        while not self.over:
            await asyncio.sleep(0.3)
            told = await ask(number, "GET", f"/v1/tables/{self.table}", token)
            self.most, self.least = time.monotonic() - before, time.monotonic() - after
            self.over = told["status"] == "finished"

    @property
    def early(self) -> bool:
        return self.over and self.most < self.seconds - 0.05

    @property
    def late(self) -> float:
        return max(0.0, self.least - self.seconds)
