"""How streams reach a client, and those of whole facts (a ticket as it is, an event of a player).

Served as Server-Sent Events, or as NDJSON to whoever asks for `Accept: application/x-ndjson`. Whole facts stand for
themselves: if the session service goes away such a stream is opened anew behind the client's back and begins with how
things are.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

import grpc.aio
from fastapi import Request
from starlette.responses import Response, StreamingResponse

from gateway import metrics
from gateway.backend import Backend
from gateway.convert import encode
from gateway.problems import Problem, from_error
from gateway.watching import FINAL, FIRST_PAUSE, LIFE, LONGEST_PAUSE

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
# Caches and proxies must pass every message on at once.
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Vary": "Accept"}


Shape = Callable[[Any], Any]


class Feed:
    """`await next()` until it gives None: the stream is over. `last` knows the message after which nothing comes."""

    def __init__(self, method: Callable[..., Any], message: Any, last: Callable[[Any], bool]) -> None:
        self.method, self.message, self.last = method, message, last
        self.over = False
        self.pause = FIRST_PAUSE
        self.call = self.open()

    def open(self) -> Any:
        return self.method(self.message, timeout=LIFE * random.uniform(1, 1.5))

    async def first(self) -> Any:
        """The first message; what refuses it is raised as it is."""
        told = await anext(self.call, grpc.aio.EOF)
        if told is grpc.aio.EOF:
            return await self.next()
        self.over = self.last(told)
        return told

    async def next(self) -> Any:
        while not self.over:
            try:
                told = await anext(self.call, grpc.aio.EOF)
            except grpc.aio.AioRpcError as error:
                if error.code() in FINAL:
                    raise
                told = grpc.aio.EOF
            if told is not grpc.aio.EOF:
                self.pause = FIRST_PAUSE
                self.over = self.last(told)
                return told
            self.call.cancel()
            await asyncio.sleep(self.pause * random.uniform(0.8, 1.2))
            self.pause = min(self.pause * 2, LONGEST_PAUSE)
            self.call = self.open()
        return None

    def close(self) -> None:
        self.call.cancel()


def wants_ndjson(request: Request) -> bool:
    return NDJSON in request.headers.get("accept", "")


def stream(request: Request, feed: Feed, shape: Shape, *first: Any) -> Response:
    """The answer to a request: `first`, and then whatever comes, until the feed is over or the server stops."""
    lines, path = wants_ndjson(request), request.url.path
    frame, beat = (ndjson, b"\n") if lines else (sse, b": still here\n\n")
    body = relay(
        request.app.state.backend,
        feed,
        beat + b"".join(frame("", shape(each)) for each in first),
        lambda told: frame("", shape(told)),
        lambda problem: frame("problem", problem.document(path)),
        beat,
    )
    return StreamingResponse(body, headers=HEADERS, media_type=NDJSON if lines else SSE)


class Source(Protocol):
    """What can be relayed: messages until None."""

    async def next(self) -> Any: ...

    def close(self) -> None: ...


async def relay(
    backend: Backend,
    source: Source,
    first: bytes,
    write: Callable[[Any], bytes],
    refuse: Callable[[Problem], bytes],
    beat: bytes,
) -> AsyncIterator[bytes]:
    """Messages as they come, a sign of life when nothing comes, until they end, the client goes or the server stops."""
    metrics.EVENT_STREAMS.inc()
    stopping = asyncio.ensure_future(backend.stopping.wait())
    reading = asyncio.ensure_future(source.next())
    try:
        yield first
        while not stopping.done():
            await asyncio.wait((reading, stopping), timeout=backend.heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                yield beat
                continue
            try:
                told = reading.result()
            except grpc.aio.AioRpcError as error:
                yield refuse(from_error(error))
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


def sse(kind: str, shape: Any) -> bytes:
    """One event; only a problem has a name, the others a browser hears with `onmessage`."""
    head = f"event: {kind}\n".encode() if kind else b""
    return head + b"data: %b\n\n" % encode(shape)


def ndjson(kind: str, shape: Any) -> bytes:
    """One line; a problem is recognised by its `reason`."""
    return encode(shape) + b"\n"
