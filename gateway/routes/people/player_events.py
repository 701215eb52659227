"""One stream for everything that concerns a player, at whatever table."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from starlette.responses import Response

from gateway.admission.caller import Caller, TokenInQuery
from gateway.backend import backend_of
from gateway.contract.describe import describe
from gateway.streams.event_stream import BARE_LINES, format_for, stream
from gateway.streams.subscriptions import PlayerSubscription
from teahouse.v1 import player_events_pb2

router = APIRouter(tags=["players"])
EXAMPLE = 'data: {"type": "your_turn", "table": "t_4hXc", "game": "example_game", "version": 12, "seat": 0}\n\n'


class PlayerEvent(Struct, omit_defaults=True):
    """Something that concerns you."""

    type: Literal["started", "your_turn", "finished", "closed", "invited", "matched", "party"]
    table: Annotated[str | UnsetType, Meta(description='Of all but "party".')] = UNSET
    game: str | UnsetType = UNSET
    version: int | UnsetType = UNSET
    seat: Annotated[int | UnsetType, Meta(description="Yours, or the one that is kept for you.")] = UNSET
    ticket: Annotated[str | UnsetType, Meta(description='Of "matched" and "party".')] = UNSET
    by: Annotated[str | UnsetType, Meta(description='Of "invited" and "party": the id of whoever asks.')] = UNSET
    outcome: Annotated[Raw | UnsetType, Meta(description='Of "finished".')] = UNSET


@router.get(
    "/v1/players/me/events",
    **describe(
        "watch_me",
        "Hear what concerns you",
        PlayerEvent,
        EXAMPLE,
        problems=["TOKEN_NEEDED", "BAD_TOKEN"],
        media_type="text/event-stream",
    ),
)
async def watch_me(
    request: Request,
    caller: Caller,
    token: TokenInQuery = "",
) -> Response:
    """First how things are: `started` for every game that you play, `your_turn` where the decision is yours, `invited`
    and `party` for invitations that stand, `matched` if your latest match is being played. Then what happens. After a
    lost connection ask again: how things are is told again, so nothing is lost, but an event may come twice. As
    Server-Sent Events or, with `Accept: application/x-ndjson`, line by line."""
    form = format_for(request, BARE_LINES)
    events = PlayerSubscription(backend_of(request), caller)
    return stream(request, events, form, form.heartbeat, lambda event: form.write("", shown(event), None))


def shown(message: player_events_pb2.PlayerEvent) -> PlayerEvent:
    return PlayerEvent(
        message.type,  # type: ignore[arg-type]
        message.table or UNSET,
        message.game or UNSET,
        message.version or UNSET,
        message.seat if message.HasField("seat") else UNSET,
        message.ticket or UNSET,
        message.by or UNSET,
        Raw(message.outcome) if message.outcome else UNSET,
    )
