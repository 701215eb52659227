"""Players: a guest and its token with a single call."""

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway import convert, schemas
from gateway.answers import answer
from gateway.auth import Self
from gateway.bodies import body
from gateway.openapi import describe
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["players"])
NEW_PLAYER = msgspec.json.Decoder(schemas.NewPlayer)
PLAYER = {"id": "p_7Qm2", "name": "Ada", "created_at": "2026-03-01T18:30:00Z"}
OWN = PLAYER | {"token": "eyJ…", "expires_at": "2026-05-30T18:30:00Z"}


@router.post(
    "/v1/players",
    **describe(
        "create_player",
        "Become a player",
        schemas.OwnPlayer,
        OWN,
        status=201,
        takes=schemas.NewPlayer,
        sends={"name": "Ada"},
        problems=["BAD_NAME"],
    ),
)
async def create_player(request: Request) -> Response:
    """A guest with a token. Keep the token: it is shown once, and whoever has it is the player."""
    wish = await body(request, NEW_PLAYER)
    backend = request.app.state.backend
    made = await backend.call(backend.sessions.CreatePlayer, sessions_pb2.CreatePlayerRequest(name=wish.name))
    person = convert.player(made.player)
    own = schemas.OwnPlayer(person.id, person.name, person.created_at, made.token, convert.moment(made.expires_at))
    return answer(own, 201, Location=f"/v1/players/{person.id}")


@router.get(
    "/v1/players/me",
    **describe("get_me", "Look at yourself", schemas.Player, PLAYER, problems=["TOKEN_NEEDED", "BAD_TOKEN"]),
)
async def get_me(me: Self) -> Response:
    """The player whose token the request carries."""
    return answer(convert.player(me))


@router.get(
    "/v1/players/{player}",
    **describe("get_player", "Look at a player", schemas.Player, PLAYER, problems=["UNKNOWN_PLAYER"]),
)
async def get_player(request: Request, player: str) -> Response:
    """What everybody may know of a player."""
    backend = request.app.state.backend
    return answer(
        convert.player(await backend.read(backend.sessions.GetPlayer, sessions_pb2.GetPlayerRequest(player=player)))
    )
