"""The calling end of proto/teahouse/v1/link.proto: one stream to every copy of a service, calls spread over them."""

import asyncio
import contextlib
import ipaddress
import logging
import socket
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import grpc
import grpc.aio
from google.protobuf import message_factory
from google.rpc import status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.platform import tracing
from services.platform.channels import channel
from services.platform.errors import DETAILS
from services.platform.link.server import CHUNK, CREDIT, Outgoing
from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE
from teahouse.v1 import link_pb2 as pb
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
# Seconds between two looks at what a service's name stands for: copies come and go.
LOOK = 2.0
# Seconds for which nothing new is sent to a copy that said it is going away or that is silent, if there are others.
AWAY = 5.0
# Seconds for which calls wait for a service of which no copy is there: it is restarted, most likely.
MISSED = 3.0
TRY = 0.05
READY = grpc.ChannelConnectivity.READY


class Linked:
    """A stub with the methods of all contracts of a service. Errors are grpc.aio.AioRpcError.

    `address` is "host:port", or several with commas between. A name that stands for several addresses (a headless
    service) means as many copies; it is looked up again and again.
    """

    def __init__(self, address: str, descriptors: Iterable[Any], settings: Settings) -> None:
        self.settings = settings
        self.names = [each.strip() for each in address.split(",")]
        self.peers = {name: Peer(name, settings) for name in self.names}
        self.order = list(self.peers.values())
        self.turn = 0
        # Since when there has been no copy.
        self.missed: float | None = None
        unary = self.traced if tracing.tracer() else self.unary
        for method in (method for each in descriptors for method in each.methods):
            answer = message_factory.GetMessageClass(method.output_type)
            call = self.stream if method.server_streaming else unary
            setattr(self, method.name, partial(call, method.name, answer))
        self.looking = asyncio.create_task(self.look_up())

    async def line(self, only: "Collection[Peer]") -> "Line":
        peer = self.peer(only)
        while not peer.there():
            self.missed = self.missed or time.monotonic()
            if time.monotonic() - self.missed > MISSED:
                break
            for each in self.order:
                each.channel.get_state(try_to_connect=True)
            await asyncio.sleep(TRY)
            peer = self.peer(only)
        else:
            self.missed = None
        return peer.line()

    def peer(self, only: "Collection[Peer]" = ()) -> "Peer":
        order = [peer for peer in self.order if peer in only] or self.order if only else self.order
        if len(order) > 1:
            now = time.monotonic()
            # One that went away and is back already is better than one that is not there.
            order = [peer for peer in order if peer.ready(now)] or [peer for peer in order if peer.there()] or order
        self.turn += 1
        return order[self.turn % len(order)]

    async def look_up(self) -> None:
        """Keeps the list of copies true, and their connections open."""
        while True:
            try:
                found = await asyncio.gather(*map(addresses, self.names))
                if all(found):
                    self.follow({address for some in found for address in some})
            except Exception:
                log.exception("looking for copies goes on after an error")
            for peer in self.order:
                peer.channel.get_state(try_to_connect=True)
            await asyncio.sleep(LOOK)

    def follow(self, now: set[str]) -> None:
        for address in now - self.peers.keys():
            self.peers[address] = Peer(address, self.settings)
        for address in self.peers.keys() - now:
            self.peers.pop(address).retire()
        self.order = list(self.peers.values())

    async def unary(
        self,
        method: str,
        kind: Any,
        request: Any,
        timeout: float,  # noqa: ASYNC109 (as a stub's)
        only: "Collection[Peer]" = (),
    ) -> Any:
        """`only`: the copies that may be asked; none: all."""
        line = await self.line(only)
        number, answer = line.call(method, request)
        began = time.monotonic()
        late = answer.get_loop().call_later(timeout, expire, answer, timeout)
        try:
            return kind.FromString(await answer)
        finally:
            late.cancel()
            line.forget(number)
            if time.monotonic() - max(began, line.heard) >= timeout:
                # Nothing at all came back: the peer is dead or stopped, though its connection stands.
                line.give_up()

    async def traced(
        self,
        method: str,
        kind: Any,
        request: Any,
        timeout: float,  # noqa: ASYNC109
        only: "Collection[Peer]" = (),
    ) -> Any:
        tracer = tracing.tracer()
        assert tracer
        with tracer.within("client", method, {"rpc.system.name": "grpc", "rpc.method": method}):
            return await self.unary(method, kind, request, timeout, only)

    def stream(self, method: str, kind: Any, request: Any, timeout: float) -> "Streaming":
        return Streaming(self.peer().line(), method, kind, request, timeout)

    async def serving(self) -> bool:
        """Whether the copy that a call would go to now is there and serves: asked over the call's own connection."""
        health: Any = health_pb2_grpc.HealthStub(self.peer().channel)
        try:
            answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=1)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        self.looking.cancel()
        for peer in self.order:
            await peer.close()


async def addresses(name: str) -> list[str]:
    """What "host:port" stands for now; nothing if that cannot be told.

    >>> asyncio.run(addresses("127.0.0.1:7400"))
    ['127.0.0.1:7400']
    """
    host, _, port = name.rpartition(":")
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host.strip("[]"))
        return [name]
    try:
        rows = await asyncio.get_running_loop().getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except OSError as error:
        log.warning("cannot look up %s: %s", name, error)
        return []
    found = {row[4][0] for row in rows}
    return [f"[{each}]:{port}" if ":" in str(each) else f"{each}:{port}" for each in found]


