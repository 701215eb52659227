"""What the gateway adds to uvicorn's protocols, against those alone: how frames are written, the limits of a request's
head, the guard against slow readers. As a program it is one of the servers."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from deploy.stack import LOCAL
from gateway.server.request_head import RequestHead
from gateway.server.slow_clients import SlowClientGuard
from gateway.server.socket_writer import EXTENSION, FrameWriting
from tests.bench.parts.measuring import Call, Way, compare, server
from tests.bench.socket import connect

# A move's acknowledgement and its update.
TOLD = (b"a" * 60, b"u" * 2000)
REQUEST = b"GET / HTTP/1.1\r\nHost: teahouse\r\n" + b"".join(b"X-Header-%d: %b\r\n" % (n, b"v" * 40) for n in range(8))


class Limited(RequestHead, HttpToolsProtocol):
    pass


class Guarded(SlowClientGuard, HttpToolsProtocol):
    # A minute by default; each connection is looked at four times in it.
    patience = 60.0


class Direct(FrameWriting, WebSocketsSansIOProtocol):
    pass


async def answer(request: Any) -> PlainTextResponse:
    return PlainTextResponse("ok")


async def through_starlette(websocket: WebSocket) -> None:
    await websocket.accept()
    texts = [told.decode() for told in TOLD]
    async for _ in websocket.iter_text():
        for text in texts:
            await websocket.send_text(text)


async def direct(websocket: WebSocket) -> None:
    await websocket.accept()
    writer = websocket.scope["extensions"][EXTENSION]
    async for _ in websocket.iter_text():
        for told in TOLD:
            await writer.write(told)


# Of each server: its protocols of HTTP and of WebSockets, and what answers on a socket.
SERVERS: dict[str, tuple[Any, Any, Any]] = {
    "plain": (HttpToolsProtocol, WebSocketsSansIOProtocol, through_starlette),
    "socket_writer": (HttpToolsProtocol, Direct, direct),
    "header_limits": (Limited, WebSocketsSansIOProtocol, through_starlette),
    "slow_clients": (Guarded, WebSocketsSansIOProtocol, through_starlette),
}


def serve(name: str) -> None:
    http, websocket, endpoint = SERVERS[name]
    app = Starlette(routes=[Route("/", answer), WebSocketRoute("/socket", endpoint)])
    listening = socket.create_server((LOCAL, 0), backlog=1000)
    config = uvicorn.Config(
        app,
        http=http,
        ws=websocket,
        loop="uvloop",
        log_config=None,
        access_log=False,
        ws_per_message_deflate=False,
        ws_ping_interval=None,
    )
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(config).run([listening])


class Requests(asyncio.Protocol):
    """A connection that asks, and asks again when it has its answer."""

    def __init__(self) -> None:
        self.answered: asyncio.Future[None]
        self.transport: Any

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"ok"):
            self.answered.set_result(None)

    async def call(self) -> None:
        self.answered = asyncio.get_running_loop().create_future()
        self.transport.write(REQUEST + b"\r\n")
        await self.answered


class Sockets:
    """A WebSocket that asks, and asks again when it has been told both."""

    def __init__(self) -> None:
        self.socket: Any
        self.told = 0
        self.both: asyncio.Future[None]

    def heard(self, payload: bytes) -> None:
        self.told += 1
        if self.told % len(TOLD) == 0:
            self.both.set_result(None)

    async def call(self) -> None:
        self.both = asyncio.get_running_loop().create_future()
        self.socket.send(b"go")
        await self.both


class Ways:
    def __init__(self, port: int) -> None:
        self.port = port

    @asynccontextmanager
    async def requests(self, callers: int) -> AsyncIterator[list[Call]]:
        loop = asyncio.get_running_loop()
        made = [(await loop.create_connection(Requests, LOCAL, self.port))[1] for _ in range(callers)]
        yield [each.call for each in made]
        for each in made:
            each.transport.close()

    @asynccontextmanager
    async def sockets(self, callers: int) -> AsyncIterator[list[Call]]:
        made = [Sockets() for _ in range(callers)]
        for each in made:
            each.socket = await connect(f"ws://{LOCAL}:{self.port}/socket", each.heard)
        yield [each.call for each in made]
        for each in made:
            each.socket.transport.close()


async def main(part: str) -> None:
    with server(__name__, "plain") as (plain_port, plain), server(__name__, part) as (port, ours):
        for_sockets = part == "socket_writer"
        theirs, mine = Ways(plain_port), Ways(port)
        ways: list[Way] = [
            ("uvicorn", theirs.sockets if for_sockets else theirs.requests),
            (part, mine.sockets if for_sockets else mine.requests),
        ]
        await compare("moves on a socket" if for_sockets else "requests", ways, [1, 100], [plain, ours])


if __name__ == "__main__":
    serve(sys.argv[1])
