"""A subscription as the answer to a GET: Server-Sent Events, or JSON lines for whoever asks for
`Accept: application/x-ndjson`, such as `curl -N`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple, TypeVar

import grpc.aio
from fastapi import Request
from google.protobuf.message import Message
from starlette.responses import Response, StreamingResponse

from gateway.backend import backend_of
from gateway.contract.conversions import encode
from gateway.contract.problems import from_error
from gateway.server import metrics
from gateway.streams.subscriptions import Subscription

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
# Caches and proxies must pass every message on at once.
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Vary": "Accept"}
Told = TypeVar("Told", bound=Message)


class Format(NamedTuple):
    """How a stream is written: one message of a kind, with its version if it has one; a sign of life."""

    media_type: str
    write: Callable[[str, object, int | None], bytes]
    heartbeat: bytes


def event(kind: str, shape: object, version: int | None = None) -> bytes:
    """JSON from the services has no line breaks outside of strings' escapes, so one data line is enough. A message
    without a kind reaches a browser's `onmessage`.

    >>> event("update", {"version": 7}, 7), event("", {"version": 7})
    (b'id: 7\\nevent: update\\ndata: {"version":7}\\n\\n', b'data: {"version":7}\\n\\n')
    """
    id_ = b"" if version is None else b"id: %d\n" % version
    return b"%b%bdata: %b\n\n" % (id_, b"event: %b\n" % kind.encode() if kind else b"", encode(shape))


def line(kind: str, shape: object, version: int | None = None) -> bytes:
    """The same message as on the socket.

    >>> line("update", {"version": 7}, 7)
    b'{"update":{"version":7}}\\n'
    """
    return b'{"%b":%b}\n' % (kind.encode(), encode(shape))


def bare_line(kind: str, shape: object, version: int | None = None) -> bytes:
    """For streams of one kind; a problem is recognised by its `reason`."""
    return encode(shape) + b"\n"


EVENTS = Format(SSE, event, b": still here\n\n")
LINES, BARE_LINES = Format(NDJSON, line, b"\n"), Format(NDJSON, bare_line, b"\n")


def format_for(request: Request, lines: Format) -> Format:
    return lines if NDJSON in request.headers.get("accept", "") else EVENTS


def stream(
    request: Request, source: Subscription[Told], form: Format, first: bytes, write: Callable[[Told], bytes]
) -> Response:
    """The answer to a request: `first`, then what comes, until it ends, the client goes or the server stops."""
    backend = backend_of(request)

    async def body() -> AsyncIterator[bytes]:
        metrics.EVENT_STREAMS.inc()
        stopping = asyncio.ensure_future(backend.stopping.wait())
        reading = asyncio.ensure_future(source.next())
        try:
            yield first
            while not stopping.done():
                await asyncio.wait((reading, stopping), timeout=backend.heartbeat, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done():
                    yield form.heartbeat
                    continue
                try:
                    told = reading.result()
                except grpc.aio.AioRpcError as error:
                    yield form.write("problem", from_error(error).document(request.url.path), None)
                    return
                if told is None:
                    return
                yield write(told)
                reading = asyncio.ensure_future(source.next())
        finally:
            metrics.EVENT_STREAMS.dec()
            stopping.cancel()
            reading.cancel()
            source.close()

    return StreamingResponse(body(), headers=HEADERS, media_type=form.media_type)
