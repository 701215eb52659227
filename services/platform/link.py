"""Many calls over one stream: both ends of proto/teahouse/v1/link.proto.

Measured reason: a gRPC message costs a Python process about as much whether it carries one call or thirty, and at a
thousand moves a second that cost was most of what every process did.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import grpc
import grpc.aio
from google.protobuf import message_factory
from google.rpc import status_pb2
from redis.exceptions import RedisError

from services.platform.errors import DETAILS, Refusal, status_of, store_away
from services.platform.metrics import CALLS
from teahouse.v1 import link_pb2 as pb
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
# Answers of a streaming call that may be under way; a reader that is slower gets fewer, larger ones.
CREDIT = 4
# Seconds between two messages of a busy stream. The first message after a rest is not delayed.
GAP = 0.002
# Bytes after which a message is full; gRPC refuses those above 16 MB.
LARGEST = 1 << 20


class Outgoing:
    """What waits to be sent; whoever sends takes all of it, as far as it fits into a message."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.some = asyncio.Event()
        self.clock = asyncio.get_running_loop().time
        self.last = 0.0

    def put(self, item: Any) -> None:
        self.items.append(item)
        self.some.set()

    async def take(self) -> list[Any]:
        await self.some.wait()
        await asyncio.sleep(max(0.0, self.last + GAP - self.clock()))
        size = count = 0
        while count < len(self.items) and size < LARGEST:
            size += self.items[count].ByteSize() if self.items[count] else 0
            count += 1
        items, self.items = self.items[:count], self.items[count:]
        if not self.items:
            self.some.clear()
        self.last = self.clock()
        return items


class LinkServer(link_pb2_grpc.LinkServicer):
    """Answers calls to the servicer's own methods."""

    def __init__(self, servicer: Any, service: Any) -> None:
        self.methods = {
            method.name: (message_factory.GetMessageClass(method.input_type), getattr(servicer, method.name).plain)
            for method in service.methods
        }
        self.streaming = {method.name for method in service.methods if method.server_streaming}
        self.lines: set[Incoming] = set()
        self.stopping = False

    async def Open(self, requests: Any, context: Any) -> AsyncIterator[pb.Replies]:
        line = Incoming(self)
        self.lines.add(line)
        reader = asyncio.create_task(line.read(requests))
        try:
            if self.stopping:
                yield pb.Replies(going_away=True)
            while True:
                replies = await line.outgoing.take()
                yield pb.Replies(replies=[reply for reply in replies if reply], going_away=None in replies)
                if reader.done() and not line.running and not line.outgoing.items:
                    return
        finally:
            self.lines.discard(line)
            reader.cancel()
            line.end()

    def drain(self) -> None:
        """Asks every caller to go elsewhere; what is under way is still answered."""
        self.stopping = True
        for line in self.lines:
            line.outgoing.put(None)
            line.end_streams()


class Incoming:
    """One caller's stream."""

    def __init__(self, server: LinkServer) -> None:
        self.server = server
        self.outgoing = Outgoing()
        self.running: dict[int, asyncio.Task[None]] = {}
        self.credits: dict[int, asyncio.Semaphore] = {}

    async def read(self, requests: Any) -> None:
        async for batch in requests:
            for call in batch.calls:
                if call.method:
                    self.start(call)
                elif call.cancel and call.id in self.credits:
                    self.running[call.id].cancel()
                elif call.credit and (credit := self.credits.get(call.id)):
                    for _ in range(call.credit):
                        credit.release()
        # Wakes the sender: the caller has finished.
        self.outgoing.put(pb.Reply())

    def start(self, call: pb.Call) -> None:
        streaming = call.method in self.server.streaming
        if streaming and self.server.stopping:
            self.outgoing.put(pb.Reply(id=call.id, end=True))
            return
        answer = self.stream if streaming else self.answer
        task = asyncio.create_task(answer(call))
        self.running[call.id] = task
        task.add_done_callback(partial(self.done, call.id))

    def done(self, number: int, task: asyncio.Task[None]) -> None:
        del self.running[number]
        self.credits.pop(number, None)
        if not task.cancelled() and (error := task.exception()):
            log.error("a call failed", exc_info=error)
            self.refuse(number, Refusal(grpc.StatusCode.INTERNAL, "INTERNAL", "something went wrong here; try again"))

    async def answer(self, call: pb.Call) -> None:
        began, status = time.perf_counter(), "OK"
        try:
            kind, method = self.method(call)
            answer = await method(kind.FromString(call.request))
            self.outgoing.put(pb.Reply(id=call.id, answer=answer.SerializeToString()))
        except (Refusal, RedisError) as error:
            refusal = error if isinstance(error, Refusal) else store_away()
            status = refusal.code.name
            self.refuse(call.id, refusal)
        CALLS.labels(call.method, status).observe(time.perf_counter() - began)

    async def stream(self, call: pb.Call) -> None:
        credit = self.credits[call.id] = asyncio.Semaphore(CREDIT)
        try:
            kind, method = self.method(call)
            await credit.acquire()
            async for answer in method(kind.FromString(call.request)):
                self.outgoing.put(pb.Reply(id=call.id, answer=answer.SerializeToString()))
                await credit.acquire()
            self.outgoing.put(pb.Reply(id=call.id, end=True))
        except (Refusal, RedisError) as error:
            self.refuse(call.id, error if isinstance(error, Refusal) else store_away())

    def method(self, call: pb.Call) -> tuple[Any, Callable[[Any], Any]]:
        if call.method not in self.server.methods:
            raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "UNKNOWN_METHOD", f"there is no method {call.method}")
        return self.server.methods[call.method]

    def refuse(self, number: int, refusal: Refusal) -> None:
        self.outgoing.put(pb.Reply(id=number, error=status_of(refusal).SerializeToString()))

    def end_streams(self) -> None:
        for number in list(self.credits):
            self.running[number].cancel()
            self.outgoing.put(pb.Reply(id=number, end=True))

    def end(self) -> None:
        """Streams end with their caller. Other calls are finished: what they have begun must not stop half way."""
        for number in self.credits:
            self.running[number].cancel()


