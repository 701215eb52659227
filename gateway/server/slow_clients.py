"""Clients that read too little of their streams: each is dropped after a while, so that none costs the others anything.

What a client has not taken waits in two places, both of them bounded: in this process, where uvicorn then stops the
stream of this client alone, and in the kernel's buffer of its connection. Nothing waits in the session service, which
puts what such a client misses into one update.

The rule goes by age: what waits for a client must have arrived `patience` seconds later. A client that is slow but
keeps up stays; one that takes some bytes now and then does not. Of more than a stream ever keeps waiting, such as a
large file, it must take that much in the time, so that a slow line gets it too. Connections are looked at now and then,
which costs those who keep up nothing. Who does not finish a request in the same time is dropped as well.

A request costs up to 15 % more than with uvicorn's plain protocol: `python -m tests.bench.parts slow_clients`.
"""

import asyncio
import fcntl
import socket
import struct
import termios

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT

from gateway.server import metrics

# Bytes that the kernel keeps for one connection; it may double them.
KEPT = 128 * 1024
# What can wait for the reader of a stream, in this process and in the kernel.
WAITING = HIGH_WATER_LIMIT + 2 * KEPT
# Looks at a connection in the time that it may keep us waiting.
LOOKS = 4
# Linux tells how much a client has acknowledged: tcpi_bytes_acked of struct tcp_info.
TOLD = hasattr(socket, "TCP_INFO")
INFO_SIZE, ACKNOWLEDGED = 128, 120


def bound_buffers(listening: socket.socket) -> None:
    """Bounds what the kernel keeps for a client. Connections inherit it from the socket that listens.

    Its TCP_USER_TIMEOUT is no help: it also ends connections to clients that read, but slowly.
    """
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KEPT)


class SlowClientGuard(asyncio.Protocol):
    """For protocols: a client that keeps us waiting for too long is cut off; what it has not read is thrown away."""

    patience: float
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    # How many bytes the client must have taken, of all that was ever sent, and since when we have been waiting for it.
    goal, since = 0, 0.0
    next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
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
        super().connection_lost(exc)

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
