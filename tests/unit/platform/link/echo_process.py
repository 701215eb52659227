"""The echo service as a process of its own, that can be stopped, killed and started again; and a client of it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

import grpc
import grpc.aio
import psutil
import pytest
import uvloop

from deploy import probe
from deploy.stack import LOCAL, free_port
from deploy.supervisor import PATIENCE, ROOT
from services.platform.link import LinkClient
from services.platform.settings import Settings
from tests.support import waiting
from tests.support.echo_service import METHODS

SOON, DEADLINE = 0.05, 20.0
Found = TypeVar("Found")


class EchoProcess:
    """`with EchoProcess() as echo`: it is healthy inside."""

    def __init__(self, **settings: str) -> None:
        self.port = free_port()
        self.settings = {f"TEAHOUSE_{name.upper()}": value for name, value in settings.items()}
        self.running: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"{LOCAL}:{self.port}"

    def start(self) -> None:
        env = {**os.environ, **self.settings, "TEAHOUSE_PORT": str(self.port), "TEAHOUSE_LOG_LEVEL": "CRITICAL"}
        self.running = subprocess.Popen([sys.executable, "-m", "tests.support.echo_service"], cwd=ROOT, env=env)
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                return probe.grpc_health(self.address)
            except probe.Unhealthy:
                assert self.running.poll() is None, "the echo service has ended"
                assert time.monotonic() < limit, "the echo service is not healthy"
                time.sleep(SOON)

    def send(self, number: signal.Signals) -> None:
        assert self.running
        self.running.send_signal(number)

    def freeze(self) -> None:
        """Returns when nothing goes on inside any more."""
        running = self.running
        assert running
        self.send(signal.SIGSTOP)
        waiting.until(lambda: psutil.Process(running.pid).status() == psutil.STATUS_STOPPED, "the process has stopped")

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.running:
            self.running.send_signal(number)
            self.running.wait(PATIENCE)
            self.running = None

    def __enter__(self) -> "EchoProcess":
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.end()


class Client:
    """`await client("Echo", request)`: the answer; with a deadline of its own where a test needs one."""

    def __init__(self, *addresses: str) -> None:
        self.link = LinkClient(",".join(addresses), (), Settings())

    async def __call__(self, method: str, request: Any, timeout: float = DEADLINE) -> Any:  # noqa: ASYNC109
        return await self.link.unary(method, METHODS[method][1], request, timeout)

    def stream(self, method: str, request: Any, timeout: float = DEADLINE) -> Any:
        return self.link.stream(method, METHODS[method][1], request, timeout)

    async def refused(self, method: str, request: Any, timeout: float = DEADLINE) -> grpc.aio.AioRpcError:  # noqa: ASYNC109
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await self(method, request, timeout)
        return error.value


def talk(test: Callable[[Client], Awaitable[None]], *echoes: EchoProcess) -> None:
    """Runs a test with a client of these copies."""

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), connected(*echoes) as client:
            await test(client)

    uvloop.run(run())


@asynccontextmanager
async def connected(*echoes: EchoProcess) -> Any:
    async with AsyncExitStack() as stack:
        client = Client(*(echo.address for echo in echoes))
        stack.push_async_callback(client.link.close)
        yield client


async def until(condition: Callable[[], Awaitable[Found]]) -> Found:
    limit = time.monotonic() + PATIENCE
    while not (found := await condition()):
        assert time.monotonic() < limit, "what was waited for did not happen"
        await asyncio.sleep(SOON)
    return found
