"""A finished game, step by step."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from gateway.admission.caller import Code, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import describe
from gateway.contract.responses import tagged
from gateway.routes.tables.play import POSITION, READ
from teahouse.v1 import replays_pb2

router = APIRouter(tags=["play"])


@router.get(
    "/v1/tables/{table}/replay/{version}",
    **describe(
        "look_back",
        "Look back",
        schemas.Position,
        POSITION | {"status": "finished", "legal": []},
        problems=[*READ, "NOT_FINISHED", "STALE_VERSION", "RULES_CHANGED", "GAME_UNAVAILABLE"],
        cached=True,
        anonymous=True,
    ),
)
async def look_back(
    request: Request,
    table: str,
    onlooker: Onlooker,
    code: Code,
    version: Annotated[int, Path(ge=0, le=schemas.INT64, description="How many entries of the log had happened.")],
) -> Response:
    """The position of a finished game as you saw it then. The version of a line of the log is the position after it."""
    backend = backend_of(request)
    message = replays_pb2.LookBackRequest(caller=onlooker, table=table, join_code=code, version=version)
    position = await backend.read(backend.replays.LookBack, message)
    return tagged(request, conversions.encode(conversions.position(position)), private=True)
