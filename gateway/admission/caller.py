"""The caller as a parameter of a route: FastAPI fills it in, and the OpenAPI document shows what is needed for it."""

from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.security import APIKeyHeader, HTTPBearer

from gateway.admission import scopes
from gateway.admission.identity import HOW, Client
from gateway.contract.problems import Problem
from teahouse.v1 import accounts_pb2


class AnyCaller(HTTPBearer):
    """Spectators may call without a token; a wrong one was refused at admission."""

    def __init__(self) -> None:
        super().__init__(scheme_name="bearer", description="The token from POST /v1/players.", auto_error=False)

    async def __call__(self, request: Request) -> str:  # type: ignore[override]
        client: Client = request.scope["caller"]
        return client.onlooker


class OnlyPlayers(AnyCaller):
    async def __call__(self, request: Request) -> str:  # type: ignore[override]
        client: Client = request.scope["caller"]
        if client.player is None:
            how = "Name one of your application's players with X-Player: p_…" if client.key else HOW
            raise Problem(401, "TOKEN_NEEDED", f"Spectators cannot do this. {how}")
        return client.player.id


async def join_code(
    request: Request,
    in_query: Annotated[str, Query(alias="join_code", description="Of a private table.", max_length=100)] = "",
    in_header: Annotated[str, Header(alias="X-Join-Code", description="The same.", max_length=100)] = "",
) -> str:
    if in_header or in_query:
        await request.scope["caller"].guess_code()
    return in_header or in_query


async def own_application(request: Request) -> str:
    key: accounts_pb2.ApiKey | None = request.scope["caller"].key
    return key.application if key else ""


class OnlyApplications(APIKeyHeader):
    def __init__(self) -> None:
        super().__init__(name=scopes.HEADER, scheme_name="api_key", description=scopes.DESCRIPTION, auto_error=False)

    async def __call__(self, request: Request) -> str:  # type: ignore[override]
        application = await own_application(request)
        if not application:
            raise Problem(401, "KEY_NEEDED", f"Only a client application may do this. Send {scopes.HEADER}: <key>.")
        return application


# Ids of the caller; an onlooker's is "" without a token.
Onlooker = Annotated[str, Depends(AnyCaller())]
Caller = Annotated[str, Depends(OnlyPlayers())]
Code = Annotated[str, Depends(join_code)]
# The id of the application whose key the request carries; where it may do without, "" then.
AnyApplication = Annotated[str, Depends(own_application)]
Application = Annotated[str, Depends(OnlyApplications())]
# Of a stream, for the API's description: it was read at admission.
TokenInQuery = Annotated[str, Query(alias="token", description="For browsers, which cannot set headers here.")]
