"""A table's updates for whoever only listens: Server-Sent Events, or JSON lines for tools such as `curl -N`."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response, StreamingResponse

from gateway import convert, schemas
from gateway.auth import Code, Onlooker, TokenInQuery
from gateway.feeds import HEADERS, NDJSON, SSE, relay, wants_ndjson
from gateway.openapi import describe
from gateway.play import READ
from gateway.watching import ENDED, Watch
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["play"])


class Format(NamedTuple):
    """How a stream is written: one message of a kind, with its version if it has one; a sign of life."""

    media_type: str
    write: Callable[[str, Any, int | None], bytes]
    heartbeat: bytes


def event(kind: str, shape: Any, version: int | None = None) -> bytes:
    """JSON from the services has no line breaks outside of strings' escapes, so one data line is enough.

    >>> event("update", {"version": 7}, 7)
    b'id: 7\\nevent: update\\ndata: {"version":7}\\n\\n'
    """
    id_ = b"" if version is None else b"id: %d\n" % version
    return b"%bevent: %b\ndata: %b\n\n" % (id_, kind.encode(), convert.encode(shape))


def line(kind: str, shape: Any, version: int | None = None) -> bytes:
    """The same message as on the socket.

    >>> line("update", {"version": 7}, 7)
    b'{"update":{"version":7}}\\n'
    """
    return b'{"%b":%b}\n' % (kind.encode(), convert.encode(shape))


EVENTS = Format(SSE, event, b": still here\n\n")
JSON_LINES = Format(NDJSON, line, b"\n")


@router.get(
    "/v1/tables/{table}/events",
    **describe(
        "get_events",
        "Watch as Server-Sent Events or JSON lines",
        schemas.Update,
        'id: 12\nevent: snapshot\ndata: {"table": "t_4hXc", "version": 12, …}\n\n',
        problems=[*READ, "STALE_VERSION"],
        media_type=SSE,
        also={NDJSON: '{"snapshot": {"table": "t_4hXc", "version": 12, …}}\n'},
        nothing="The game is over, and the client has everything.",
        anonymous=True,
    ),
)
async def get_events(
    request: Request,
    table: str,
    caller: Onlooker,
    code: Code,
    after: Annotated[int | None, Query(ge=0, le=schemas.INT64, description="Continue after this version.")] = None,
    last: Annotated[
        int | None,
        Header(alias="Last-Event-ID", ge=0, le=schemas.INT64, description="The same; browsers send it by themselves."),
    ] = None,
    token: TokenInQuery = "",
) -> Response:
    """First `snapshot` with the position, then `update` for every change; `id` is the version. Continued with
    Last-Event-ID or `after`, the stream begins with what was missed, as one `update`. It ends with the game: whoever
    asks again then gets 204, which tells browsers to stop. `chat` and `presence` come without an id.

    With `Accept: application/x-ndjson` every message is a line, as on the socket: `{"snapshot": …}`, `{"update": …}`,
    `{"chat": …}` or `{"presence": …}`;
    an empty line is a sign of life."""
    state = request.app.state
    since = after if last is None else last
    watch = Watch(state.backend, caller, table, code, since)
    first = await watch.next()
    if first is None or (since is not None and first.position.status in ENDED and first.position.version <= since):
        watch.close()
        return Response(status_code=204)
    form = JSON_LINES if wants_ndjson(request) else EVENTS
    begin = changes(form, first) if since is not None else snapshot(form, first)
    body = relay(
        state.backend,
        watch,
        begin,
        partial(changes, form),
        lambda problem: form.write("problem", problem.document(request.url.path), None),
        form.heartbeat,
    )
    return StreamingResponse(body, headers=HEADERS, media_type=form.media_type)


def snapshot(form: Format, update: sessions_pb2.Update) -> bytes:
    return form.write("snapshot", convert.position(update.position), update.position.version)


def changes(form: Format, update: sessions_pb2.Update) -> bytes:
    """The messages of one update. Chat and presence have no id: a client continues after a version."""
    told = []
    if update.HasField("position"):
        told.append(form.write("update", convert.update(update), update.position.version))
    told += [form.write("chat", convert.line(line), None) for line in update.chat]
    if update.HasField("presence"):
        told.append(form.write("presence", convert.presence(update.presence), None))
    return b"".join(told)
