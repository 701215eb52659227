"""The WebSocket of a table: updates out, actions in. The hot path: plain ASGI, payloads unread.

A socket has one task that reads updates and one that reads the client. Sending waits for this client alone; what it
misses meanwhile, the session service puts into one update.
"""

import asyncio
from urllib.parse import parse_qsl

import grpc.aio
import msgspec
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from gateway import convert, metrics, schemas
from gateway.auth import HOW, onlooker
from gateway.backend import Backend
from gateway.bodies import decode
from gateway.problems import Problem, from_error, invalid
from gateway.watching import Watch
from teahouse.v1 import sessions_pb2

MESSAGE = msgspec.json.Decoder(schemas.SocketMessage)
AFTER = msgspec.json.Decoder(schemas.Version)
NORMAL, FAILED = 1000, 1011


class Name(msgspec.Struct):
    """As much of a broken action as is needed to answer it."""

    id: str | int | None = None


class Named(msgspec.Struct):
    act: Name


NAMED = msgspec.json.Decoder(Named)


class SocketEndpoint:
    """ASGI application at /v1/tables/{table}/socket."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope["app"].state
        try:
            watch, after = await self.watch(scope)
            first = await watch.next()
        except Exception as error:
            await refuse(from_error(error), scope, receive, send)
            return
        socket = Socket(state.backend, watch, scope["path"], receive, send)
        with metrics.SOCKETS.track_inprogress():
            try:
                await send({"type": "websocket.accept"})
                await socket.run(first, after)
            except OSError:
                # The client has gone; uvicorn says so when we send.
                pass
            finally:
                watch.close()

    async def watch(self, scope: Scope) -> tuple[Watch, int | None]:
        state, headers = scope["app"].state, Headers(scope=scope)
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        caller = await onlooker(state.players, headers, query)
        after = None
        if "after" in query:
            try:
                after = AFTER.decode(query["after"])
            except msgspec.DecodeError:
                raise invalid([{"field": "after", "message": "Expected a version: a whole number from 0"}]) from None
        code = headers.get("x-join-code") or query.get("join_code", "")
        return Watch(state.backend, caller, scope["path_params"]["table"], code, after), after


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers the handshake with the problem document, where the server can; else with a bare 403."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": FAILED, "reason": problem.reason})
        return
    await problem.response(scope["path"])(scope, receive, send)


class Socket:
    """One open socket."""

    def __init__(self, backend: Backend, watch: Watch, path: str, receive: Receive, send: Send) -> None:
        self.backend, self.watch, self.path = backend, watch, path
        self.receive, self.send = receive, send
        self.acting = asyncio.Lock()

    async def run(self, first: sessions_pb2.Update | None, after: int | None) -> None:
        """Until the game is over or the client goes."""
        if first is not None and after is None:
            await self.tell(schemas.Snapshot(convert.position(first.position)))
        elif first is not None:
            await self.update(first)
        updates = asyncio.ensure_future(self.pass_updates())
        reading = asyncio.ensure_future(self.read_client())
        try:
            await asyncio.wait((updates, reading), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
                return
            # The answer to the action that ended the game goes out before the socket closes.
            async with self.acting:
                code = updates.result()
            await self.send({"type": "websocket.close", "code": code})
        finally:
            updates.cancel()
            reading.cancel()
            await asyncio.gather(updates, reading, return_exceptions=True)

    async def pass_updates(self) -> int:
        """Gives the code to close with."""
        try:
            while (update := await self.watch.next()) is not None:
                await self.update(update)
        except grpc.aio.AioRpcError as error:
            await self.error(None, from_error(error))
            return FAILED
        return NORMAL

    async def read_client(self) -> None:
        while True:
            message = await self.receive()
            if message["type"] == "websocket.disconnect":
                return
            if message["type"] == "websocket.receive":
                async with self.acting:
                    await self.answer(content(message))

    async def answer(self, body: bytes) -> None:
        try:
            move = decode(body, MESSAGE).act
            version = await self.act(move)
        except Exception as error:
            await self.error(name(body), from_error(error))
        else:
            await self.tell(schemas.Acked(schemas.Ack(move.id, version)))

    async def act(self, move: schemas.SocketMove) -> int:
        if not self.watch.caller:
            raise Problem(401, "TOKEN_NEEDED", f"Spectators cannot act. {HOW} Sockets also take ?token=<token>.")
        request = sessions_pb2.ActRequest(
            caller=self.watch.caller,
            table=self.watch.table,
            version=move.version,
            action=bytes(move.action),
            brief=True,
        )
        update: sessions_pb2.Update = await self.backend.call(self.backend.sessions.Act, request)
        metrics.MOVES_BY_SOCKET.inc()
        return update.position.version

    async def update(self, update: sessions_pb2.Update) -> None:
        await self.tell(schemas.Change(convert.update(update)))

    async def error(self, id_: str | int | None, problem: Problem) -> None:
        await self.tell(schemas.Refused({"id": id_, **problem.document(self.path)}))

    async def tell(self, message: schemas.Told) -> None:
        await self.send({"type": "websocket.send", "text": convert.encode(message).decode()})


def content(message: Message) -> bytes:
    """Text or bytes: either may hold the JSON."""
    text: str | None = message.get("text")
    return text.encode() if text is not None else message["bytes"]


def name(body: bytes) -> str | int | None:
    """The id of an action that cannot be carried out, if it can be read."""
    try:
        return NAMED.decode(body).act.id
    except (ValueError, RecursionError):
        return None
