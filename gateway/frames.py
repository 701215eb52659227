"""The short way of what a socket is told: past ASGI and its middleware, which a move would pass three times."""

import asyncio
from typing import Any, Protocol

from uvicorn.protocols.utils import ClientDisconnected
from websockets.protocol import OPEN

EXTENSION = "teahouse.frames"
# The first byte of a whole text message; what stands in place of a size that needs two bytes, or eight.
TEXT, TWO, EIGHT = 0x81, 126, 127


class Frames(Protocol):
    """What an endpoint finds among the extensions of its scope."""

    async def tell(self, payload: bytes) -> None:
        """Sends a text message; waits for this client alone."""


class Telling:
    """For uvicorn's protocol of WebSockets. What is told in one turn of the loop is one write.

    A move's acknowledgement and its update come together nearly always; for both ends a write costs more than all else
    that is done with a message.
    """

    loop: asyncio.AbstractEventLoop
    transport: Any
    conn: Any
    queue: asyncio.Queue[Any]
    read_paused: bool
    writable: asyncio.Event

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.untold: list[bytes] = []

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)  # type: ignore[misc]
        if scope := getattr(self, "scope", None):
            scope["extensions"][EXTENSION] = self

    async def tell(self, payload: bytes) -> None:
        if not self.writable.is_set():
            await self.writable.wait()
        if self.conn.state is not OPEN or self.transport.is_closing():
            raise ClientDisconnected
        if not self.untold:
            self.loop.call_soon(self.flush)
        self.untold += (head(len(payload)), payload)

    def flush(self) -> None:
        untold, self.untold = self.untold, []
        if untold and self.conn.state is OPEN and not self.transport.is_closing():
            self.transport.write(b"".join(untold))

    def send_receive_event_to_app(self) -> None:
        """Reading stops when a second message waits: stopping for each, as uvicorn does, is two system calls more."""
        first = self.queue.empty()
        self.read_paused = self.read_paused or first
        super().send_receive_event_to_app()  # type: ignore[misc]
        if first:
            self.read_paused = False

    async def send(self, message: Any) -> None:
        self.flush()
        await super().send(message)  # type: ignore[misc]

    def shutdown(self) -> None:
        self.flush()
        super().shutdown()  # type: ignore[misc]


def head(size: int) -> bytes:
    """What stands before a text message of that size.

    >>> head(5).hex(), head(300).hex(), head(70000).hex()
    ('8105', '817e012c', '817f0000000000011170')
    """
    if size < TWO:
        return bytes((TEXT, size))
    if size < 1 << 16:
        return bytes((TEXT, TWO, size >> 8, size & 255))
    return bytes((TEXT, EIGHT)) + size.to_bytes(8, "big")
