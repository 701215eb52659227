"""The WebSocket of a table: updates out, actions and lines of chat in. The hot path: plain ASGI, payloads unread.

A socket has one task that reads updates and one that reads the client. Sending waits for this client alone; what it
misses meanwhile, the session service puts into one update.
"""

import asyncio
import logging
import time
from urllib.parse import parse_qsl

import grpc.aio
import msgspec
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from gateway import convert, messages, metrics, schemas
from gateway.auth import HOW, Client
from gateway.backend import Backend
from gateway.bodies import decode
from gateway.frames import EXTENSION, Frames
from gateway.problems import Problem, from_error, invalid
from gateway.strict import check_query
from gateway.watching import Watch
from services.platform import tracing
from services.platform.tracing.context import CAUSE
from teahouse.v1 import company_pb2, sessions_pb2
from teahouse.v1.link_pb2 import Cause

log = logging.getLogger(__name__)

MESSAGE = msgspec.json.Decoder(messages.SocketMessage)
AFTER = msgspec.json.Decoder(schemas.Version)
QUERY = ["token", "after", "join_code"]
NORMAL, FAILED, RESTART = 1000, 1011, 1012
# Seconds between the last update of a server that stops and the end of the socket: what a client answered to that
# update is still carried out and acknowledged.
LAST_WORDS = 0.3


class Name(msgspec.Struct):
    """As much of a broken message as is needed to answer it."""

    id: str | int | None = None


class Named(msgspec.Struct):
    act: Name | None = None
    say: Name | None = None


NAMED = msgspec.json.Decoder(Named)


class SocketEndpoint:
    """ASGI application at /v1/tables/{table}/socket."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope["app"].state
        try:
            watch, after = await self.watch(scope)
            first = await watch.next()
        except Exception as error:
            problem = from_error(error)
            if problem.reason == "WRONG_CODE":
                scope["caller"].guessed_wrong()
            await refuse(problem, scope, receive, send)
            return
        frames, kind = scope["extensions"][EXTENSION], TracedSocket if tracing.tracer() else Socket
        socket = kind(state.backend, scope["caller"], watch, scope["path"], receive, send, frames)
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
        check_query(scope["query_string"], QUERY)
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        caller = scope["caller"].onlooker
        after = None
        if "after" in query:
            try:
                after = AFTER.decode(query["after"])
            except msgspec.DecodeError:
                raise invalid([{"field": "after", "message": "Expected a version: a whole number from 0"}]) from None
        code = headers.get("x-join-code") or query.get("join_code", "")
        if code:
            await scope["caller"].guess_code()
        return Watch(state.backend, caller, scope["path_params"]["table"], code, after), after


async def no_upgrade() -> None:
    """A plain GET of a socket's address."""
    detail = "This is a WebSocket: open it with a client for those, or watch the table with GET …/events."
    raise Problem(426, "UPGRADE_REQUIRED", detail, {"Upgrade": "websocket"})


