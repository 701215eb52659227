"""Stands between one process and its Redis, and can end that process between any two of its commands.

    with Proxy(redis_port, pattern, kill) as proxy:      # the process connects to proxy.port
        proxy.arm(3)                                     # lets three commands through, then calls kill()

Commands count only if they match the pattern: what the process does beside the operation under test does not disturb
the count. The last command that is let through is carried out by Redis, but its answer is never delivered.
"""

import re
import socket
import socketserver
import threading
from collections.abc import Callable
from io import BufferedIOBase
from typing import Any


def read_reply(stream: BufferedIOBase) -> bytes:
    """One whole message of the Redis protocol, command or answer, as its bytes."""
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise ConnectionError("the peer has gone")
    kind, size = line[:1], line[1:-2]
    if kind == b"$" and size != b"-1":
        return line + stream.read(int(size) + 2)
    if kind == b"*" and size != b"-1":
        return line + b"".join(read_reply(stream) for _ in range(int(size)))
    return line


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, redis_port: int, pattern: bytes, kill: Callable[[], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.redis_port, self.pattern, self.kill = redis_port, re.compile(pattern), kill
        self.port: int = self.server_address[1]
        self.lock = threading.Lock()
        # How many commands may still pass (None: all), and whether that was the end of the process.
        self.left: int | None = None
        self.killed = False
        # What a dead process has left in its connections does not count for the one that follows it.
        self.lives = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *error: Any) -> None:
        self.shutdown()
        super().__exit__(*error)

    def arm(self, commands: int) -> None:
        with self.lock:
            self.left, self.killed = commands, False

    def disarm(self) -> bool:
        """Lets everything through again; whether the process was killed."""
        with self.lock:
            killed, self.left, self.killed = self.killed, None, False
            return killed

    def admit(self, command: bytes, life: int) -> tuple[bool, bool]:
        """Whether this command may go to Redis, and whether it is the last one."""
        with self.lock:
            if life != self.lives:
                return False, False
            if self.left is None or not self.pattern.search(command):
                return True, False
            if self.left == 0:
                self.end()
                return False, False
            self.left -= 1
            return True, self.left == 0

    def end(self) -> None:
        if not self.killed:
            self.killed = True
            self.lives += 1
            self.kill()


class Handler(socketserver.StreamRequestHandler):
    """One connection of the process; its answers are passed on by a second thread."""

    server: Proxy

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.redis_port)) as redis:
            self.life = self.server.lives
            # The order in which answers come says which of them is the last one.
            self.last: int | None = None
            answers = threading.Thread(target=self.pass_answers, args=(redis.makefile("rb"),), daemon=True)
            answers.start()
            try:
                number = 0
                while True:
                    command = read_reply(self.rfile)
                    admitted, last = self.server.admit(command, self.life)
                    if not admitted:
                        return
                    if last:
                        self.last = number
                    number += 1
                    redis.sendall(command)
            except (OSError, ValueError):
                return

    def pass_answers(self, redis: BufferedIOBase) -> None:
        number = 0
        try:
            while True:
                answer = read_reply(redis)
                if number == self.last:
                    with self.server.lock:
                        self.server.end()
                if self.life != self.server.lives:
                    return
                self.wfile.write(answer)
                number += 1
        except (OSError, ValueError):
            return
