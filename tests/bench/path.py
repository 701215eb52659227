"""The whole path: WebSocket clients, gateway, sessions, rules, Redis with its append-only file.

As in the peer's load: two socket clients a table, and every move waits until both have seen it. The peer is
boardgame.io in memory, where it is installed (`make peers`), in the same run on the same machine.
"""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from deploy.stack import Stack
from tests.bench.socket import Socket, connect

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"
SECONDS = 8.0
WARM_UP = 3.0
TABLES_A_MATCH = 6


class Position(msgspec.Struct):
    version: int
    status: str
    actor: int | None
    legal: list[msgspec.Raw]


class Message(msgspec.Struct):
    snapshot: Position | None = None
    update: Position | None = None
    error: Any = None


DECODER = msgspec.json.Decoder(Message)


class Client:
    """One player's socket: remembers the newest position and wakes whoever waits for it."""

    def __init__(self) -> None:
        self.socket: Socket
        self.position = Position(0, "open", None, [])
        self.waiter: asyncio.Future[None] | None = None
        self.wanted = 0

    def heard(self, text: bytes) -> None:
        if text.startswith(b'{"ack"'):
            return
        message = DECODER.decode(text)
        if message.error:
            raise RuntimeError(message.error)
        position = message.update or message.snapshot
        if position:
            self.position = position
            if self.waiter and not self.waiter.done() and position.version >= self.wanted:
                self.waiter.set_result(None)

    async def seen(self, version: int) -> None:
        if self.position.version < version:
            self.wanted, self.waiter = version, asyncio.get_running_loop().create_future()
            await self.waiter

    def act(self) -> None:
        action = bytes(self.position.legal[0])
        self.socket.send(b'{"act":{"id":"1","version":%d,"action":%b}}' % (self.position.version, action))


class Load:
    """`pause` is what a table waits after each move: with none, the load is as heavy as the server allows."""

    def __init__(self, url: str, tables: int, pause: float = 0.0) -> None:
        self.url, self.tables, self.measuring, self.until, self.pause = url, tables, False, float("inf"), pause
        self.latencies: list[float] = []
        self.everyone = asyncio.Barrier(tables + 1)

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body or {}).encode())
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)

    def open_table(self, tokens: list[str]) -> str:
        table = {"game": "geishas_road", "seats": [{"kind": "me"}, {"kind": "open"}]}
        opened: str = self.call("POST", "/v1/tables", table, tokens[0])["id"]
        self.call("POST", f"/v1/tables/{opened}/seats", {}, tokens[1])
        self.call("POST", f"/v1/tables/{opened}/start", {}, tokens[0])
        return opened

    async def match(self) -> None:
        """Plays tables that were opened before the measuring, as the peer's are; opens more if they run out."""
        tokens = [(await asyncio.to_thread(self.call, "POST", "/v1/players", {"name": "x"}))["token"] for _ in range(2)]
        tables = [await asyncio.to_thread(self.open_table, tokens) for _ in range(TABLES_A_MATCH)]
        await self.everyone.wait()
        while time.perf_counter() < self.until:
            table = tables.pop() if tables else await asyncio.to_thread(self.open_table, tokens)
            await self.play(table, tokens)

    async def play(self, table: str, tokens: list[str]) -> None:
        address = f"{self.url.replace('http', 'ws')}/v1/tables/{table}/socket?token="
        clients = [Client(), Client()]
        for client, token in zip(clients, tokens, strict=True):
            client.socket = await connect(address + token, client.heard)
            await client.seen(1)
        while clients[0].position.status == "playing" and time.perf_counter() < self.until:
            actor = clients[0].position.actor
            assert actor is not None
            version = clients[0].position.version + 1
            began = time.perf_counter()
            clients[actor].act()
            for client in clients:
                await client.seen(version)
            if self.measuring:
                self.latencies.append(time.perf_counter() - began)
            if self.pause:
                await asyncio.sleep(self.pause)
        for client in clients:
            client.socket.transport.close()

    async def run(self) -> tuple[float, float, float]:
        matches = [asyncio.create_task(self.match()) for _ in range(self.tables)]
        await self.everyone.wait()
        await asyncio.sleep(WARM_UP)
        self.measuring, self.until = True, time.perf_counter() + SECONDS
        await asyncio.sleep(SECONDS)
        self.measuring = False
        await ended(matches)
        return figures(self.latencies)


async def ended(tasks: list["asyncio.Task[None]"]) -> None:
    """Ends them; what one of them failed of before is raised."""
    for task in tasks:
        task.cancel()
    for error in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(error, Exception):
            raise error


async def measure(url: str, tables: int, pause: float = 0.0) -> tuple[float, float, float]:
    return await Load(url, tables, pause).run()


def figures(latencies: list[float]) -> tuple[float, float, float]:
    latencies.sort()
    p50, p99 = (1000 * latencies[int(len(latencies) * share)] for share in (0.5, 0.99))
    return len(latencies) / SECONDS, p50, p99


def peer(tables: int) -> tuple[float, float, float] | None:
    if not (PEERS / "node_modules" / "boardgame.io").exists() or not shutil.which("node"):
        return None
    here = Path(__file__).parent / "boardgame_io"
    env = {**os.environ, "NODE_PATH": str(PEERS / "node_modules")}
    server = subprocess.Popen(
        ["node", "server.js"], cwd=here, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_port(8055)
        load = ["node", "load.js", str(tables), str(int(SECONDS))]
        answer = subprocess.run(load, cwd=here, env=env, capture_output=True, text=True, check=True)
        found = json.loads(answer.stdout.strip().splitlines()[-1])
        return found["moves_per_s"], found["p50"], found["p99"]
    finally:
        server.kill()
        server.wait()


def wait_for_port(port: int) -> None:
    for _ in range(300):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nobody listens on port {port}")


def main(stack: Stack) -> None:
    print("path: two sockets a table, every move seen by both; moves per second, p50 and p99 in ms")
    for tables in (20, 100):
        theirs = peer(tables)
        ours = uvloop.run(measure(stack.url, tables))
        print(f"  {tables:>3} tables  teahouse      {ours[0]:>7,.0f}   {ours[1]:6.1f} {ours[2]:7.1f}", flush=True)
        if theirs is None:
            print("  boardgame.io is not installed: `make peers` installs it")
            continue
        ratio = f"   teahouse plays {ours[0] / theirs[0]:.2f} times as many"
        print(
            f"  {tables:>3} tables  boardgame.io  {theirs[0]:>7,.0f}   {theirs[1]:6.1f} {theirs[2]:7.1f}{ratio}",
            flush=True,
        )
