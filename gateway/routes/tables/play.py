"""The game at a table: look, act, take a step back."""

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.admission.caller import Caller, Code, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import OnceKey
from gateway.contract.responses import answer, tagged
from gateway.server import metrics
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["play"])
MOVE = msgspec.json.Decoder(schemas.Move)
TAKE_BACK = msgspec.json.Decoder(schemas.TakeBack)
POSITION: JsonObject = {
    "table": "t_4hXc",
    "status": "playing",
    "version": 12,
    "seat": 0,
    "actor": 0,
    "view": {"hand": ["gift-red-3"]},
    "legal": [{"lay": {"card": "gift-red-3"}}],
    "outcome": None,
    "can_undo": False,
    "deadline": "2026-03-01T18:32:00.000Z",
}
UPDATE = POSITION | {
    "version": 13,
    "actor": 1,
    "legal": [],
    "events": [{"revealed": {"seat": 0, "card": "gift-red-3"}}],
    "table_events": [],
}
READ = ["BAD_TOKEN", "UNKNOWN_TABLE", "WRONG_CODE"]


@router.get(
    "/v1/tables/{table}/view",
    **describe("get_view", "See the position", schemas.Position, POSITION, problems=READ, cached=True, anonymous=True),
)
async def get_view(request: Request, table: str, onlooker: Onlooker, code: Code) -> Response:
    """What you may see from your seat, and your legal actions. Without a seat: what a spectator may see."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=onlooker, table=table, join_code=code)
    position = await backend.read(backend.sessions.Look, message)
    return tagged(request, conversions.encode(conversions.position(position)), private=True)


@router.post(
    "/v1/tables/{table}/actions",
    **describe(
        "act",
        "Act",
        schemas.Update,
        UPDATE,
        takes=schemas.Move,
        sends={"version": 12, "action": {"lay": {"card": "gift-red-3"}}},
        problems=[
            "KEY_REUSED",
            *("TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_TABLE", "NOT_SEATED", "STALE_VERSION", "NOT_YOUR_TURN"),
            *("NOT_PLAYING", "ILLEGAL_ACTION", "MALFORMED_ACTION", "RULES_CHANGED", "GAME_UNAVAILABLE"),
            *("TIME_UP", "RESIGNED"),
        ],
    ),
)
async def act(
    request: Request,
    table: str,
    caller: Caller,
    key: OnceKey = "",
) -> Response:
    """Carries out one of your legal actions. `version` is the version you saw: if the table has moved on since, nothing
    happens and the answer is 409 with `current_version`."""
    move = await body(request, MOVE)
    backend = backend_of(request)
    message = sessions_pb2.ActRequest(
        caller=caller, table=table, version=move.version, action=bytes(move.action), idempotency_key=key
    )
    update = await backend.call(backend.sessions.Act, message)
    metrics.MOVES_BY_REST.inc()
    return answer(conversions.update(update))


@router.post(
    "/v1/tables/{table}/undo",
    **describe(
        "undo",
        "Take a step back",
        schemas.Update,
        POSITION | {"version": 14, "events": [], "table_events": [{"undone": {"seat": 0, "version": 13}}]},
        takes=schemas.TakeBack,
        sends={"version": 13},
        problems=[
            *("TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_TABLE", "NOT_SEATED", "STALE_VERSION", "NOT_YOUR_TURN"),
            *("NOT_PLAYING", "NOTHING_TO_UNDO", "TIME_UP", "RULES_CHANGED", "GAME_UNAVAILABLE"),
        ],
    ),
)
async def undo(request: Request, table: str, caller: Caller) -> Response:
    """Takes your last step back, if `can_undo` says so: while you have the decision and nothing hidden was revealed.
    Call it again to go back further. The version grows, as with everything that happens."""
    wish = await body(request, TAKE_BACK)
    backend = backend_of(request)
    message = sessions_pb2.UndoRequest(caller=caller, table=table, version=wish.version)
    return answer(conversions.update(await backend.call(backend.sessions.Undo, message)))
