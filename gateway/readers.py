"""Clients that read too little of their streams: each is dropped after a while, so that none costs the others anything.

What a client has not taken waits in two places, both of them bounded: in this process, where uvicorn then stops the
stream of this client alone, and in the kernel's buffer of its connection. Nothing waits in the session service, which
puts what such a client misses into one update.

The rule goes by age: what waits for a client must have arrived `patience` seconds later. A client that is slow but
keeps up stays; one that takes some bytes now and then does not. Of more than a stream ever keeps waiting, such as a
large file, it must take that much in the time, so that a slow line gets it too. Connections are looked at now and then,
which costs those who keep up nothing. Who does not finish a request in the same time is dropped as well.
"""

import asyncio
import fcntl
import socket
import struct
import termios
from typing import Any

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from gateway import metrics
from gateway.frames import Telling
from gateway.heads import Heads

# Bytes that the kernel keeps for one connection; it may double them.
KEPT = 128 * 1024
# What can wait for the reader of a stream, in this process and in the kernel.
WAITING = HIGH_WATER_LIMIT + 2 * KEPT
# Looks at a connection in the time that it may keep us waiting.
LOOKS = 4
# Seconds for the last words to a client that has not answered pings.
FAREWELL = 1.0
# Linux tells how much a client has acknowledged: tcpi_bytes_acked of struct tcp_info.
TOLD = hasattr(socket, "TCP_INFO")
INFO_SIZE, ACKNOWLEDGED = 128, 120


def bound(listening: socket.socket) -> None:
    """Bounds what the kernel keeps for a client. Connections inherit it from the socket that listens.

    Its TCP_USER_TIMEOUT is no help: it also ends connections to clients that read, but slowly.
    """
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KEPT)


class Dropping:
    """For protocols: a client that keeps us waiting for too long is cut off; what it has not read is thrown away."""

    patience: float
    loop: asyncio.AbstractEventLoop
    transport: Any
    # How many bytes the client must have taken, of all that was ever sent, and since when we have been waiting for it.
    goal, since = 0, 0.0
    next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        if TOLD:
            self.look_later()

    def look_later(self) -> None:
        self.next_look = self.loop.call_later(self.patience / LOOKS, self.look)

    def look(self) -> None:
        connection, now = self.transport.get_extra_info("socket"), self.loop.time()
        waiting = self.transport.get_write_buffer_size() + unacknowledged(connection)
        if not waiting:
            self.goal = 0
        elif (taken := acknowledged(connection)) >= self.goal:
            self.goal, self.since = taken + min(waiting, WAITING), now
        elif now - self.since >= self.patience:
            self.drop()
            return
        self.look_later()

    def drop(self) -> None:
        metrics.DROPPED.inc()
        # Else the kernel would go on sending what it has.
        connection = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.look_no_more()
        super().connection_lost(exc)  # type: ignore[misc]

    def look_no_more(self) -> None:
        if self.next_look:
            self.next_look.cancel()


def unacknowledged(connection: socket.socket) -> int:
    """Bytes that the kernel keeps for the client, sent or not."""
    told = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
    return int(struct.unpack("i", told)[0])


def acknowledged(connection: socket.socket) -> int:
    """Bytes that the client's side has taken since the connection was made."""
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO_SIZE)
    return int(struct.unpack_from("Q", told, ACKNOWLEDGED)[0])


def protocols(patience: float) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Of HTTP and of WebSockets."""
    seconds = patience

    class Http(Dropping, Heads, HttpToolsProtocol):
        patience = seconds
        # The latest request when it was first seen unfinished (None: there was none yet), and when that was.
        unfinished: tuple[Any, float] | None = None

        def look(self) -> None:
            """A request, too, must have arrived in time."""
            if self.asking():
                if self.unfinished is None or self.unfinished[0] is not self.cycle:
                    self.unfinished = self.cycle, self.loop.time()
                elif self.loop.time() - self.unfinished[1] >= self.patience:
                    self.drop()
                    return
            else:
                self.unfinished = None
            super().look()

        def asking(self) -> bool:
            """Whether we wait for the rest of a request. Between two of them uvicorn has its own timer."""
            if self.cycle is None or self.cycle.response_complete:
                return self.timeout_keep_alive_task is None
            return bool(self.cycle.more_body)

        def handle_websocket_upgrade(self) -> None:
            self.look_no_more()
            super().handle_websocket_upgrade()

    class WebSocket(Dropping, Telling, WebSocketsSansIOProtocol):
        patience = seconds

        def keepalive_timeout(self) -> None:
            super().keepalive_timeout()
            # Closing waits until everything is sent, which may be never.
            self.loop.call_later(FAREWELL, self.transport.abort)

        async def send(self, message: Any) -> None:
            await super().send(message)
            # A handshake that was answered with a problem document is over; uvicorn would call it a mistake of ours.
            self.handshake_complete = self.handshake_complete or (self.close_sent and self.initial_response is not None)

    return Http, WebSocket
