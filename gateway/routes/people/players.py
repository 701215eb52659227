"""Players: a guest and its token with a single call."""

from unicodedata import normalize

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from gateway.admission.caller import AnyApplication, Application, Caller
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import describe
from gateway.contract.problems import Problem
from gateway.contract.responses import answer
from teahouse.v1 import accounts_pb2, sessions_pb2

router = APIRouter(tags=["players"])
# The end of Latin Extended-A; letters before it that look like others.
LAST_LATIN, ALIKE = "\u017f", "\u0131\u0138"
NEW_PLAYER = msgspec.json.Decoder(schemas.NewPlayer)
PLAYER = {"id": "p_7Qm2", "name": "Ada", "created_at": "2026-03-01T18:30:00Z", "bot_account": False}
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
        problems=["BAD_NAME", "NAME_TAKEN"],
    ),
)
async def create_player(request: Request, application: AnyApplication) -> Response:
    """A guest with a token. Keep the token: it is shown once, and whoever has it is the player. With an API key the
    player belongs to that application, which can always get a fresh token for it. With `"bot": true` it is a bot
    account, whose name no other bot account may have."""
    backend = backend_of(request)
    wish = await body(request, NEW_PLAYER)
    if wish.bot and not readable(wish.name):
        text = "The name of a bot account has Latin letters, digits and the signs of ASCII: no others can look like it."
        raise Problem(422, "BAD_NAME", text, members={"errors": [{"field": "name", "message": text}]})
    message = sessions_pb2.CreatePlayerRequest(name=wish.name, application=application, bot=wish.bot)
    made = await backend.call(backend.sessions.CreatePlayer, message)
    return with_token(made, 201, Location=f"/v1/players/{made.player.id}")


@router.post(
    "/v1/players/me/token",
    **describe("refresh_token", "Take a fresh token", schemas.OwnPlayer, OWN, problems=["TOKEN_NEEDED", "BAD_TOKEN"]),
)
async def refresh_token(request: Request, caller: Caller) -> Response:
    """The token that the request carries stays good until it expires."""
    backend = backend_of(request)
    return with_token(await backend.call(backend.accounts.IssueToken, accounts_pb2.OwnPlayerRequest(player=caller)))


@router.delete(
    "/v1/players/me/tokens",
    **describe("revoke_tokens", "Make all tokens void", schemas.OwnPlayer, OWN, problems=["TOKEN_NEEDED", "BAD_TOKEN"]),
)
async def revoke_tokens(request: Request, caller: Caller) -> Response:
    """Every token issued until now is void within seconds, and streams opened with one end within a minute. The answer
    holds the only one that is good."""
    backend = backend_of(request)
    return with_token(
        await backend.call(backend.accounts.RevokeTokens, accounts_pb2.RevokeTokensRequest(player=caller))
    )


@router.post(
    "/v1/players/{player}/token",
    **describe("issue_token", "Take a token for your own player", schemas.OwnPlayer, OWN, problems=["KEY_NEEDED"]),
)
async def issue_token(request: Request, player: str, application: Application) -> Response:
    """For client applications: a token for a player that was made with a key of the same application."""
    backend = backend_of(request)
    message = accounts_pb2.OwnPlayerRequest(player=player, application=application)
    return with_token(await backend.call(backend.accounts.IssueToken, message))


def readable(name: str) -> bool:
    """Whether a name is written in one alphabet: "Marvin" with a Cyrillic a would pass for another bot.

    >>> readable("Zażółć-7"), readable("Ｍarvin"), readable("M\u0430rvin"), readable("Marv\u200bin")
    (True, True, False, False)
    """
    plain = normalize("NFKC", name)
    return all(each.isascii() or (each.isalpha() and each <= LAST_LATIN and each not in ALIKE) for each in plain)


def with_token(made: sessions_pb2.CreatePlayerResponse, status: int = 200, **headers: str) -> Response:
    person = conversions.player(made.player)
    own = schemas.OwnPlayer(
        person.id, person.name, person.created_at, made.token, conversions.moment(made.expires_at), person.bot_account
    )
    return answer(own, status, **headers)
