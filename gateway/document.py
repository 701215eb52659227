"""What the API says of itself: the OpenAPI document with the shapes of every game, and the problems."""

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import grpc.aio
import msgspec
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from gateway import openapi, schemas
from gateway.answers import answer, tagged
from gateway.backend import Backend
from gateway.openapi import REF, describe
from gateway.problems import TITLES, Problem, type_of
from teahouse.v1 import rules_pb2, sessions_pb2

router = APIRouter(tags=["documentation"])
DEFINITION = "#/$defs/"
MANUAL = Path(__file__).resolve().parent.parent / "docs" / "errors.md"
ROW = re.compile(r"^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$", re.MULTILINE)
HTML = "text/html"
STALE = {
    "type": "/problems/stale-version",
    "reason": "STALE_VERSION",
    "title": TITLES["STALE_VERSION"],
    "status": 409,
    "explanation": "The table is at `current_version`, not at the version you sent. Look again, then decide again.",
}


class Games:
    """The shapes of the games, as each describes them itself; asked for again when a game or its rules are new."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.known: dict[str, tuple[str, dict[str, Any]]] = {}

    async def components(self) -> dict[str, Any]:
        """Of every game that has ever answered."""
        try:
            found = await self.backend.read(self.backend.sessions.ListGames, sessions_pb2.ListGamesRequest())
            for each in found.games:
                if self.known.get(each.id, ("",))[0] != each.rules_version:
                    request = sessions_pb2.GetGameRequest(game=each.id)
                    info = await self.backend.read(self.backend.sessions.GetGame, request)
                    self.known[each.id] = (each.rules_version, shapes(info))
        except grpc.aio.AioRpcError:
            pass  # The document is asked for while a service is away: it says what is known.
        return {name: shape for _, made in self.known.values() for name, shape in made.items()}


def shapes(info: rules_pb2.GameInfo) -> dict[str, Any]:
    """A game's schemas as components whose names begin with that of the game."""
    prefix = camel(info.id)
    made: dict[str, Any] = {}
    for name, payload in (
        ("Action", info.action_schema),
        ("Event", info.event_schema),
        ("View", info.view_schema),
        ("Options", info.options_schema),
    ):
        schema = msgspec.json.decode(payload.replace(DEFINITION.encode(), f"{REF}{prefix}".encode()))
        made |= {prefix + each: shape for each, shape in schema.pop("$defs", {}).items()}
        if "oneOf" in schema:
            made |= kinds(prefix + name, schema)
    for name, shape in made.items():
        shape["title"] = name
    return made


def kinds(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A choice, and each of its kinds under a name of its own, so that generated code has good names."""
    choices = {name + camel(choice["required"][0]): choice for choice in schema["oneOf"]}
    return {name: schema | {"oneOf": [{"$ref": REF + each} for each in choices]}, **choices}


def camel(name: str) -> str:
    """
    >>> camel("example_game")
    'ExampleGame'
    """
    return "".join(part.capitalize() for part in name.split("_"))


@router.get("/openapi.json", include_in_schema=False)
async def get_document(request: Request) -> Response:
    base = openapi.document(request.app)
    games: Games = request.app.state.games
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
    status = openapi.STATUS_OF.get(reason, 422)
    problem = schemas.ProblemType(type_of(reason), reason, TITLES[reason], status, explanations().get(reason, ""))
    if HTML not in request.headers.get("accept", ""):
        return answer(problem)
    text = f"<p>{status} <code>{reason}</code></p><p>{escape(problem.explanation)}</p>"
    return HTMLResponse(f"<!doctype html><title>{problem.title}</title><h1>{problem.title}</h1>{text}")
