"""Server-Sent Events: a table's updates for whoever only listens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import grpc.aio
from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response, StreamingResponse

from gateway import convert, metrics, schemas
from gateway.auth import Code, onlooker
from gateway.backend import Backend
from gateway.openapi import describe
from gateway.play import READ
from gateway.problems import from_error
from gateway.watching import ENDED, Watch
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["play"])
EXAMPLE = 'id: 12\nevent: snapshot\ndata: {"table": "t_4hXc", "version": 12, …}\n\n'
# Caches and proxies must pass every event on at once.
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


@router.get(
    "/v1/tables/{table}/events",
    **describe(
        "get_events",
        "Watch as Server-Sent Events",
        schemas.Update,
        EXAMPLE,
        problems=READ,
        media_type="text/event-stream",
        anonymous=True,
    ),
)
async def get_events(
    request: Request,
    table: str,
    code: Code,
    after: Annotated[int | None, Query(ge=0, le=schemas.INT64, description="Continue after this version.")] = None,
    last: Annotated[
        int | None,
        Header(alias="Last-Event-ID", ge=0, le=schemas.INT64, description="The same; browsers send it by themselves."),
    ] = None,
    token: Annotated[str, Query(description="For browsers, which cannot set headers here.")] = "",
) -> Response:
    """First `snapshot` with the position, then `update` for every change; `id` is the version. Continued with
    Last-Event-ID or `after`, the stream begins with what was missed, as one `update`. It ends with the game: whoever
    asks again then gets 204, which tells browsers to stop."""
    state = request.app.state
    caller = await onlooker(state.players, request.headers, {"token": token})
    since = after if last is None else last
    watch = Watch(state.backend, caller, table, code, since)
    first = await watch.next()
    if first is None or (since is not None and first.position.status in ENDED and first.position.version <= since):
        watch.close()
        return Response(status_code=204)
    kind = b"snapshot" if since is None else b"update"
    return StreamingResponse(
        stream(state.backend, watch, frame(kind, first)), headers=HEADERS, media_type="text/event-stream"
    )


async def stream(backend: Backend, watch: Watch, first: bytes) -> AsyncIterator[bytes]:
    """Events as they come, a comment when nothing comes, until the game ends, the client goes or the server stops."""
    metrics.EVENT_STREAMS.inc()
    stopping = asyncio.ensure_future(backend.stopping.wait())
    reading = asyncio.ensure_future(watch.next())
    try:
        yield first
        while not stopping.done():
            await asyncio.wait((reading, stopping), timeout=backend.heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                yield b": still here\n\n"
                continue
            try:
                update = reading.result()
            except grpc.aio.AioRpcError as error:
                yield b"event: problem\ndata: %b\n\n" % convert.encode(from_error(error).document(watch.table))
                return
            if update is None:
                return
            yield frame(b"update", update)
            reading = asyncio.ensure_future(watch.next())
    finally:
        metrics.EVENT_STREAMS.dec()
        stopping.cancel()
        reading.cancel()
        watch.close()


def frame(kind: bytes, update: sessions_pb2.Update) -> bytes:
    """One event. JSON from the services has no line breaks outside of strings' escapes, so one data line is enough."""
    position = update.position
    shape = convert.position(position) if kind == b"snapshot" else convert.update(update)
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (position.version, kind, convert.encode(shape))
