"""A connection to Redis for what is asked thousands of times a second.

redis-py opens it: it knows addresses, passwords and TLS. What it does after that for every command costs more than
Redis itself, so from then on hiredis reads and this module writes.

A command costs a third of what it costs with redis-py, with a hundred at once a tenth; a pipeline of 20 a quarter:
`python -m tests.bench.parts shared_connection`.
"""

import asyncio
from collections import deque
from functools import cache
from typing import Any

from hiredis import Reader, pack_command
from redis.asyncio import ConnectionPool
from redis.exceptions import ConnectionError, NoScriptError, RedisError, ResponseError

from services.sessions.store.connection import PATIENCE

# Seconds between two looks whether Redis still answers.
LOOK = 1.0
Command = tuple[Any, ...]


class SharedConnection(asyncio.Protocol):
    """Many callers, one connection, answers in order. Nothing is sent twice: when it is lost, all who wait get that."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool
        self.loop = asyncio.get_running_loop()
        self.reader = Reader(replyError=refused)
        self.connection: Any = None
        self.transport: Any = None
        self.opening: asyncio.Task[None] | None = None
        self.unsent: list[bytes] = []
        # Who waits for how many answers, and those that have come.
        self.waiting: deque[tuple[int, list[Any], asyncio.Future[list[Any]]]] = deque()
        # When something was last heard, or the first question that waits was asked.
        self.heard = 0.0
        self.check: asyncio.TimerHandle | None = None

    def ask(self, commands: list[Command]) -> "asyncio.Future[list[Any]]":
        """The answers, errors among them."""
        self.unsent += map(pack_command, commands)
        if not self.waiting:
            self.heard = self.loop.time()
        answers: asyncio.Future[list[Any]] = self.loop.create_future()
        self.waiting.append((len(commands), [], answers))
        if self.transport is not None:
            self.flush()
        elif self.opening is None:
            self.opening = self.loop.create_task(self.open())
        return answers

    async def open(self) -> None:
        self.connection = self.pool.make_connection()  # type: ignore[no-untyped-call]
        try:
            await self.connection.connect()
        except Exception as error:
            self.fail(error if isinstance(error, RedisError) else ConnectionError(str(error)))
        else:
            self.reader = Reader(replyError=refused)
            self.transport = self.connection._writer.transport
            self.transport.set_protocol(self)
            self.flush()
        finally:
            self.opening = None

    def flush(self) -> None:
        # One that is closing takes nothing more; who waits hears of it when it is closed.
        if not self.transport.is_closing():
            self.transport.write(b"".join(self.unsent))
        self.unsent = []
        if self.check is None:
            self.check = self.loop.call_later(LOOK, self.look)

    def look(self) -> None:
        """Looks now and then whether Redis still answers."""
        self.check = None
        if self.transport is None or not self.waiting:
            return
        if self.loop.time() - self.heard >= PATIENCE:
            self.transport.abort()
        else:
            self.check = self.loop.call_later(LOOK, self.look)

    def data_received(self, data: bytes) -> None:
        self.heard = self.loop.time()
        self.reader.feed(data)
        while self.waiting and (answer := self.reader.gets()) is not False:
            count, answers, whole = self.waiting[0]
            answers.append(answer)
            if len(answers) == count:
                self.waiting.popleft()
                if not whole.done():
                    whole.set_result(answers)

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = self.connection = None
        self.fail(ConnectionError(f"Redis is gone: {error or 'it has closed the connection'}"))

    def fail(self, error: RedisError) -> None:
        waiting, self.waiting, self.unsent = self.waiting, deque(), []
        for _, _, whole in waiting:
            if not whole.done():
                whole.set_exception(error)


def refused(text: str) -> ResponseError:
    return NoScriptError(text) if text.startswith("NOSCRIPT") else ResponseError(text)


@cache
def shared(pool: ConnectionPool) -> SharedConnection:
    """The one that all scripts of a process use."""
    return SharedConnection(pool)
