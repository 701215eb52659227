"""Which games there are, and what is in their boxes."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import describe
from gateway.contract.responses import tagged
from teahouse.v1 import rules_pb2, sessions_pb2

router = APIRouter(tags=["games"])
SUMMARY = {
    "id": "example_game",
    "title": {"en": "Example", "pl": "Przykład"},
    "seats": {"min": 2, "max": 4},
    "options": {"type": "object", "properties": {"mode": {"enum": ["basic", "full"], "default": "basic"}}},
    "bots": ["random", "greedy", "easy", "medium", "hard"],
    "automas": [],
    "rules_version": "1-5f2c",
}
FULL = SUMMARY | {
    "schemas": {"action": {"type": "object"}, "event": {"type": "object"}, "view": {"type": "object"}},
    "texts": {"en": {"action.play": "Play a card"}, "pl": {"action.play": "Zagraj kartę"}},
}


@router.get(
    "/v1/games", **describe("list_games", "List the games", schemas.GameList, {"games": [SUMMARY]}, cached=True)
)
async def list_games(request: Request) -> Response:
    """Titles, seats, options with their defaults and bots of every game on this server."""
    backend = backend_of(request)
    found = await backend.read(backend.sessions.ListGames, sessions_pb2.ListGamesRequest())
    return tagged(
        request, conversions.encode(schemas.GameList([conversions.game_summary(info) for info in found.games]))
    )


@router.get(
    "/v1/games/{game}",
    **describe(
        "get_game",
        "Look at a game",
        schemas.Game,
        FULL,
        problems=["UNKNOWN_GAME", "GAME_UNAVAILABLE"],
        cached=True,
    ),
)
async def get_game(request: Request, game: str) -> Response:
    """With the JSON Schemas of its actions, events and views, and the texts to show them in each language."""
    return tagged(request, conversions.encode(conversions.game(await info(request, game))))


@router.get(
    "/v1/games/{game}/components",
    **describe(
        "get_components",
        "Look into a game's box",
        schemas.Components,
        {"cards": [{"id": "gift-red-1", "colour": "red", "value": 1}]},
        problems=["UNKNOWN_GAME", "GAME_UNAVAILABLE"],
        cached=True,
    ),
)
async def get_components(request: Request, game: str) -> Response:
    """Everything that is in the box, as data: boards, cards, tiles. Views and actions refer to it by id."""
    return tagged(request, (await info(request, game)).components or b"{}")


async def info(request: Request, game: str) -> rules_pb2.GameInfo:
    backend = backend_of(request)
    return await backend.read(backend.sessions.GetGame, sessions_pb2.GetGameRequest(game=game))
