"""The session service as the gateway sees it: a few streams, a deadline on every call, reads repeated once."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.platform.link import Linked
from services.platform.server import channel
from services.platform.settings import Settings
from teahouse.v1 import sessions_pb2

SESSIONS = sessions_pb2.DESCRIPTOR.services_by_name["Sessions"]
PAUSE = 0.15


class Backend:
    """Made once per process, inside its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.deadline = settings.deadline
        self.heartbeat = settings.heartbeat
        self.channel = channel(settings.sessions)
        self.sessions: Any = Linked(self.channel, SESSIONS, settings.links)
        self.health: Any = health_pb2_grpc.HealthStub(self.channel)
        # Set when the process is told to stop: streams end then.
        self.stopping = asyncio.Event()

    async def call(self, method: Callable[..., Any], request: Any) -> Any:
        return await method(request, timeout=self.deadline)

    async def read(self, method: Callable[..., Any], request: Any) -> Any:
        """A call that changes nothing: repeated once if nobody was there to answer."""
        try:
            return await method(request, timeout=self.deadline)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        await asyncio.sleep(PAUSE)
        return await method(request, timeout=self.deadline)

    async def ready(self) -> bool:
        try:
            answer = await self.health.Check(health_pb2.HealthCheckRequest(service=SESSIONS.full_name), timeout=1)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        self.sessions.close()
        await self.channel.close()
