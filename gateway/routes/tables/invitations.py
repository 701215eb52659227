"""Seats that a host keeps for somebody."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from msgspec import Meta
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import describe
from gateway.contract.responses import answer
from gateway.routes.tables.tables import SIGNED, TABLE
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
    backend = backend_of(request)
    message = invitations_pb2.InviteRequest(caller=caller, table=table, player=wish.player, seat=wish.seat)
    return answer(conversions.table(await backend.call(backend.invitations.Invite, message)))
