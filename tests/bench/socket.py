"""A WebSocket client that costs little, so that a benchmark measures the server: text frames, no extensions."""

import asyncio
import base64
import os
from collections.abc import Callable
from urllib.parse import urlsplit

TEXT, PING, PONG = 0x81, 0x89, 0x8A
MASK = b"\0\0\0\0"  # a mask of zeros leaves the payload as it is


class Socket(asyncio.Protocol):
    """`heard` is called with the payload of every text frame."""

    def __init__(self, heard: Callable[[bytes], None]) -> None:
        self.heard = heard
        self.buffer = bytearray()
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.opened.done() and not self._handshake():
            return
        while self._frame():
            pass

    def _handshake(self) -> bool:
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(self.buffer[:end])
        del self.buffer[: end + 4]
        if head.startswith(b"HTTP/1.1 101"):
            self.opened.set_result(None)
            return True
        self.opened.set_exception(ConnectionError(head.decode(errors="replace")))
        return False

    def _frame(self) -> bool:
        buffer = self.buffer
        if len(buffer) < 2:
            return False
        size, at = buffer[1], 2
        if size == 126:
            size, at = int.from_bytes(buffer[2:4], "big"), 4
        elif size == 127:
            size, at = int.from_bytes(buffer[2:10], "big"), 10
        if len(buffer) < at + size:
            return False
        payload = bytes(buffer[at : at + size])
        kind = buffer[0]
        del buffer[: at + size]
        if kind == TEXT:
            self.heard(payload)
        elif kind == PING:
            self.send(payload, PONG)
        return True

    def send(self, payload: bytes, kind: int = TEXT) -> None:
        size = len(payload)
        head = bytes([kind, 0x80 | size]) if size < 126 else bytes([kind, 0xFE]) + size.to_bytes(2, "big")
        self.transport.write(head + MASK + payload)


async def connect(url: str, heard: Callable[[bytes], None]) -> Socket:
    address = urlsplit(url)
    loop = asyncio.get_running_loop()
    transport, socket = await loop.create_connection(lambda: Socket(heard), str(address.hostname), address.port or 80)
    socket.transport = transport
    key = base64.b64encode(os.urandom(16)).decode()
    transport.write(
        f"GET {address.path}?{address.query} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await socket.opened
    return socket
