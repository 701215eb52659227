"""Writes a socket's messages as frames, past ASGI and its middleware, which a move would pass three times.

A move on a socket costs the gateway two thirds of what it costs with Starlette's own send:
`python -m tests.bench.parts socket_writer`.
"""

from asyncio import BaseTransport
from typing import Any, Protocol

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import OPEN

EXTENSION = "teahouse.socket_writer"
# The first byte of a whole text message; what stands in place of a size that needs two bytes, or eight.
TEXT, TWO, EIGHT = 0x81, 126, 127


class SocketWriter(Protocol):
    """What an endpoint finds among the extensions of its scope."""

    async def write(self, payload: bytes) -> None:
        """Sends a text message; waits for this client alone."""


class FrameWriting(WebSocketsSansIOProtocol):
    """Everything that is sent in one turn of the loop is one write.

    A move's acknowledgement and its update come together nearly always; for both ends a write costs more than all else
    that is done with a message.
    """

    def connection_made(self, transport: BaseTransport) -> None:
        self.unwritten: list[bytes] = []
        super().connection_made(transport)

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if scope := getattr(self, "scope", None):
            scope["extensions"][EXTENSION] = self

    async def write(self, payload: bytes) -> None:
        if not self.writable.is_set():
            await self.writable.wait()
        if self.conn.state is not OPEN or self.transport.is_closing():
            raise ClientDisconnected
        if not self.unwritten:
            self.loop.call_soon(self.flush)
        self.unwritten += (frame_header(len(payload)), payload)

    def flush(self) -> None:
        unwritten, self.unwritten = self.unwritten, []
        if unwritten and self.conn.state is OPEN and not self.transport.is_closing():
            self.transport.write(b"".join(unwritten))

    def send_receive_event_to_app(self) -> None:
        """Reading stops when a second message waits: stopping for each, as uvicorn does, is two system calls more."""
        first = self.queue.empty()
        self.read_paused = self.read_paused or first
        super().send_receive_event_to_app()
        if first:
            self.read_paused = False

    async def send(self, message: Any) -> None:
        self.flush()
        await super().send(message)

    def shutdown(self) -> None:
        self.flush()
        super().shutdown()


def frame_header(size: int) -> bytes:
    """What stands before a text message of that size.

    >>> frame_header(5).hex(), frame_header(300).hex(), frame_header(70000).hex()
    ('8105', '817e012c', '817f0000000000011170')
    """
    if size < TWO:
        return bytes((TEXT, size))
    if size < 1 << 16:
        return bytes((TEXT, TWO, size >> 8, size & 255))
    return bytes((TEXT, EIGHT)) + size.to_bytes(8, "big")
