"""Many calls over one stream: the answering end of proto/teahouse/v1/link.proto (the calling end: linked.py).

Measured reason: a gRPC message costs a Python process about as much whether it carries one call or thirty, and at a
thousand moves a second that cost was most of what every process did.
"""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Any

import grpc
from google.protobuf import message_factory

from services.platform import tracing
from services.platform.errors import OUTAGES, Refusal, overloaded, status_of, store_away
from services.platform.logs import about
from services.platform.metrics import SHED, attributes, calls
from services.platform.tracing.context import CAUSE
from teahouse.v1 import link_pb2 as pb
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
# Answers of a streaming call that may be under way; a reader that is slower gets fewer, larger ones.
CREDIT = 4
# Seconds between two messages of a busy stream. The first message after a rest is not delayed.
GAP = 0.002
# Bytes after which a message is full; gRPC refuses those above 16 MB.
LARGEST = 1 << 20
# Of a batch that was received so many are taken up before others get a turn: the next process can begin with their
# answers while this one goes on with the rest.
CHUNK = 48


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
        if (pause := self.last + GAP - self.clock()) > 0:
            await asyncio.sleep(pause)
        size = count = 0
        while count < len(self.items) and size < LARGEST:
            size += self.items[count].ByteSize() if self.items[count] else 0
            count += 1
        items, self.items = self.items[:count], self.items[count:]
        if not self.items:
            self.some.clear()
        self.last = self.clock()
        return items


class Gate:
    """The calls under way in this process: whoever comes when it is full is refused at once, not kept waiting."""

    __slots__ = ("calls", "most")

    def __init__(self, most: int) -> None:
        self.calls, self.most = 0, most or sys.maxsize


class LinkServer(link_pb2_grpc.LinkServicer):
    """Answers calls to the servicer's own methods, of all its contracts."""

    def __init__(self, servicer: Any, descriptors: Iterable[Any], gate: Gate) -> None:
        self.gate = gate
        methods = [method for each in descriptors for method in each.methods]
        self.methods = {
            method.name: (message_factory.GetMessageClass(method.input_type), getattr(servicer, method.name).plain)
            for method in methods
        }
        self.streaming = {method.name for method in methods if method.server_streaming}
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
        self.answer = self.traced if tracing.tracer() else self.plain
        self.running: dict[int, asyncio.Task[None]] = {}
        self.credits: dict[int, asyncio.Semaphore] = {}

    async def read(self, requests: Any) -> None:
        async for batch in requests:
            for number, call in enumerate(batch.calls, 1):
                if not number % CHUNK:
                    await asyncio.sleep(0)
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
        gate = self.server.gate
        if gate.calls >= gate.most:
            SHED.inc()
            self.refuse(call, overloaded())
            return
        if streaming:
            # Before the task runs: it may be cancelled by the same batch.
            self.credits[call.id] = asyncio.Semaphore(CREDIT)
        else:
            gate.calls += 1
        answer = self.stream if streaming else self.answer
        task = asyncio.create_task(answer(call))
        self.running[call.id] = task
        task.add_done_callback(partial(self.done, call.id))

    def done(self, number: int, task: asyncio.Task[None]) -> None:
        del self.running[number]
        if self.credits.pop(number, None) is None:
            self.server.gate.calls -= 1

    async def plain(self, call: pb.Call) -> None:
        CAUSE.set(call.cause)
        began, refusal = time.perf_counter(), None
        try:
            kind, method = self.method(call)
            answer = await method(kind.FromString(call.request))
            self.outgoing.put(pb.Reply(id=call.id, answer=answer.SerializeToString()))
        except Exception as error:
            refusal = self.refuse(call, error)
        self.count(call, began, refusal)

    async def traced(self, call: pb.Call) -> None:
        """The same as part of a trace."""
        CAUSE.set(call.cause)
        tracer = tracing.tracer()
        assert tracer
        began, refusal = time.perf_counter(), None
        try:
            kind, method = self.method(call)
            request = kind.FromString(call.request)
            with tracer.within("server", call.method, attributes(call.method, request), call.cause):
                answer = await method(request)
            self.outgoing.put(pb.Reply(id=call.id, answer=answer.SerializeToString()))
        except Exception as error:
            refusal = self.refuse(call, error)
        self.count(call, began, refusal)

    async def stream(self, call: pb.Call) -> None:
        """Not part of a trace: it may last for hours. What is counted is the time to its first answer."""
        CAUSE.set(pb.Cause(request_id=call.cause.request_id))
        credit, began, counted = self.credits[call.id], time.perf_counter(), False
        try:
            kind, method = self.method(call)
            await credit.acquire()
            async for answer in method(kind.FromString(call.request)):
                self.outgoing.put(pb.Reply(id=call.id, answer=answer.SerializeToString()))
                if not counted:
                    counted = True
                    self.count(call, began, None)
                await credit.acquire()
            self.outgoing.put(pb.Reply(id=call.id, end=True))
        except Exception as error:
            self.count(call, time.perf_counter() if counted else began, self.refuse(call, error))

    def count(self, call: pb.Call, began: float, refusal: Refusal | None) -> None:
        took, status = time.perf_counter() - began, refusal.code.name if refusal else "OK"
        calls(call.method if call.method in self.server.methods else "unknown", status).observe(took)
        if log.isEnabledFor(logging.DEBUG):
            reason = f" {refusal.reason}" if refusal else ""
            log.debug("%s %s%s in %.1f ms", call.method, status, reason, 1000 * took, extra=self.about(call))

    def about(self, call: pb.Call) -> dict[str, Any]:
        kind = self.server.methods.get(call.method)
        return about(kind[0].FromString(call.request)) if kind else {}

    def method(self, call: pb.Call) -> tuple[Any, Callable[[Any], Any]]:
        if call.method not in self.server.methods:
            raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "UNKNOWN_METHOD", f"there is no method {call.method}")
        return self.server.methods[call.method]

    def refuse(self, call: pb.Call, error: Exception) -> Refusal:
        if isinstance(error, Refusal):
            refusal = error
        elif isinstance(error, tuple(OUTAGES)):
            refusal = store_away()
        else:
            log.error("%s failed", call.method, exc_info=error, extra=self.about(call))
            refusal = Refusal(grpc.StatusCode.INTERNAL, "INTERNAL", "something went wrong here; try again")
        self.outgoing.put(pb.Reply(id=call.id, error=status_of(refusal).SerializeToString()))
        return refusal

    def end_streams(self) -> None:
        for number in list(self.credits):
            self.running[number].cancel()
            self.outgoing.put(pb.Reply(id=number, end=True))

    def end(self) -> None:
        """Streams end with their caller. Other calls are finished: what they have begun must not stop half way."""
        for number in self.credits:
            self.running[number].cancel()
