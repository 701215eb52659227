"""A table's updates for whoever only listens."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from gateway.admission.caller import Code, Onlooker, TokenInQuery
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import describe
from gateway.routes.tables.play import READ
from gateway.streams.event_stream import LINES, NDJSON, SSE, Format, format_for, stream
from gateway.streams.subscriptions import ENDED, TableSubscription
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["play"])


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
    since, backend = after if last is None else last, backend_of(request)
    with backend.calls:
        updates = TableSubscription(backend, caller, table, code, since)
        first = await updates.next()
    if first is None or (since is not None and first.position.status in ENDED and first.position.version <= since):
        updates.close()
        return Response(status_code=204)
    form = format_for(request, LINES)
    begin = changes(form, first) if since is not None else snapshot(form, first)
    return stream(request, updates, form, begin, partial(changes, form))


def snapshot(form: Format, update: sessions_pb2.Update) -> bytes:
    return form.write("snapshot", conversions.position(update.position), update.position.version)


def changes(form: Format, update: sessions_pb2.Update) -> bytes:
    """The messages of one update. Chat and presence have no id: a client continues after a version."""
    told = []
    if update.HasField("position"):
        told.append(form.write("update", conversions.update(update), update.position.version))
    told += [form.write("chat", conversions.line(line), None) for line in update.chat]
    if update.HasField("presence"):
        told.append(form.write("presence", conversions.presence(update.presence), None))
    return b"".join(told)
