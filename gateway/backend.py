"""The session service as the gateway sees it: a few streams, a deadline on every call, reads repeated once."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio

from gateway.problems import overloaded
from services.platform.contracts import CONTRACTS
from services.platform.link.client import Linked
from services.platform.link.server import Gate
from services.platform.settings import Settings

PAUSE = 0.15


class Backend:
    """Made once per process, inside its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.deadline = settings.deadline
        self.gate = Gate(settings.call_limit)
        self.heartbeat = settings.heartbeat
        self.sessions: Any = Linked(settings.sessions, CONTRACTS, settings)
        # Set when the process is told to stop: streams end then.
        self.stopping = asyncio.Event()

    async def call(self, method: Callable[..., Any], request: Any) -> Any:
        gate = self.gate
        if gate.calls >= gate.most:
            raise overloaded()
        gate.calls += 1
        try:
            return await method(request, timeout=self.deadline)
        finally:
            gate.calls -= 1

    async def read(self, method: Callable[..., Any], request: Any) -> Any:
        """A call that changes nothing: repeated once if nobody was there to answer."""
        try:
            return await self.call(method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        await asyncio.sleep(PAUSE)
        return await self.call(method, request)

    async def ready(self) -> bool:
        return bool(await self.sessions.serving())

    async def close(self) -> None:
        await self.sessions.close()
