"""A service that does little, to test and measure how it is called: `python -m tests.support.echo_service`.

It starts as every service of ours does (services/platform/server.py), listens on TEAHOUSE_PORT, and answers over a link
and by plain gRPC. Its contract is made here: no game and no store is needed.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2, wrappers_pb2
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import BytesValue, DoubleValue, Int64Value

from services.platform.errors import answers, conflict, streams
from services.platform.server import serve
from services.platform.settings import Settings

# The methods: what each takes, what it answers, and whether with a stream.
METHODS: dict[str, tuple[type, type, bool]] = {
    "Echo": (BytesValue, BytesValue, False),
    "Enlarge": (Int64Value, BytesValue, False),
    "Wait": (DoubleValue, Empty, False),
    "Finished": (Empty, Int64Value, False),
    "Refuse": (Empty, Empty, False),
    "Fail": (Empty, Empty, False),
    "Note": (Int64Value, Empty, False),
    "Notes": (Empty, BytesValue, False),
    "Count": (Int64Value, Int64Value, True),
    "Stay": (Empty, Int64Value, True),
    "Open": (Empty, Int64Value, False),
    "Counted": (Empty, Int64Value, False),
}


def contract() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="tests/echo.proto", package="tests", syntax="proto3")
    file.dependency.extend([empty_pb2.DESCRIPTOR.name, wrappers_pb2.DESCRIPTOR.name])
    service = file.service.add(name="Echo")
    for name, (takes, gives, streaming) in METHODS.items():
        kinds = (f".google.protobuf.{kind.__name__}" for kind in (takes, gives))
        service.method.add(name=name, input_type=next(kinds), output_type=next(kinds), server_streaming=streaming)
    pool: Any = descriptor_pool
    return pool.Default().AddSerializedFile(file.SerializeToString()).services_by_name["Echo"]


CONTRACT = contract()


class EchoService:
    descriptors = (CONTRACT,)

    def __init__(self) -> None:
        self.finished = self.open = self.counted = 0
        self.notes: list[int] = []

    async def begin(self) -> None:
        pass

    async def end(self) -> None:
        pass

    @answers
    async def Echo(self, request: BytesValue) -> BytesValue:
        return request

    @answers
    async def Enlarge(self, request: Int64Value) -> BytesValue:
        """So many bytes."""
        return BytesValue(value=bytes(request.value))

    @answers
    async def Wait(self, request: DoubleValue) -> Empty:
        """Takes so many seconds."""
        await asyncio.sleep(request.value)
        self.finished += 1
        return Empty()

    @answers
    async def Finished(self, request: Empty) -> Int64Value:
        """How many calls of Wait have come to their end."""
        return Int64Value(value=self.finished)

    @answers
    async def Refuse(self, request: Empty) -> Empty:
        raise conflict("NOT_TODAY", "come back tomorrow")

    @answers
    async def Fail(self, request: Empty) -> Empty:
        raise ValueError("a secret")

    @answers
    async def Note(self, request: Int64Value) -> Empty:
        self.notes.append(request.value)
        return Empty()

    @answers
    async def Notes(self, request: Empty) -> BytesValue:
        """What was noted, in that order."""
        return BytesValue(value=b",".join(b"%d" % note for note in self.notes))

    @streams
    async def Count(self, request: Int64Value) -> AsyncIterator[Int64Value]:
        """The numbers below this one, as fast as they are read."""
        for number in range(request.value):
            self.counted = number + 1
            yield Int64Value(value=number)

    @answers
    async def Counted(self, request: Empty) -> Int64Value:
        """How far the last Count has come."""
        return Int64Value(value=self.counted)

    @streams
    async def Stay(self, request: Empty) -> AsyncIterator[Int64Value]:
        """One answer, and then none."""
        self.open += 1
        try:
            yield Int64Value(value=self.open)
            await asyncio.Event().wait()
        finally:
            self.open -= 1

    @answers
    async def Open(self, request: Empty) -> Int64Value:
        """How many streams of Stay are open."""
        return Int64Value(value=self.open)


if __name__ == "__main__":
    serve("echo", Settings(), EchoService)
