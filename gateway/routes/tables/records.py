"""What happened at a table: the log, and the replay of a finished game."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from gateway.admission.caller import Code, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import describe
from gateway.contract.responses import answer
from gateway.routes.tables.play import READ, UPDATE
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["play"])
LOG = {
    "lines": [
        {
            "version": 13,
            "at": "2026-03-01T18:31:00.250000Z",
            "seat": 0,
            "events": UPDATE["events"],
            "table_events": [],
        }
    ],
    "version": 13,
}
REPLAY = {
    "game": "example_game",
    "rules_version": "1-5f2c",
    "options": {"mode": "basic"},
    "seats": ["player", "player"],
    "seed": "00ff…",
    "seed_hash": "9f86d081…",
    "actions": [{"seat": 0, "action": {"use": {"marker": "reveal"}}}],
    "outcome": {
        "places": [1, 2],
        "scores": [9, 5],
        "breakdown": [[{"label": "cards", "points": 9}], []],
        "reason": "points",
    },
    "players": [
        {"seat": 0, "kind": "player", "player": {"id": "p_7Qm2", "name": "Ada"}},
        {"seat": 1, "kind": "bot", "bot": "greedy"},
    ],
    "resigned": [],
}


@router.get(
    "/v1/tables/{table}/log",
    **describe("get_log", "Read the log", schemas.Log, LOG, problems=[*READ, "BAD_PAGE"], anonymous=True),
)
async def get_log(
    request: Request,
    table: str,
    onlooker: Onlooker,
    code: Code,
    after: Annotated[int, Query(ge=0, le=schemas.INT64, description="Only entries after this version.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Response:
    """What happened at the table, as you may know it."""
    backend = backend_of(request)
    message = sessions_pb2.LogRequest(caller=onlooker, table=table, join_code=code, after_version=after, limit=limit)
    return answer(conversions.log(await backend.read(backend.sessions.GetLog, message)))


@router.get(
    "/v1/tables/{table}/replay",
    **describe(
        "get_replay",
        "Take the replay",
        schemas.Replay,
        REPLAY,
        problems=[*READ, "NOT_FINISHED"],
        anonymous=True,
    ),
)
async def get_replay(request: Request, table: str, onlooker: Onlooker, code: Code) -> Response:
    """Seed, seats, options and actions of a finished game: enough to play it again and check every deal."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=onlooker, table=table, join_code=code)
    return answer(conversions.replay(await backend.read(backend.sessions.GetReplay, message)))
