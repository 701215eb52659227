"""Both ends of a link, where they can be looked at without a process."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from services.platform.link.server import Gate, Incoming, LinkServer
from teahouse.v1 import link_pb2 as pb


class Endless:
    """A service with one stream that never ends by itself."""

    def __init__(self) -> None:
        self.open = 0

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        self.open += 1
        try:
            await asyncio.Event().wait()
            yield request
        finally:
            self.open -= 1


async def batches(*batches: pb.Calls) -> AsyncIterator[pb.Calls]:
    for batch in batches:
        yield batch
        await asyncio.sleep(0.01)


def left_open(*sent: pb.Calls) -> int:
    """How many streams run after these messages."""

    async def run() -> int:
        service, server = Endless(), LinkServer(None, [], Gate(0))
        server.methods, server.streaming = {"Endless": (pb.Call, service.stream)}, {"Endless"}
        line = Incoming(server)
        await line.read(batches(*sent))
        running = service.open
        assert len(line.running) == len(line.credits) == running
        line.end()
        await asyncio.sleep(0)
        return running

    return asyncio.run(run())


def test_a_stream_that_is_cancelled_at_once_does_not_stay() -> None:
    begin, cancel = pb.Call(id=1, method="Endless"), pb.Call(id=1, cancel=True)
    assert left_open(pb.Calls(calls=[begin])) == 1
    assert left_open(pb.Calls(calls=[begin]), pb.Calls(calls=[cancel])) == 0
    assert left_open(pb.Calls(calls=[begin, cancel])) == 0
