"""What a client watches at the session service, without a gap even when that service restarts."""

import asyncio
import random
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from gateway.backend import Backend
from teahouse.v1 import matchmaking_pb2, player_events_pb2, sessions_pb2
from teahouse.v1.clients import Stream

ENDED = ("finished", "closed")
# A stream is opened anew after some minutes: a dead peer is noticed, and many streams spread over all copies.
LIFE = 600.0
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
FINAL = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNIMPLEMENTED,
}
Told = TypeVar("Told", bound=Message)


class Subscription(ABC, Generic[Told]):
    """`await next()` until it gives None: nothing more comes. What refuses the first message is raised as it is."""

    # Whether there was a message; and whether it was the last.
    begun, over = False, False
    pause = FIRST_PAUSE

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.stream = self.open(LIFE * random.uniform(1, 1.5))

    @abstractmethod
    def open(self, seconds: float) -> Stream[Told]:
        """A new stream; it begins with how things are, or with what was missed."""

    @abstractmethod
    def note(self, message: Told) -> bool:
        """Remembers how far the client is. False: there is nothing new in the message."""

    async def next(self) -> Told | None:
        while True:
            try:
                message = await anext(self.stream)
            except StopAsyncIteration:
                if self.over:
                    return None
            except grpc.aio.AioRpcError as error:
                if not self.begun or error.code() in FINAL:
                    raise
            else:
                news = self.note(message)
                self.begun, self.pause = True, FIRST_PAUSE
                if news:
                    return message
                continue
            await self.again()

    async def again(self) -> None:
        self.stream.cancel()
        await asyncio.sleep(self.pause * random.uniform(0.8, 1.2))
        self.pause = min(self.pause * 2, LONGEST_PAUSE)
        self.stream = self.open(LIFE * random.uniform(1, 1.5))

    def close(self) -> None:
        self.stream.cancel()


class TableSubscription(Subscription[sessions_pb2.Update]):
    """One onlooker's updates of a table. The first has a position; later ones may bring only chat or presence."""

    def __init__(self, backend: Backend, caller: str, table: str, join_code: str, after: int | None) -> None:
        self.caller, self.table, self.join_code = caller, table, join_code
        # The version of the last update given; before the first one, what the client says it has.
        self.version = after
        # The last line of chat given; None before the first update.
        self.line: str | None = None
        super().__init__(backend)

    def open(self, seconds: float) -> Stream[sessions_pb2.Update]:
        request = sessions_pb2.WatchRequest(
            caller=self.caller,
            table=self.table,
            join_code=self.join_code,
            after_version=self.version,
            company=True,
            after_line=self.line,
        )
        return self.backend.sessions.Watch(request, seconds)

    def note(self, message: sessions_pb2.Update) -> bool:
        if message.newest_line or message.chat:
            self.line = message.chat[-1].id if message.chat else message.newest_line
        if not message.HasField("position"):
            return True
        position = message.position
        # Opened anew, the stream may begin with what the client has already.
        if self.begun and self.version is not None and position.version <= self.version:
            message.ClearField("position")
            return bool(message.chat)
        self.version, self.over = position.version, position.status in ENDED
        return True


class TicketSubscription(Subscription[matchmaking_pb2.Ticket]):
    """A ticket as it is, then again after every change, until it is matched or cancelled."""

    def __init__(self, backend: Backend, caller: str, ticket: str) -> None:
        self.request = matchmaking_pb2.TicketRequest(caller=caller, ticket=ticket)
        super().__init__(backend)

    def open(self, seconds: float) -> Stream[matchmaking_pb2.Ticket]:
        return self.backend.matchmaking.WatchTicket(self.request, seconds)

    def note(self, message: matchmaking_pb2.Ticket) -> bool:
        self.over = message.status != "waiting"
        return True


class PlayerSubscription(Subscription[player_events_pb2.PlayerEvent]):
    """What concerns a player: first how things are, then what happens. It ends with the connection."""

    # The answer begins before the first message: a service that is away is asked again, as it is later.
    begun = True

    def __init__(self, backend: Backend, player: str) -> None:
        self.request = sessions_pb2.GetPlayerRequest(player=player)
        super().__init__(backend)

    def open(self, seconds: float) -> Stream[player_events_pb2.PlayerEvent]:
        return self.backend.player_events.WatchPlayer(self.request, seconds)

    def note(self, message: player_events_pb2.PlayerEvent) -> bool:
        return True