class NoSocket:
    """ASGI application for handshakes everywhere else."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = "There is no WebSocket at this address. That of a table is at /v1/tables/{table}/socket."
        await refuse(Problem(404, "UNKNOWN_ROUTE", detail), scope, receive, send)


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers the handshake with the problem document, where the server can; else with a bare 403."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": FAILED, "reason": problem.reason})
        return
    await problem.response(scope["path"])(scope, receive, send)


class Socket:
    """One open socket."""

    def __init__(
        self, backend: Backend, client: Client, watch: Watch, path: str, receive: Receive, send: Send, frames: Frames
    ) -> None:
        self.backend, self.client, self.watch, self.path = backend, client, watch, path
        self.receive, self.send, self.frames = receive, send, frames
        self.acting = asyncio.Lock()
        # Every message is a request of its own: the n-th has the socket's id with .n behind it.
        self.id, self.messages = CAUSE.get().request_id, 0

    async def run(self, first: sessions_pb2.Update | None, after: int | None) -> None:
        """Until the game is over, the client goes or the server stops."""
        if first is not None and after is None:
            await self.tell(messages.Snapshot(convert.position(first.position)))
        elif first is not None:
            await self.update(first)
        updates = asyncio.ensure_future(self.pass_updates())
        reading = asyncio.ensure_future(self.read_client())
        stopping = asyncio.ensure_future(self.backend.stopping.wait())
        tasks = (updates, reading, stopping)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if stopping.done():
                updates.cancel()
                await asyncio.wait((reading,), timeout=LAST_WORDS)
            if reading.done():
                reading.result()
                return
            # The answer to an action that is under way goes out before the socket closes.
            async with self.acting:
                code = RESTART if stopping.done() else updates.result()
            await self.send({"type": "websocket.close", "code": code})
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

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
        self.messages += 1
        CAUSE.set(Cause(request_id=f"{self.id}.{self.messages}"))
        began = time.perf_counter()
        try:
            if not self.client.may_go_on():
                await self.client.go_on()
            told = await self.carry_out(decode(body, MESSAGE))
        except Exception as error:
            await self.refuse(body, from_error(error), began)
        else:
            (metrics.ACTED if type(told) is messages.Acked else metrics.SAID).observe(time.perf_counter() - began)
            await self.tell(told)

    async def refuse(self, body: bytes, problem: Problem, began: float) -> None:
        kind, id_ = name(body)
        metrics.MESSAGES.labels(kind, problem.status).observe(time.perf_counter() - began)
        if problem.status >= 500:
            log.warning("a message on a socket got %s", problem.reason, extra={"table": self.watch.table})
        await self.error(id_, problem)

    async def carry_out(self, message: messages.SocketMessage) -> messages.Told:
        if isinstance(message.act, messages.SocketMove) and message.say is msgspec.UNSET:
            return messages.Acked(messages.Ack(message.act.id, await self.act(message.act)))
        if isinstance(message.say, messages.SocketLine) and message.act is msgspec.UNSET:
            return messages.LineAcked(messages.LineAck(message.say.id, await self.say(message.say)))
        raise invalid([{"field": "", "message": "Expected one of `act` and `say`"}])

    async def act(self, move: messages.SocketMove) -> int:
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

    async def say(self, line: messages.SocketLine) -> str:
        if not self.watch.caller:
            raise Problem(401, "TOKEN_NEEDED", f"Spectators cannot write. {HOW} Sockets also take ?token=<token>.")
        request = company_pb2.SayRequest(caller=self.watch.caller, table=self.watch.table, text=line.text)
        said: sessions_pb2.ChatLine = await self.backend.call(self.backend.sessions.Say, request)
        return said.id

    async def update(self, update: sessions_pb2.Update) -> None:
        if update.HasField("position"):
            await self.tell(messages.Change(convert.update(update)))
        for line in update.chat:
            await self.tell(messages.SaidLine(convert.line(line)))
        if update.HasField("presence"):
            await self.tell(messages.PresenceNews(convert.presence(update.presence)))

    async def error(self, id_: str | int | None, problem: Problem) -> None:
        await self.tell(messages.Refused({"id": id_, **problem.document(self.path)}))

    async def tell(self, message: messages.Told) -> None:
        await self.frames.tell(convert.encode(message))


class TracedSocket(Socket):
    """Each message is the beginning of a trace."""

    async def carry_out(self, message: messages.SocketMessage) -> messages.Told:
        tracer, move = tracing.tracer(), message.act
        assert tracer
        about: dict[str, str | int] = {"teahouse.table": self.watch.table}
        if isinstance(move, messages.SocketMove):
            about["teahouse.version"] = move.version
        kind = "act" if "teahouse.version" in about else "say"
        with tracer.span("server", f"SOCKET {kind}", CAUSE.get(), about) as span:
            try:
                return await super().carry_out(message)
            except Exception as error:
                problem = from_error(error)
                span.refused(problem.reason, problem.status >= 500)
        raise problem


def content(message: Message) -> bytes:
    """Text or bytes: either may hold the JSON."""
    text: str | None = message.get("text")
    return text.encode() if text is not None else message["bytes"]


def name(body: bytes) -> tuple[str, str | int | None]:
    """What a message that cannot be carried out wants, and its id, if they can be read."""
    try:
        named = NAMED.decode(body)
    except (ValueError, RecursionError):
        return "unknown", None
    kind = "act" if named.act else "say" if named.say else "unknown"
    return kind, (named.act or named.say or Name()).id
