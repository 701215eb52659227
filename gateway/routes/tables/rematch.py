"""Playing again."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import describe
from gateway.contract.responses import answer
from gateway.routes.tables.tables import SIGNED, TABLE
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["company"])
REMATCH = TABLE | {
    "id": "t_9kZw",
    "seats": [
        {"seat": 0, "kind": "player", "player": {"id": "p_7Qm2", "name": "Ada"}},
        {"seat": 1, "kind": "open", "invited": {"id": "p_3Rt8", "name": "Bob"}},
    ],
}
AGAIN = describe(
    "rematch",
    "Play again",
    schemas.Table,
    REMATCH,
    status=201,
    problems=[*SIGNED, "NOT_SEATED", "NOT_FINISHED", "NOT_OPEN", "SEAT_TAKEN", "GAME_UNAVAILABLE"],
)
AGAIN["responses"][200] = AGAIN["responses"][201] | {"description": "Somebody has opened it already; you sit there."}


@router.post("/v1/tables/{table}/rematch", **AGAIN)
async def rematch(request: Request, table: str, caller: Caller) -> Response:
    """The same game with the same options and seats. The first to ask opens the new table (201); the others' seats are
    kept until they ask too (200). When all sit the game begins by itself: at once, if the others are bots. Asking again
    changes nothing."""
    message = sessions_pb2.TableRequest(caller=caller, table=table)
    backend = backend_of(request)
    made = await backend.call(backend.company.Rematch, message)
    headers = {"Location": f"/v1/tables/{made.table.id}"}
    return answer(conversions.table(made.table), 201 if made.opened else 200, **headers)
