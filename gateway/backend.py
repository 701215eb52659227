"""The session service as the gateway sees it: a typed client of each contract, a deadline on every call, and reads that
are repeated once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc
import grpc.aio
from fastapi import Request

from gateway.contract.problems import from_refusal
from services.platform.call_limit import CallLimit
from services.platform.errors import overloaded
from services.platform.link import LinkClient
from services.platform.settings import Settings
from teahouse.v1 import clients

PAUSE = 0.15
Message = TypeVar("Message")
Answer = TypeVar("Answer")


class Backend:
    """Made once per process, inside its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.deadline, self.heartbeat = settings.deadline, settings.heartbeat
        self.calls = CallLimit(settings.call_limit, lambda: from_refusal(overloaded()))
        self.link = link = LinkClient(settings.sessions, (), settings)
        self.sessions = clients.Sessions(link)
        self.accounts = clients.Accounts(link)
        self.company = clients.Company(link)
        self.invitations = clients.Invitations(link)
        self.matchmaking = clients.Matchmaking(link)
        self.outside_bots = clients.OutsideBots(link)
        self.player_events = clients.PlayerEvents(link)
        self.ratings = clients.Ratings(link)
        self.replays = clients.Replays(link)
        self.webhooks = clients.Webhooks(link)
        # Set when the process is told to stop: streams end then.
        self.stopping = asyncio.Event()

    async def call(self, method: Callable[[Message, float], Awaitable[Answer]], request: Message) -> Answer:
        with self.calls:
            return await method(request, self.deadline)

    async def read(self, method: Callable[[Message, float], Awaitable[Answer]], request: Message) -> Answer:
        """A call that changes nothing: repeated once if nobody was there to answer."""
        try:
            return await self.call(method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        await asyncio.sleep(PAUSE)
        return await self.call(method, request)

    async def ready(self) -> bool:
        return await self.link.serving()

    async def close(self) -> None:
        await self.link.close()


def backend_of(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend
