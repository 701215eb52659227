"""The stream to one copy of a service, and the calls under way on it."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message
from google.rpc import status_pb2

from services.platform.errors import DETAILS
from services.platform.link.batching import LARGEST, SendQueue, parts
from services.platform.link.flow_control import ReadCredit
from services.platform.tracing.context import CAUSE
from teahouse.v1 import link_pb2 as pb

Answer = TypeVar("Answer", bound=Message)
CODES = {code.value[0]: code for code in grpc.StatusCode}


class ClientConnection:
    """`avoid` is called when the other side is going away, or says nothing at all for as long as a call waits."""

    def __init__(self, stream: Any, avoid: Callable[[], None]) -> None:
        self.stream, self.avoid = stream, avoid
        # Whether new calls may begin here.
        self.open = True
        self.last_number = 0
        self.last_heard = time.monotonic()
        # By their numbers, the calls under way: what to do with the next reply, or with the end of the connection.
        self.waiting: dict[int, Callable[[pb.Reply | Exception], None]] = {}
        self.calls: SendQueue[pb.Call] = SendQueue()
        self.sending = asyncio.create_task(self.send())
        self.receiving = asyncio.create_task(self.receive())

    async def call(self, method: str, request: Message, timeout: float) -> bytes:  # noqa: ASYNC109
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def take(reply: pb.Reply | Exception) -> None:
            del self.waiting[number]
            if answer.done():
                return
            if isinstance(reply, Exception):
                answer.set_exception(reply)
            elif reply.error:
                answer.set_exception(error_in(reply))
            else:
                answer.set_result(reply.answer)

        number = self.begin(method, request, take)
        began = time.monotonic()
        deadline = answer.get_loop().call_later(timeout, expire, answer, timeout)
        try:
            return await answer
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and self.last_heard <= began:
                # Nothing at all came back: the other side is dead or stopped, though its connection stands.
                self.give_up()
            raise
        finally:
            deadline.cancel()
            self.forget(number)

    def begin(self, method: str, request: Message, take: Callable[[pb.Reply | Exception], None]) -> int:
        data = request.SerializeToString()
        if len(data) > LARGEST:
            text = f"the request of {method} has {len(data)} bytes; a link carries {LARGEST}"
            raise rpc_error(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        self.last_number += 1
        self.waiting[self.last_number] = take
        self.calls.put(pb.Call(id=self.last_number, method=method, request=data, cause=CAUSE.get()))
        return self.last_number

    def forget(self, number: int) -> None:
        """Nobody waits for the answer any more."""
        if self.waiting.pop(number, None):
            self.calls.put(pb.Call(id=number, cancel=True))
        if not self.open and not self.waiting:
            self.stream.cancel()

    def finish(self) -> None:
        """No new calls; ends with the last of those under way."""
        self.open = False
        if not self.waiting:
            self.stream.cancel()

    def give_up(self) -> None:
        self.open = False
        self.avoid()
        self.stream.cancel()

    async def send(self) -> None:
        try:
            while True:
                await self.stream.write(pb.Calls(calls=await self.calls.take()))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # `receive` learns of it too, and tells those who wait.
            return

    async def receive(self) -> None:
        error: Exception = rpc_error(grpc.StatusCode.UNAVAILABLE, "the service has ended the stream")
        try:
            while (batch := await self.stream.read()) is not grpc.aio.EOF:
                self.last_heard = time.monotonic()
                if batch.going_away and self.open:
                    self.open = False
                    self.avoid()
                async for part in parts(batch.replies):
                    for reply in part:
                        if take := self.waiting.get(reply.id):
                            take(reply)
                if not self.open and not self.waiting:
                    break
        except grpc.aio.AioRpcError as broken:
            # A refusal of the service comes as a reply, so this is the connection itself. If the other side was killed,
            # grpc sometimes says INTERNAL.
            error = rpc_error(grpc.StatusCode.UNAVAILABLE, f"the link has broken: {broken.details()}")
        finally:
            self.open = False
            self.sending.cancel()
            self.stream.cancel()
            for take in list(self.waiting.values()):
                take(error)


class StreamingCall(AsyncIterator[Answer]):
    """The answers of a streaming call, in the order in which they were given."""

    def __init__(
        self, connection: ClientConnection, method: str, answer: type[Answer], request: Message, timeout: float
    ) -> None:
        self.connection, self.answer = connection, answer
        self.credit = ReadCredit()
        # A queue for one reader: asyncio's own costs twice as much.
        self.replies: deque[pb.Reply | Exception] = deque()
        self.reader: asyncio.Future[None] | None = None
        self.loop = asyncio.get_running_loop()
        self.number = connection.begin(method, request, self.take)
        late = rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, "the stream has lived as long as it may")
        self.deadline = self.loop.call_later(timeout, self.take, late)

    def take(self, reply: pb.Reply | Exception) -> None:
        self.replies.append(reply)
        if self.reader and not self.reader.done():
            self.reader.set_result(None)

    async def __anext__(self) -> Answer:
        while not self.replies:
            self.reader = self.loop.create_future()
            await self.reader
        reply = self.replies.popleft()
        if isinstance(reply, Exception) or reply.error or reply.end:
            self.cancel()
        if isinstance(reply, Exception):
            raise reply
        if reply.error:
            raise error_in(reply)
        if reply.end:
            raise StopAsyncIteration
        if returned := self.credit.read():
            self.connection.calls.put(pb.Call(id=self.number, credit=returned))
        return self.answer.FromString(reply.answer)

    def cancel(self) -> None:
        self.deadline.cancel()
        self.connection.forget(self.number)


def expire(answer: "asyncio.Future[bytes]", seconds: float) -> None:
    if not answer.done():
        answer.set_exception(rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, f"no answer within {seconds:g} s"))


def rpc_error(code: grpc.StatusCode, text: str, *trailing: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailing), details=text)


def error_in(reply: pb.Reply) -> grpc.aio.AioRpcError:
    status = status_pb2.Status.FromString(reply.error)
    return rpc_error(CODES[status.code], status.message, (DETAILS, reply.error))
