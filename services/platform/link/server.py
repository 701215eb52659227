"""The answering end of a link."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from google.protobuf import message_factory

from services.platform import tracing
from services.platform.call_limit import CallLimit
from services.platform.link.server_connection import ServerConnection
from services.platform.metrics import attributes
from teahouse.v1 import link_pb2 as pb
from teahouse.v1 import link_pb2_grpc


class Method(NamedTuple):
    """A method of the service: what it takes, what answers it, and whether it gives a stream of answers."""

    request: Any
    handler: Callable[[Any], Any]
    streaming: bool


class LinkServer(link_pb2_grpc.LinkServicer):
    """Answers calls with the methods of `service`, of all its contracts; counts them against `limit`."""

    def __init__(self, service: Any, descriptors: Iterable[Any], limit: CallLimit) -> None:
        self.limit = limit
        self.methods = {method.name: make_method(service, method) for each in descriptors for method in each.methods}
        self.connections: set[ServerConnection] = set()
        self.draining = False

    async def Open(self, requests: Any, context: Any) -> AsyncIterator[pb.Replies]:
        connection = ServerConnection(self.methods, self.limit)
        self.connections.add(connection)
        reading = asyncio.create_task(connection.read(requests))
        if self.draining:
            connection.drain()
        try:
            while not reading.done() or connection.busy():
                yield pb.Replies(replies=await connection.replies.take(), going_away=self.draining)
        finally:
            self.connections.discard(connection)
            reading.cancel()
            connection.cancel_streams()

    def drain(self) -> None:
        """Asks every caller to go elsewhere. Streams end; other calls under way are still answered."""
        self.draining = True
        for connection in self.connections:
            connection.drain()


def make_method(service: Any, method: Any) -> Method:
    handler = getattr(service, method.name).plain
    # A stream is not part of a trace: it may last for hours.
    if tracing.tracer() and not method.server_streaming:
        handler = partial(traced, method.name, handler)
    return Method(message_factory.GetMessageClass(method.input_type), handler, method.server_streaming)


async def traced(name: str, handler: Callable[[Any], Any], request: Any) -> Any:
    tracer = tracing.tracer()
    assert tracer
    with tracer.within("server", name, attributes(name, request)):
        return await handler(request)
