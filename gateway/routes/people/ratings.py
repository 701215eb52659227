"""What players have played: profiles, history, leaderboards."""

from typing import Annotated

from fastapi import APIRouter, Request
from msgspec import Meta, Struct
from starlette.responses import Response

from gateway.admission.caller import Caller, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import Cursor, Limit
from gateway.contract.responses import answer
from gateway.routes.people.players import PLAYER
from gateway.routes.tables.tables import TABLE
from teahouse.v1 import ratings_pb2, sessions_pb2

router = APIRouter(tags=["players"])


class Rating(Struct):
    """Of one player in one game."""

    rating: Annotated[int, Meta(description="1000 at first; near 1500 for an average player of whom much is known.")]
    games: Annotated[int, Meta(description="Rated games that it rests on.")]


class Results(Struct):
    """Of one player in one game."""

    played: Annotated[int, Meta(description="Finished games, with bots or without.")]
    won: Annotated[int, Meta(description="Those with place 1, shared or not.")]


class Profile(Struct):
    """A player, as everybody may see it."""

    id: str
    name: str
    created_at: schemas.Time
    bot_account: Annotated[bool, Meta(description="A program plays under this account.")]
    ratings: Annotated[dict[str, Rating], Meta(description="By game; only those with a rated game.")]
    results: Annotated[dict[str, Results], Meta(description="By game; only those with a finished game.")]


class Ranked(Struct):
    """A line of a leaderboard."""

    rank: int
    player: schemas.SeatedPlayer
    rating: int
    games: int


class Leaderboard(Struct):
    """The best players of a game, and where the next page starts."""

    game: str
    players: list[Ranked]
    next_cursor: Annotated[str | None, Meta(description="Null on the last page.")]


PROFILE: JsonObject = PLAYER | {
    "ratings": {"example_game": {"rating": 1180, "games": 7}},
    "results": {"example_game": {"played": 12, "won": 5}},
}
BOARD = {
    "game": "example_game",
    "players": [{"rank": 1, "player": {"id": "p_7Qm2", "name": "Ada"}, "rating": 1180, "games": 7}],
    "next_cursor": None,
}


@router.get(
    "/v1/players/me",
    **describe("get_me", "Look at yourself", Profile, PROFILE, problems=["TOKEN_NEEDED", "BAD_TOKEN"]),
)
async def get_me(request: Request, caller: Caller) -> Response:
    """The player whose token the request carries."""
    return await _profile(request, caller)


@router.get(
    "/v1/players/{player}",
    **describe("get_player", "Look at a player", Profile, PROFILE, problems=["UNKNOWN_PLAYER"]),
)
async def get_player(request: Request, player: str) -> Response:
    """What everybody may know of a player: ratings and results by game."""
    return await _profile(request, player)


async def _profile(request: Request, player: str) -> Response:
    backend = backend_of(request)
    found = await backend.read(backend.ratings.GetProfile, sessions_pb2.GetPlayerRequest(player=player))
    person = conversions.player(found.player)
    profile = Profile(
        person.id,
        person.name,
        person.created_at,
        person.bot_account,
        {game: Rating(each.rating, each.games) for game, each in sorted(found.ratings.items())},
        {game: Results(each.played, each.won) for game, each in sorted(found.results.items())},
    )
    return answer(profile)


@router.get(
    "/v1/players/{player}/tables",
    **describe(
        "get_history",
        "List a player's finished tables",
        schemas.TablePage,
        {"tables": [TABLE | {"status": "finished"}], "next_cursor": None},
        problems=["BAD_TOKEN", "BAD_PAGE", "UNKNOWN_PLAYER"],
        anonymous=True,
    ),
)
async def get_history(
    request: Request, player: str, onlooker: Onlooker, limit: Limit = 20, cursor: Cursor = ""
) -> Response:
    """Finished public tables, the latest first; a table appears within a second of its end. Log and replay of each can
    be read."""
    backend = backend_of(request)
    message = ratings_pb2.HistoryRequest(caller=onlooker, player=player, limit=limit, cursor=cursor)
    page = await backend.read(backend.ratings.GetHistory, message)
    return answer(schemas.TablePage([conversions.table(each) for each in page.tables], page.next_cursor or None))


@router.get(
    "/v1/leaderboards/{game}",
    **describe(
        "get_leaderboard",
        "See the best players of a game",
        Leaderboard,
        BOARD,
        problems=["BAD_PAGE", "UNKNOWN_GAME", "GAME_UNAVAILABLE"],
    ),
)
async def get_leaderboard(request: Request, game: str, limit: Limit = 20, cursor: Cursor = "") -> Response:
    """Everyone who has finished a rated game, the best first."""
    backend = backend_of(request)
    message = ratings_pb2.LeaderboardRequest(game=game, limit=limit, cursor=cursor)
    page = await backend.read(backend.ratings.GetLeaderboard, message)
    players = [
        Ranked(each.rank, schemas.SeatedPlayer(each.player.id, each.player.name), each.rating.rating, each.rating.games)
        for each in page.ranks
    ]
    return answer(Leaderboard(game, players, page.next_cursor or None))
