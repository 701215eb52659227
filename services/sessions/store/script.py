"""The scripts of `lua/`: what they change in Redis, they change whole or not at all.

A script costs four tenths of a registered one of redis-py, with twenty callers at once a fifteenth:
`python -m tests.bench.parts scripts`.
"""

import asyncio
from hashlib import sha1
from pathlib import Path
from typing import Any

from msgspec import Raw
from msgspec.msgpack import Encoder
from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import NoScriptError

from services.platform import tracing
from services.sessions.store.shared_connection import shared

encode = Encoder().encode
Value = bytes | str | int | float | None


def pack(**values: Value) -> bytes:
    """Named values as one argument: `cmsgpack.unpack(ARGV[1])` makes a table of them."""
    return encode({name: raw(value) if isinstance(value, bytes) else value for name, value in values.items()})


def raw(data: bytes) -> Raw:
    """As a string of MessagePack: Redis does not know the type that msgspec has for bytes."""
    return Raw(b"\xdb%b%b" % (len(data).to_bytes(4, "big"), data))


class Script:
    """One of them, for many callers: those who come at the same moment share a round trip to Redis."""

    def __init__(self, redis: Redis | RedisCluster, name: str) -> None:
        self.redis: Any = redis
        self.connection = None if isinstance(redis, RedisCluster) else shared(redis.connection_pool)
        self.script = script = (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
        self.digest = sha1(script.encode()).hexdigest()
        self.waiting: list[tuple[list[Any], asyncio.Future[Any]]] = []
        self.tasks: set[asyncio.Task[None]] = set()
        # In a trace, a script is known by its first line, which says what it does.
        summary = script.partition("\n")[0].removeprefix("-- ")
        self.about = {"db.system.name": "redis", "db.operation.name": "EVALSHA", "db.query.summary": summary}
        self.ask = self.traced if tracing.tracer() else self.share

    async def run(self, keys: list[str], args: list[Any]) -> Any:
        return await self.ask(keys, args)

    def traced(self, keys: list[str], args: list[Any]) -> "asyncio.Future[Any]":
        return asyncio.ensure_future(self.in_trace(keys, args))

    async def in_trace(self, keys: list[str], args: list[Any]) -> Any:
        tracer = tracing.tracer()
        assert tracer
        with tracer.within("client", "EVALSHA", self.about):
            return await self.share(keys, args)

    def share(self, keys: list[str], args: list[Any]) -> "asyncio.Future[Any]":
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append(([len(keys), *keys, *args], answer))
        if len(self.waiting) == 1:
            task = asyncio.create_task(self.send())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return answer

    async def send(self) -> None:
        await asyncio.sleep(0)
        waiting, self.waiting = self.waiting, []
        try:
            results = await self.execute([call for call, _ in waiting])
        except Exception as error:
            results = [error] * len(waiting)
        for (_, answer), result in zip(waiting, results, strict=True):
            if answer.done():
                continue
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)

    async def execute(self, calls: list[list[Any]]) -> list[Any]:
        """The answers, errors among them."""
        commands = [("EVALSHA", self.digest, *call) for call in calls]
        results = await (self.connection.ask(commands) if self.connection else self.by_nodes(commands))
        lost = [number for number, result in enumerate(results) if isinstance(result, NoScriptError)]
        if lost:
            await self.redis.script_load(self.script)
            again = await self.execute([calls[number] for number in lost])
            for number, result in zip(lost, again, strict=True):
                results[number] = result
        return results

    async def by_nodes(self, commands: list[tuple[Any, ...]]) -> list[Any]:
        pipe = self.redis.pipeline(transaction=False)
        for command in commands:
            pipe.execute_command(*command)
        results: list[Any] = await pipe.execute(raise_on_error=False)
        return results
