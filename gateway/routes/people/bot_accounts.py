"""Outside bots: accounts that programs play under."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from msgspec import Meta, Struct, field
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import schemas
from gateway.contract.bodies import body
from gateway.contract.conversions import moment
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import Cursor, Limit
from gateway.contract.responses import answer
from teahouse.v1 import outside_pb2

router = APIRouter(tags=["bots"])
Games = Annotated[list[schemas.Name], Meta(max_length=50, description="Ids of the games it plays; empty: all.")]


class Availability(schemas.Request):
    """Whether hosts may seat this bot account."""

    available: bool
    games: Games = field(default_factory=list)
    seconds: Annotated[
        Annotated[int, Meta(ge=1, le=86400)] | None,
        Meta(description="The offer lapses unless it is repeated; null: it stands."),
    ] = None


class Offer(Struct):
    """What a bot account offers."""

    available: bool
    games: Games
    until: Annotated[schemas.Time | None, Meta(description="When it lapses; null: it does not.")]


class OfferedBot(Struct):
    """A bot account that can be seated."""

    id: str
    name: str
    games: Games


class BotPage(Struct):
    """Some bots, and where the next page starts."""

    bots: list[OfferedBot]
    next_cursor: Annotated[str | None, Meta(description="Null on the last page.")]


AVAILABILITY = msgspec.json.Decoder(Availability)
MARVIN: JsonObject = {"id": "p_9dXe", "name": "Marvin", "games": ["example_game"]}


@router.put(
    "/v1/players/me/availability",
    **describe(
        "set_availability",
        "Offer yourself as a bot",
        Offer,
        {"available": True, "games": ["example_game"], "until": "2026-03-01T18:32:00Z"},
        takes=Availability,
        sends={"available": True, "games": ["example_game"], "seconds": 120},
        problems=["TOKEN_NEEDED", "BAD_TOKEN", "NOT_A_BOT", "UNKNOWN_GAME", "GAME_UNAVAILABLE", "BAD_OFFER"],
    ),
)
async def set_availability(request: Request, caller: Caller) -> Response:
    """For bot accounts. While the offer stands, any host may seat you: you sit down at once and play like any player.
    With `seconds` the offer lapses by itself; repeat it while your program runs."""
    wish = await body(request, AVAILABILITY)
    backend = backend_of(request)
    message = outside_pb2.OfferBotRequest(
        caller=caller, available=wish.available, games=wish.games, seconds=wish.seconds or 0
    )
    offer = await backend.call(backend.outside_bots.OfferBot, message)
    until = moment(offer.until / 1000) if offer.HasField("until") else None
    return answer(Offer(offer.available, list(offer.games), until))


@router.get(
    "/v1/bots",
    **describe(
        "list_bots",
        "List bots that can be seated",
        BotPage,
        {"bots": [MARVIN], "next_cursor": None},
        problems=["UNKNOWN_GAME", "GAME_UNAVAILABLE"],
    ),
)
async def list_bots(
    request: Request,
    game: Annotated[str, Query(max_length=100, description="Only those that play this game.")] = "",
    limit: Limit = 20,
    cursor: Cursor = "",
) -> Response:
    """Bot accounts that have offered themselves. (The bots of the server itself are listed with each game.)"""
    backend = backend_of(request)
    message = outside_pb2.ListBotsRequest(game=game, limit=limit, cursor=cursor)
    page = await backend.read(backend.outside_bots.ListBots, message)
    bots = [OfferedBot(each.player.id, each.player.name, list(each.games)) for each in page.bots]
    return answer(BotPage(bots, page.next_cursor or None))