class Linked:
    """A stub with the methods of a service, whose calls travel over a few streams. Errors are grpc.aio.AioRpcError.

    Several streams, because each goes to one copy of the service.
    """

    def __init__(self, channel: grpc.aio.Channel, service: Any, streams: int) -> None:
        self.opener: Any = link_pb2_grpc.LinkStub(channel)
        self.streams = streams
        self.lines: list[Line] = []
        self.turn = 0
        for method in service.methods:
            answer = message_factory.GetMessageClass(method.output_type)
            call = self.stream if method.server_streaming else self.unary
            setattr(self, method.name, partial(call, method.name, answer))

    def line(self) -> "Line":
        self.lines = [line for line in self.lines if line.open]
        while len(self.lines) < self.streams:
            self.lines.append(Line(self.opener.Open()))
        self.turn += 1
        return self.lines[self.turn % self.streams]

    async def unary(self, method: str, kind: Any, request: Any, timeout: float) -> Any:  # noqa: ASYNC109 (as a stub's)
        line = self.line()
        number, answer = line.call(method, request)
        began = time.monotonic()
        late = answer.get_loop().call_later(timeout, expire, answer, timeout)
        try:
            return kind.FromString(await answer)
        finally:
            late.cancel()
            line.forget(number)
            if time.monotonic() - max(began, line.heard) >= timeout:
                # Nothing at all came back: the peer is dead or stopped, though its connection stands.
                line.give_up()

    def stream(self, method: str, kind: Any, request: Any, timeout: float) -> "Streaming":
        return Streaming(self.line(), method, kind, request, timeout)

    def close(self) -> None:
        for line in self.lines:
            line.stream.cancel()


class Line:
    """One stream of calls to one copy of a service."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.open = True
        self.number = 0
        # When the peer was last heard.
        self.heard = time.monotonic()
        self.waiting: dict[int, Callable[[pb.Reply | Exception], None]] = {}
        self.outgoing = Outgoing()
        self.tasks = [asyncio.create_task(self.send()), asyncio.create_task(self.receive())]

    def call(self, method: str, request: Any) -> tuple[int, "asyncio.Future[bytes]"]:
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
        return number, answer

    def begin(self, method: str, request: Any, take: Callable[[pb.Reply | Exception], None]) -> int:
        self.number += 1
        self.waiting[self.number] = take
        self.outgoing.put(pb.Call(id=self.number, method=method, request=request.SerializeToString()))
        return self.number

    def forget(self, number: int) -> None:
        """Nobody waits for the answer any more."""
        if self.waiting.pop(number, None):
            self.outgoing.put(pb.Call(id=number, cancel=True))
        if not self.open and not self.waiting:
            self.stream.cancel()

    def give_up(self) -> None:
        self.open = False
        self.stream.cancel()

    async def send(self) -> None:
        try:
            while True:
                await self.stream.write(pb.Calls(calls=await self.outgoing.take()))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # `receive` learns of it too, and tells those who wait.
            return

    async def receive(self) -> None:
        error: Exception = rpc_error(grpc.StatusCode.UNAVAILABLE, "the service has ended the stream")
        try:
            while (batch := await self.stream.read()) is not grpc.aio.EOF:
                self.heard = time.monotonic()
                self.open = self.open and not batch.going_away
                for reply in batch.replies:
                    if take := self.waiting.get(reply.id):
                        take(reply)
                if not self.open and not self.waiting:
                    break
        except grpc.aio.AioRpcError as broken:
            error = broken
        finally:
            self.open = False
            self.tasks[0].cancel()
            self.stream.cancel()
            for take in list(self.waiting.values()):
                take(error)


class Streaming:
    """A streaming call: `await read()` until it gives grpc.aio.EOF."""

    def __init__(self, line: Line, method: str, kind: Any, request: Any, timeout: float) -> None:
        self.line, self.kind, self.unread = line, kind, 0
        self.answers: asyncio.Queue[pb.Reply | Exception] = asyncio.Queue()
        self.number = line.begin(method, request, self.answers.put_nowait)
        old = rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, "the stream has lived long enough")
        self.late = asyncio.get_running_loop().call_later(timeout, self.answers.put_nowait, old)

    async def read(self) -> Any:
        reply = await self.answers.get()
        if isinstance(reply, Exception) or reply.error or reply.end:
            self.cancel()
        if isinstance(reply, Exception):
            raise reply
        if reply.error:
            raise error_in(reply)
        if reply.end:
            return grpc.aio.EOF
        self.unread += 1
        if self.unread == CREDIT // 2:
            self.line.outgoing.put(pb.Call(id=self.number, credit=self.unread))
            self.unread = 0
        return self.kind.FromString(reply.answer)

    def cancel(self) -> None:
        self.late.cancel()
        self.line.forget(self.number)


def expire(answer: "asyncio.Future[bytes]", seconds: float) -> None:
    if not answer.done():
        answer.set_exception(rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, f"no answer within {seconds:g} s"))


def rpc_error(code: grpc.StatusCode, text: str, *trailing: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailing), details=text)


CODES = {code.value[0]: code for code in grpc.StatusCode}


def error_in(reply: pb.Reply) -> grpc.aio.AioRpcError:
    status = status_pb2.Status.FromString(reply.error)
    return rpc_error(CODES[status.code], status.message, (DETAILS, reply.error))