class Peer:
    """One copy of the service: its channel and the stream over it."""

    def __init__(self, address: str, settings: Settings) -> None:
        self.channel = channel(address, settings)
        self.opener: Any = link_pb2_grpc.LinkStub(self.channel)
        self.open: Line | None = None
        self.away = 0.0

    def ready(self, now: float) -> bool:
        if self.open and self.open.going_away:
            self.away, self.open.going_away = now + AWAY, False
        return now >= self.away and self.channel.get_state() is READY

    def there(self) -> bool:
        return (self.open is not None and self.open.open) or self.channel.get_state() is READY

    def line(self) -> "Line":
        if self.open is None or not self.open.open:
            self.open = Line(self.opener.Open())
        return self.open

    def retire(self) -> None:
        """Nothing new goes there; what is under way may end."""
        if self.open:
            self.open.open = False
            if not self.open.waiting:
                self.open.stream.cancel()

    async def close(self) -> None:
        if self.open:
            self.open.stream.cancel()
        await self.channel.close()


class Line:
    """One stream of calls to one copy of a service."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.open = True
        self.going_away = False
        self.number = 0
        # When the peer was last heard.
        self.heard = time.monotonic()
        self.waiting: dict[int, Callable[[pb.Reply | Exception], None]] = {}
        self.outgoing = Outgoing()
        self.tasks = [asyncio.create_task(self.send()), asyncio.create_task(self.receive())]

    def call(self, method: str, request: Any) -> tuple[int, "asyncio.Future[bytes]"]:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def take(reply: pb.Reply | Exception) -> None:
            del self.waiting[number]
            if answer.done():
                return
            if isinstance(reply, Exception):
                answer.set_exception(reply)
            elif reply.error:
                answer.set_exception(error_in(reply))
            else:
                answer.set_result(reply.answer)

        number = self.begin(method, request, take)
        return number, answer

    def begin(self, method: str, request: Any, take: Callable[[pb.Reply | Exception], None]) -> int:
        self.number += 1
        self.waiting[self.number] = take
        self.outgoing.put(
            pb.Call(id=self.number, method=method, request=request.SerializeToString(), cause=CAUSE.get())
        )
        return self.number

    def forget(self, number: int) -> None:
        """Nobody waits for the answer any more."""
        if self.waiting.pop(number, None):
            self.outgoing.put(pb.Call(id=number, cancel=True))
        if not self.open and not self.waiting:
            self.stream.cancel()

    def give_up(self) -> None:
        self.open, self.going_away = False, True
        self.stream.cancel()

    async def send(self) -> None:
        try:
            while True:
                await self.stream.write(pb.Calls(calls=await self.outgoing.take()))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # `receive` learns of it too, and tells those who wait.
            return

    async def receive(self) -> None:
        error: Exception = rpc_error(grpc.StatusCode.UNAVAILABLE, "the service has ended the stream")
        try:
            while (batch := await self.stream.read()) is not grpc.aio.EOF:
                self.heard = time.monotonic()
                if batch.going_away:
                    self.open, self.going_away = False, True
                for number, reply in enumerate(batch.replies, 1):
                    if not number % CHUNK:
                        await asyncio.sleep(0)
                    if take := self.waiting.get(reply.id):
                        take(reply)
                if not self.open and not self.waiting:
                    break
        except grpc.aio.AioRpcError as broken:
            # What the service refuses comes as a reply. This is the link, and of a peer that was killed grpc sometimes
            # says INTERNAL.
            error = rpc_error(grpc.StatusCode.UNAVAILABLE, f"the link has broken: {broken.details()}")
        finally:
            self.open = False
            self.tasks[0].cancel()
            self.stream.cancel()
            for take in list(self.waiting.values()):
                take(error)


class Streaming:
    """A streaming call: `await read()` until it gives grpc.aio.EOF."""

    def __init__(self, line: Line, method: str, kind: Any, request: Any, timeout: float) -> None:
        self.line, self.kind, self.unread = line, kind, 0
        # A queue for one reader: asyncio's own costs twice as much.
        self.answers: deque[pb.Reply | Exception] = deque()
        self.reader: asyncio.Future[None] | None = None
        self.loop = asyncio.get_running_loop()
        self.number = line.begin(method, request, self.take)
        old = rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, "the stream has lived long enough")
        self.late = self.loop.call_later(timeout, self.take, old)

    def take(self, reply: pb.Reply | Exception) -> None:
        self.answers.append(reply)
        if self.reader and not self.reader.done():
            self.reader.set_result(None)

    async def read(self) -> Any:
        while not self.answers:
            self.reader = self.loop.create_future()
            await self.reader
        reply = self.answers.popleft()
        if isinstance(reply, Exception) or reply.error or reply.end:
            self.cancel()
        if isinstance(reply, Exception):
            raise reply
        if reply.error:
            raise error_in(reply)
        if reply.end:
            return grpc.aio.EOF
        self.unread += 1
        if self.unread == CREDIT // 2:
            self.line.outgoing.put(pb.Call(id=self.number, credit=self.unread))
            self.unread = 0
        return self.kind.FromString(reply.answer)

    def cancel(self) -> None:
        self.late.cancel()
        self.line.forget(self.number)


def expire(answer: "asyncio.Future[bytes]", seconds: float) -> None:
    if not answer.done():
        answer.set_exception(rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, f"no answer within {seconds:g} s"))


def rpc_error(code: grpc.StatusCode, text: str, *trailing: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailing), details=text)


CODES = {code.value[0]: code for code in grpc.StatusCode}


def error_in(reply: pb.Reply) -> grpc.aio.AioRpcError:
    status = status_pb2.Status.FromString(reply.error)
    return rpc_error(CODES[status.code], status.message, (DETAILS, reply.error))
