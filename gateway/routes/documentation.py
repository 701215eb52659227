"""What the API says of itself: the OpenAPI document with the shapes of every game, and the problems."""

import re
from functools import cache
from html import escape
from pathlib import Path

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from gateway.contract import openapi, schemas
from gateway.contract.describe import STATUS_OF, describe
from gateway.contract.game_shapes import GameShapes
from gateway.contract.problems import TITLES, Problem, type_of
from gateway.contract.responses import answer, tagged

router = APIRouter(tags=["documentation"])
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
ROW = re.compile(r"^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$", re.MULTILINE)
HTML = "text/html"
STALE = {
    "type": "/problems/stale-version",
    "reason": "STALE_VERSION",
    "title": TITLES["STALE_VERSION"],
    "status": 409,
    "explanation": "The table is at `current_version`, not at the version you sent. Look again, then decide again.",
}


@router.get("/openapi.json", include_in_schema=False)
async def get_document(request: Request) -> Response:
    base = openapi.document(request.app)
    games: GameShapes = request.app.state.games
    components = base["components"] | {"schemas": base["components"]["schemas"] | await games.components()}
    return tagged(request, msgspec.json.encode(base | {"components": components}))


@cache
def explanations() -> dict[str, str]:
    """By reason, from the manual."""
    return {reason: text.strip() for reason, _, text in ROW.findall(MANUAL.read_text())}


@router.get(
    "/problems/{name}",
    **describe(
        "get_problem",
        "Read about a type of problem",
        schemas.ProblemType,
        STALE,
        also={HTML: "<h1>The table has moved on</h1>…"},
        problems=["UNKNOWN_PROBLEM"],
    ),
)
async def get_problem(request: Request, name: str) -> Response:
    """Where the `type` of a problem document leads: JSON, or a page for people who follow it in a browser."""
    reason = next((each for each in TITLES if type_of(each) == f"/problems/{name}"), None)
    if reason is None:
        raise Problem(404, "UNKNOWN_PROBLEM", "There is no such type of problem; docs/errors.md lists all of them.")
    status = STATUS_OF.get(reason, 422)
    problem = schemas.ProblemType(type_of(reason), reason, TITLES[reason], status, explanations().get(reason, ""))
    if HTML not in request.headers.get("accept", ""):
        return answer(problem)
    text = f"<p>{status} <code>{reason}</code></p><p>{escape(problem.explanation)}</p>"
    return HTMLResponse(f"<!doctype html><title>{problem.title}</title><h1>{problem.title}</h1>{text}")
