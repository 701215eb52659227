"""One onlooker's updates of a table, without a gap even when the session service restarts."""

import asyncio
import logging
import random
from typing import Any

import grpc
import grpc.aio

from gateway.backend import Backend
from teahouse.v1 import sessions_pb2

log = logging.getLogger(__name__)
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


class Watch:
    """`await next()` until it gives None: the game is over. What refuses the first update is raised as it is.

    The first update has a position; later ones may bring nothing but chat or presence.
    """

    def __init__(self, backend: Backend, caller: str, table: str, join_code: str, after: int | None) -> None:
        self.backend, self.caller, self.table, self.join_code = backend, caller, table, join_code
        # The version of the last update given; before the first one, what the client says it has.
        self.version = after
        # The last line of chat given; None before the first update.
        self.line: str | None = None
        self.status = ""
        self.pause = FIRST_PAUSE
        self.call: Any = self.open()

    def open(self) -> Any:
        request = sessions_pb2.WatchRequest(
            caller=self.caller,
            table=self.table,
            join_code=self.join_code,
            after_version=self.version,
            company=True,
            after_line=self.line,
        )
        return self.backend.sessions.Watch(request, timeout=LIFE * random.uniform(1, 1.5))

    async def next(self) -> sessions_pb2.Update | None:
        while True:
            try:
                update: Any = await anext(self.call, grpc.aio.EOF)
            except grpc.aio.AioRpcError as error:
                if not self.status or error.code() in FINAL:
                    raise
                await self.again()
                continue
            if update is grpc.aio.EOF:
                if self.status in ENDED:
                    return None
                await self.again()
                continue
            self.pause = FIRST_PAUSE
            if self.note(update):
                return update  # type: ignore[no-any-return]

    def note(self, update: sessions_pb2.Update) -> bool:
        """Remembers how far this onlooker is. False: there is nothing new in the update."""
        if update.newest_line or update.chat:
            self.line = update.chat[-1].id if update.chat else update.newest_line
        if not update.HasField("position"):
            return True
        position = update.position
        # Opened anew, the stream may begin with what the client has already.
        if self.status and self.version is not None and position.version <= self.version:
            update.ClearField("position")
            return bool(update.chat)
        self.version, self.status = position.version, position.status
        return True

    async def again(self) -> None:
        self.call.cancel()
        await asyncio.sleep(self.pause * random.uniform(0.8, 1.2))
        self.pause = min(self.pause * 2, LONGEST_PAUSE)
        self.call = self.open()

    def close(self) -> None:
        self.call.cancel()
