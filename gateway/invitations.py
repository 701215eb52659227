"""Seats that a host keeps for somebody."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from msgspec import Meta
from starlette.responses import Response

from gateway import convert, schemas
from gateway.answers import answer
from gateway.auth import Caller
from gateway.bodies import body
from gateway.openapi import describe
from gateway.tables import SIGNED, TABLE
from teahouse.v1 import invitations_pb2

router = APIRouter(tags=["tables"])


class Invitation(schemas.Request):
    """Whom to invite; without a seat number to the first open seat that is kept for nobody."""

    player: Annotated[str, Meta(max_length=100, description="A player's id.", examples=["p_9Xc1"])]
    seat: schemas.SeatNumber | None = None


INVITATION = msgspec.json.Decoder(Invitation)
KEPT = {"seat": 1, "kind": "open", "invited": {"id": "p_9Xc1", "name": "Bo"}}


@router.post(
    "/v1/tables/{table}/invitations",
    **describe(
        "invite",
        "Invite a player",
        schemas.Table,
        TABLE | {"seats": [TABLE["seats"][0], KEPT]},
        takes=Invitation,
        sends={"player": "p_9Xc1", "seat": 1},
        problems=[
            *(*SIGNED, "UNKNOWN_PLAYER", "NOT_HOST", "SEAT_TAKEN", "ALREADY_SEATED", "NOT_OPEN", "BAD_SEATS", "BUSY"),
        ],
    ),
)
async def invite(request: Request, table: str, caller: Caller) -> Response:
    """Only the host, before the start: keeps an open seat for that player, who may sit down there also without the code
    of a private table. A second invitation moves the first. Take it back with `PUT …/seats/{n}` `{"kind": "open"}`."""
    wish = await body(request, INVITATION)
    backend = request.app.state.backend
    message = invitations_pb2.InviteRequest(caller=caller, table=table, player=wish.player, seat=wish.seat)
    return answer(convert.table(await backend.call(backend.sessions.Invite, message)))
