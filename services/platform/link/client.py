"""The calling end of links: one to each copy of a service, and calls spread over them."""

import asyncio
import contextlib
import ipaddress
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf import message_factory
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.platform import tracing
from services.platform.channels import channel
from services.platform.link.client_connection import ClientConnection, StreamingCall
from services.platform.settings import Settings
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
Answer = TypeVar("Answer", bound=Message)
# Seconds between two lookups of the service's name: copies come and go.
LOOKUP = 2.0
# Seconds for which a copy that is going away, or that fell silent, gets no new calls if there are others.
AVOID = 5.0
# Seconds for which calls wait if no copy can be reached: the service is being restarted, most likely.
PATIENCE = 3.0
RETRY = 0.05
READY = grpc.ChannelConnectivity.READY


class LinkClient:
    """Calls a service: `await client.unary("Look", Position, request, timeout=5)`. Errors are grpc.aio.AioRpcError.

    `address` is "host:port", or several with commas between. A name that stands for several addresses (a headless
    service) means as many copies. The methods in `descriptors` can also be called by name, as those of a stub.
    """

    def __init__(self, address: str, descriptors: Iterable[Any], settings: Settings) -> None:
        self.settings = settings
        self.names = [each.strip() for each in address.split(",")]
        self.known = {name: Copy(name, settings) for name in self.names}
        self.copies = list(self.known.values())
        self.turn = 0
        # Since when no copy can be reached.
        self.missing: float | None = None
        self.ask: Callable[..., Awaitable[Any]] = self.traced if tracing.tracer() else self.untraced
        for method in (method for each in descriptors for method in each.methods):
            answer = message_factory.GetMessageClass(method.output_type)
            call = self.stream if method.server_streaming else self.unary
            setattr(self, method.name, partial(call, method.name, answer))
        self.following = asyncio.create_task(self.follow_names())

    def unary(
        self, method: str, answer: type[Answer], request: Message, timeout: float, only: "Collection[Copy]" = ()
    ) -> Awaitable[Answer]:
        """One answer. `only` are the copies that may be asked; none: all."""
        return self.ask(method, answer, request, timeout, only)

    def stream(self, method: str, answer: type[Answer], request: Message, timeout: float) -> StreamingCall[Answer]:
        """Answers for `async for`; `cancel()` ends them early."""
        return StreamingCall(self.next_copy().connect(), method, answer, request, timeout)

    async def serving(self) -> bool:
        """Whether the copy that the next call goes to serves: asked over the connection that the call would take."""
        health: Any = health_pb2_grpc.HealthStub(self.next_copy().channel)
        try:
            answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=1)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    def ready_copies(self) -> "list[Copy]":
        """Those to call now; all, if none is ready."""
        now = time.monotonic()
        return [copy for copy in self.copies if copy.ready(now)] or self.copies

    async def close(self) -> None:
        self.following.cancel()
        for copy in self.copies:
            await copy.close()

    async def untraced(
        self,
        method: str,
        answer: Any,
        request: Message,
        timeout: float,  # noqa: ASYNC109 (the server must know nothing of it)
        only: "Collection[Copy]",
    ) -> Any:
        connection = await self.connection(only)
        return answer.FromString(await connection.call(method, request, timeout))

    async def traced(
        self,
        method: str,
        answer: Any,
        request: Message,
        timeout: float,  # noqa: ASYNC109
        only: "Collection[Copy]",
    ) -> Any:
        tracer = tracing.tracer()
        assert tracer
        with tracer.within("client", method, {"rpc.system.name": "grpc", "rpc.method": method}):
            return await self.untraced(method, answer, request, timeout, only)

    async def connection(self, only: "Collection[Copy]") -> ClientConnection:
        """To the copy whose turn it is. Waits a moment for a copy if none can be reached."""
        copy = self.next_copy(only)
        while not copy.reachable():
            self.missing = self.missing or time.monotonic()
            if time.monotonic() - self.missing > PATIENCE:
                break
            self.reconnect()
            await asyncio.sleep(RETRY)
            copy = self.next_copy(only)
        else:
            self.missing = None
        return copy.connect()

    def next_copy(self, only: "Collection[Copy]" = ()) -> "Copy":
        copies = [copy for copy in self.copies if copy in only] or self.copies if only else self.copies
        if len(copies) > 1:
            now = time.monotonic()
            # One that went away and is back already is better than one that is not there.
            copies = (
                [copy for copy in copies if copy.ready(now)] or [copy for copy in copies if copy.reachable()] or copies
            )
        self.turn += 1
        return copies[self.turn % len(copies)]

    async def follow_names(self) -> None:
        """Keeps the list of copies true, and their connections open."""
        while True:
            try:
                found = await asyncio.gather(*map(addresses, self.names))
                if all(found):
                    self.follow({address for some in found for address in some})
            except Exception:
                log.exception("the lookup of copies goes on after an error")
            self.reconnect()
            await asyncio.sleep(LOOKUP)

    def follow(self, now: set[str]) -> None:
        for address in now - self.known.keys():
            self.known[address] = Copy(address, self.settings)
        for address in self.known.keys() - now:
            self.known.pop(address).retire()
        self.copies = list(self.known.values())

    def reconnect(self) -> None:
        for copy in self.copies:
            copy.channel.get_state(try_to_connect=True)


class Copy:
    """One copy of the service: its channel and the connection over it."""

    def __init__(self, address: str, settings: Settings) -> None:
        self.channel = channel(address, settings)
        self.stub: Any = link_pb2_grpc.LinkStub(self.channel)
        self.connection: ClientConnection | None = None
        self.avoided_until = 0.0

    def ready(self, now: float) -> bool:
        return now >= self.avoided_until and self.channel.get_state() is READY

    def reachable(self) -> bool:
        return (self.connection is not None and self.connection.open) or self.channel.get_state() is READY

    def connect(self) -> ClientConnection:
        if self.connection is None or not self.connection.open:
            self.connection = ClientConnection(self.stub.Open(), self.avoid)
        return self.connection

    def avoid(self) -> None:
        self.avoided_until = time.monotonic() + AVOID

    def retire(self) -> None:
        """Nothing new goes there; what is under way may end."""
        if self.connection:
            self.connection.finish()

    async def close(self) -> None:
        if self.connection:
            self.connection.stream.cancel()
        await self.channel.close()


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
