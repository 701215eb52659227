"""The link (services/platform/link) against grpc.aio: unary calls, a stream with a message for each call, and streams
of answers. As a program it is the server."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import uvloop
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value

from deploy.stack import LOCAL
from services.platform.call_limit import CallLimit
from services.platform.channels import OPTIONS
from services.platform.link import LinkClient, LinkServer
from services.platform.server import handlers
from services.platform.settings import Settings
from teahouse.v1 import link_pb2_grpc
from tests.bench.parts.measuring import Call, Way, compare, server
from tests.support.echo_service import CONTRACT, EchoService

# Of the size of a small move.
REQUEST = BytesValue(value=bytes(200))
WITHOUT_END = Int64Value(value=1 << 60)
READ, WRITE = BytesValue.FromString, BytesValue.SerializeToString


async def serve() -> None:
    started, service = grpc.aio.server(), EchoService()
    started.add_generic_rpc_handlers((handlers(service, CONTRACT),))
    one_by_one = {"Each": grpc.stream_stream_rpc_method_handler(each, READ, WRITE)}
    started.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench", one_by_one),))
    link_pb2_grpc.add_LinkServicer_to_server(LinkServer(service, [CONTRACT], CallLimit(0)), started)
    port = started.add_insecure_port(f"{LOCAL}:0")
    await started.start()
    print(port, flush=True)
    await started.wait_for_termination()


async def each(requests: Any, context: Any) -> AsyncIterator[BytesValue]:
    """Every message of a stream is a call."""
    async for request in requests:
        yield request


class Messages:
    """The calling end of that."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.unsent: asyncio.Queue[BytesValue] = asyncio.Queue()
        self.waiting: deque[asyncio.Future[BytesValue]] = deque()
        self.tasks = [asyncio.create_task(self.send()), asyncio.create_task(self.receive())]

    async def call(self) -> BytesValue:
        answer: asyncio.Future[BytesValue] = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        self.unsent.put_nowait(REQUEST)
        return await answer

    async def send(self) -> None:
        while True:
            await self.stream.write(await self.unsent.get())

    async def receive(self) -> None:
        while (answer := await self.stream.read()) is not grpc.aio.EOF:
            self.waiting.popleft().set_result(answer)

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        self.stream.cancel()


class Ways:
    def __init__(self, port: int) -> None:
        self.address = f"{LOCAL}:{port}"

    @asynccontextmanager
    async def unary(self, callers: int) -> AsyncIterator[list[Call]]:
        async with grpc.aio.insecure_channel(self.address, options=OPTIONS) as channel:
            echo: Any = channel.unary_unary("/tests.Echo/Echo", WRITE, READ)
            yield [lambda: echo(REQUEST, timeout=5)] * callers

    @asynccontextmanager
    async def messages(self, callers: int) -> AsyncIterator[list[Call]]:
        async with grpc.aio.insecure_channel(self.address, options=OPTIONS) as channel:
            messages = Messages(channel.stream_stream("/bench/Each", WRITE, READ)())
            yield [messages.call] * callers
            messages.close()

    @asynccontextmanager
    async def link(self, callers: int) -> AsyncIterator[list[Call]]:
        client = LinkClient(self.address, (), Settings())
        yield [lambda: client.unary("Echo", BytesValue, REQUEST, 5)] * callers
        await client.close()

    @asynccontextmanager
    async def streams(self, callers: int) -> AsyncIterator[list[Call]]:
        async with AsyncExitStack() as stack:
            channel = grpc.aio.insecure_channel(self.address, options=OPTIONS)
            await stack.enter_async_context(channel)
            count: Any = channel.unary_stream("/tests.Echo/Count", Int64Value.SerializeToString, Int64Value.FromString)
            calls = [count(WITHOUT_END) for _ in range(callers)]
            yield [call.read for call in calls]
            for call in calls:
                call.cancel()

    @asynccontextmanager
    async def link_streams(self, callers: int) -> AsyncIterator[list[Call]]:
        client = LinkClient(self.address, (), Settings())
        calls = [client.stream("Count", Int64Value, WITHOUT_END, 60) for _ in range(callers)]
        yield [call.__anext__ for call in calls]
        for call in calls:
            call.cancel()
        await client.close()


async def main() -> None:
    with server(__name__) as (port, process):
        ways = Ways(port)
        unary: list[Way] = [
            ("grpc.aio, unary", ways.unary),
            ("grpc.aio, a message for each call", ways.messages),
            ("link", ways.link),
        ]
        await compare("calls", unary, [1, 20, 100], [process])
        await compare(
            "streams", [("grpc.aio, unary_stream", ways.streams), ("link", ways.link_streams)], [1, 100], [process]
        )


if __name__ == "__main__":
    uvloop.run(serve())
