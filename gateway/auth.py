"""Who is calling: bearer tokens, asked of the session service and remembered for a minute."""

import time
from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.security import HTTPBearer

from gateway.backend import Backend
from gateway.problems import Problem
from teahouse.v1 import sessions_pb2

REMEMBER = 60.0
LIMIT = 10_000
LONGEST = 4096
HOW = "Get a token with POST /v1/players and send it as Authorization: Bearer <token>."


class Players:
    """Players by token. A token that was refused is asked again every time."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.known: dict[str, tuple[float, sessions_pb2.Player]] = {}

    async def by_token(self, token: str) -> sessions_pb2.Player:
        found = self.known.get(token)
        if found is not None and found[0] > time.monotonic():
            return found[1]
        if not token.isascii() or len(token) > LONGEST:
            raise Problem(401, "BAD_TOKEN", f"This is not a token of this server. {HOW}")
        request = sessions_pb2.AuthenticateRequest(token=token)
        player: sessions_pb2.Player = await self.backend.read(self.backend.sessions.Authenticate, request)
        self.known.pop(token, None)
        while len(self.known) >= LIMIT:
            del self.known[next(iter(self.known))]
        self.known[token] = (time.monotonic() + REMEMBER, player)
        return player


def bearer(headers: Mapping[str, str]) -> str | None:
    """The token in the headers, None without one."""
    value = headers.get("authorization")
    if value is None:
        return None
    scheme, _, token = value.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem(401, "BAD_TOKEN", f"The Authorization header must be: Bearer <token>. {HOW}")
    return token.strip()


async def onlooker(players: Players, headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """The id of a stream's caller, "" for a spectator. Browsers cannot set headers there: ?token= works too."""
    token = bearer(headers) or query.get("token")
    return (await players.by_token(token)).id if token else ""


class Optional(HTTPBearer):
    """Spectators may call without a token; a wrong one is refused all the same."""

    def __init__(self) -> None:
        super().__init__(scheme_name="bearer", description="The token from POST /v1/players.", auto_error=False)

    async def __call__(self, request: Request) -> sessions_pb2.Player | None:  # type: ignore[override]
        token = bearer(request.headers)
        players: Players = request.app.state.players
        return await players.by_token(token) if token else None


class Required(Optional):
    """Only players may call."""

    async def __call__(self, request: Request) -> sessions_pb2.Player:  # type: ignore[override]
        player = await super().__call__(request)
        if player is None:
            raise Problem(401, "TOKEN_NEEDED", f"Spectators cannot do this. {HOW}")
        return player


async def join_code(
    in_query: Annotated[str, Query(alias="join_code", description="Of a private table.", max_length=100)] = "",
    in_header: Annotated[str, Header(alias="X-Join-Code", description="The same.", max_length=100)] = "",
) -> str:
    return in_header or in_query


async def spectator_or_player(player: Annotated[sessions_pb2.Player | None, Depends(Optional())]) -> str:
    return player.id if player else ""


async def only_player(player: Annotated[sessions_pb2.Player, Depends(Required())]) -> str:
    return player.id


# Ids of the caller; an onlooker's is "" without a token.
Onlooker = Annotated[str, Depends(spectator_or_player)]
Caller = Annotated[str, Depends(only_player)]
Self = Annotated[sessions_pb2.Player, Depends(Required())]
Code = Annotated[str, Depends(join_code)]
