"""Leaving a game, for a while or for good."""

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import describe
from gateway.contract.responses import answer
from gateway.routes.tables.tables import PLAYING, SIGNED
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["leaving"])
ABSENT = msgspec.json.Decoder(schemas.AbsentSeat)
BO = {"seat": 1, "kind": "player", "player": {"id": "p_9Xc1", "name": "Bo"}}
RESIGNED = PLAYING | {
    "status": "finished",
    "seats": [PLAYING["seats"][0], BO | {"stand_in": "greedy", "resigned": True}],
    "actor": None,
    "deadline": None,
    "outcome": {"places": [1, 2], "scores": [0, 0], "breakdown": [[], []], "reason": "resigned"},
}
AWAY = PLAYING | {"seats": [PLAYING["seats"][0], BO | {"stand_in": "greedy"}]}
PROBLEMS = [*SIGNED, "NOT_SEATED", "NOT_PLAYING", "BUSY", "GAME_UNAVAILABLE"]


@router.post("/v1/tables/{table}/resign", **describe("resign", "Resign", schemas.Table, RESIGNED, problems=PROBLEMS))
async def resign(request: Request, table: str, caller: Caller) -> Response:
    """Gives the game up. If only one seat is left that has not, or no person, the game ends at once; else a bot plays
    your seat to the end, and it comes last."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=caller, table=table)
    return answer(conversions.table(await backend.call(backend.sessions.Resign, message)))


@router.post(
    "/v1/tables/{table}/return",
    **describe("return_to_table", "Play again yourself", schemas.Table, PLAYING, problems=[*PROBLEMS, "RESIGNED"]),
)
async def return_to_table(request: Request, table: str, caller: Caller) -> Response:
    """Takes your seat back from the bot that stands in for you, at once. Acting does the same."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=caller, table=table)
    return answer(conversions.table(await backend.call(backend.sessions.Return, message)))


@router.post(
    "/v1/tables/{table}/absent",
    **describe(
        "vote_absent",
        "Vote that a player is absent",
        schemas.Table,
        AWAY,
        takes=schemas.AbsentSeat,
        sends={"seat": 1},
        problems=[*PROBLEMS, "NOT_ABSENT", "BAD_SEATS"],
    ),
)
async def vote_absent(request: Request, table: str, caller: Caller) -> Response:
    """Of a player who has the decision and has not acted for a minute (the operator may set another time). When all
    other players who play themselves have voted, a bot stands in until that player returns."""
    backend = backend_of(request)
    wish = await body(request, ABSENT)
    message = sessions_pb2.VoteAbsentRequest(caller=caller, table=table, seat=wish.seat)
    return answer(conversions.table(await backend.call(backend.sessions.VoteAbsent, message)))
