"""The stream of one caller, as the server sees it, and the calls it has under way."""

import asyncio
import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc

from services.platform.call_limit import CallLimit
from services.platform.errors import OUTAGES, Refusal, status_of, store_away
from services.platform.link.batching import LARGEST, SendQueue, parts
from services.platform.link.flow_control import SendCredit
from services.platform.logs import message_fields
from services.platform.metrics import calls
from services.platform.tracing.context import CAUSE
from teahouse.v1 import link_pb2 as pb

if TYPE_CHECKING:
    from services.platform.link.server import Method

log = logging.getLogger(__name__)


class ServerConnection:
    """Starts a task for each call that arrives; what the task answers waits in `replies`."""

    def __init__(self, methods: "Mapping[str, Method]", limit: CallLimit) -> None:
        self.methods, self.limit = methods, limit
        self.replies: SendQueue[pb.Reply] = SendQueue()
        self.running: dict[int, asyncio.Task[None]] = {}
        # Of the streaming calls among those.
        self.credits: dict[int, SendCredit] = {}
        self.draining = False

    async def read(self, requests: Any) -> None:
        """Until the caller has finished."""
        async for batch in requests:
            async for part in parts(batch.calls):
                for call in part:
                    if call.method:
                        self.start(call)
                    elif call.cancel and call.id in self.credits:
                        self.running[call.id].cancel()
                    elif call.credit and (credit := self.credits.get(call.id)):
                        credit.grant(call.credit)
        self.replies.wake()

    def busy(self) -> bool:
        """Whether a call is under way, or a reply waits to be sent."""
        return bool(self.running or self.replies.items)

    def start(self, call: pb.Call) -> None:
        method = self.methods.get(call.method)
        streaming = method is not None and method.streaming
        if streaming and self.draining:
            self.replies.put(pb.Reply(id=call.id, end=True))
            return
        try:
            self.limit.check()
        except Refusal as refusal:
            self.refuse(call, refusal)
            return
        if method is None:
            unknown = Refusal(grpc.StatusCode.UNIMPLEMENTED, "UNKNOWN_METHOD", f"there is no method {call.method}")
            self.count(call, time.perf_counter(), self.refuse(call, unknown))
            return
        if streaming:
            # Before its task runs: the same batch may cancel it.
            self.credits[call.id] = SendCredit()
        else:
            self.limit.under_way += 1
        task = asyncio.create_task(self.stream(method, call) if streaming else self.answer(method, call))
        self.running[call.id] = task
        task.add_done_callback(partial(self.done, call.id))

    def done(self, number: int, task: asyncio.Task[None]) -> None:
        del self.running[number]
        if self.credits.pop(number, None) is None:
            self.limit.under_way -= 1

    async def answer(self, method: "Method", call: pb.Call) -> None:
        CAUSE.set(call.cause)
        began, refusal = time.perf_counter(), None
        try:
            self.reply(call, await method.handler(method.request.FromString(call.request)))
        except Exception as error:
            refusal = self.refuse(call, error)
        self.count(call, began, refusal)

    async def stream(self, method: "Method", call: pb.Call) -> None:
        """What is measured is the time to the first answer: a stream may last for hours."""
        CAUSE.set(pb.Cause(request_id=call.cause.request_id))
        credit, began, counted = self.credits[call.id], time.perf_counter(), False
        try:
            await credit.acquire()
            async for answer in method.handler(method.request.FromString(call.request)):
                self.reply(call, answer)
                if not counted:
                    counted = True
                    self.count(call, began, None)
                await credit.acquire()
            self.replies.put(pb.Reply(id=call.id, end=True))
        except Exception as error:
            self.count(call, time.perf_counter() if counted else began, self.refuse(call, error))

    def reply(self, call: pb.Call, answer: Any) -> None:
        data = answer.SerializeToString()
        if len(data) > LARGEST:
            text = f"the answer of {call.method} has {len(data)} bytes; a link carries {LARGEST}"
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "ANSWER_TOO_LARGE", text)
        self.replies.put(pb.Reply(id=call.id, answer=data))

    def refuse(self, call: pb.Call, error: Exception) -> Refusal:
        if isinstance(error, Refusal):
            refusal = error
        elif isinstance(error, tuple(OUTAGES)):
            refusal = store_away()
        else:
            log.error("%s failed", call.method, exc_info=error, extra=self.fields(call))
            refusal = Refusal(grpc.StatusCode.INTERNAL, "INTERNAL", "something went wrong here; try again")
        self.replies.put(pb.Reply(id=call.id, error=status_of(refusal).SerializeToString()))
        return refusal

    def count(self, call: pb.Call, began: float, refusal: Refusal | None) -> None:
        took, status = time.perf_counter() - began, refusal.code.name if refusal else "OK"
        calls(call.method if call.method in self.methods else "unknown", status).observe(took)
        if log.isEnabledFor(logging.DEBUG):
            reason = f" {refusal.reason}" if refusal else ""
            log.debug("%s %s%s in %.1f ms", call.method, status, reason, 1000 * took, extra=self.fields(call))

    def fields(self, call: pb.Call) -> dict[str, Any]:
        method = self.methods.get(call.method)
        return message_fields(method.request.FromString(call.request)) if method else {}

    def drain(self) -> None:
        """The next message tells the caller to go elsewhere; streams end."""
        self.draining = True
        for number in list(self.credits):
            self.running[number].cancel()
            self.replies.put(pb.Reply(id=number, end=True))
        self.replies.wake()

    def cancel_streams(self) -> None:
        """The caller is gone. Its other calls are finished: what they have begun must not stop half way."""
        for number in self.credits:
            self.running[number].cancel()
