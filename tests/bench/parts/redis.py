"""How the session service talks to Redis, against redis-py: commands over the shared connection, and scripts whose
callers share a round trip."""

import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psutil

from deploy import probe
from deploy.stack import LOCAL, free_port, redis_server
from services.sessions.store.connection import connect
from services.sessions.store.script import Script
from services.sessions.store.shared_connection import shared
from tests.bench.parts.measuring import Call, Way, compare

FIELDS = ("a", "b", "c", "d")
READ = ("HMGET", "{bench}", *FIELDS)
# A script that does little, and what it is given.
SCRIPT, KEYS, ARGUMENTS = "unmark", ["{bench}:marks"], ["p_bench", "1"]
BATCH = 20


@contextmanager
def running() -> Iterator[tuple[str, psutil.Process]]:
    with tempfile.TemporaryDirectory() as folder:
        data, port = Path(folder), free_port()
        process = subprocess.Popen(redis_server.command(redis_server.executable(data), port, data, "no"))
        try:
            for _ in range(100):
                try:
                    probe.redis(f"{LOCAL}:{port}")
                    break
                except probe.Unhealthy:
                    time.sleep(0.05)
            yield f"redis://{LOCAL}:{port}/0", psutil.Process(process.pid)
        finally:
            process.kill()
            process.wait()


class Ways:
    def __init__(self, url: str) -> None:
        self.url = url

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        client: Any = connect(self.url)
        await client.hset(READ[1], mapping=dict.fromkeys(FIELDS, "x" * 300))
        yield client
        await client.aclose()

    @asynccontextmanager
    async def command(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:
            yield [lambda: client.execute_command(*READ)] * callers

    @asynccontextmanager
    async def shared_command(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:
            connection = shared(client.connection_pool)
            yield [lambda: connection.ask([READ])] * callers

    @asynccontextmanager
    async def pipeline(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:

            async def ask() -> None:
                pipe = client.pipeline(transaction=False)
                for _ in range(BATCH):
                    pipe.execute_command(*READ)
                await pipe.execute()

            yield [ask] * callers

    @asynccontextmanager
    async def shared_pipeline(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:
            connection = shared(client.connection_pool)
            yield [lambda: connection.ask([READ] * BATCH)] * callers

    @asynccontextmanager
    async def registered(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:
            script = client.register_script(Script(client, SCRIPT).script)
            yield [lambda: script(keys=KEYS, args=ARGUMENTS)] * callers

    @asynccontextmanager
    async def shared_script(self, callers: int) -> AsyncIterator[list[Call]]:
        async with self.connected() as client:
            script = Script(client, SCRIPT)
            yield [lambda: script.run(KEYS, ARGUMENTS)] * callers


async def main(part: str) -> None:
    with running() as (url, process):
        ways = Ways(url)
        if part == "shared_connection":
            single: list[Way] = [("redis-py, command", ways.command), ("shared_connection", ways.shared_command)]
            await compare("HMGET", single, [1, 100], [process])
            batch: list[Way] = [("redis-py, pipeline", ways.pipeline), ("shared_connection", ways.shared_pipeline)]
            await compare(f"{BATCH} HMGET", batch, [1, 20], [process])
        else:
            scripts: list[Way] = [("redis-py, registered script", ways.registered), ("scripts", ways.shared_script)]
            await compare("scripts", scripts, [1, 20, 100], [process])
