"""The gateway as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc.aio
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import WebSocketRoute

from gateway import (
    bots,
    company,
    document,
    events,
    games,
    invitations,
    leaving,
    matchmaking,
    openapi,
    play,
    player_events,
    players,
    ratings,
    replays,
    status,
    tables,
    web,
    webhooks,
)
from gateway.auth import Players
from gateway.backend import Backend
from gateway.bodies import BodyLimit
from gateway.door import Door
from gateway.limits import Limits
from gateway.metrics import Measure
from gateway.overload import Overload
from gateway.problems import Problem, from_error
from gateway.sockets import NoSocket, SocketEndpoint, no_upgrade
from gateway.strict import only_what_it_takes
from services.platform.server import collect_seldom
from services.platform.settings import Settings

EXPOSED = ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate", "X-Request-Id"]
# FastAPI has traces and metrics of its own, which know no tokens and no hidden cards: gateway.arrivals makes ours.
NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def make_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.backend = Backend(settings)
        limits = Limits(settings)
        app.state.players = Players(app.state.backend, limits)
        app.state.games = document.Games(app.state.backend)
        collect_seldom()
        yield
        await app.state.backend.close()
        await limits.close()

    # gateway.document serves /openapi.json, because the games' shapes must be asked for, and gateway.web its page.
    app = FastAPI(
        title=openapi.TITLE,
        version="1.0.0",
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,
        telemetry=NO_TELEMETRY,
    )
    people = (players, ratings, player_events, bots, webhooks)
    around = (games, tables, invitations, matchmaking)
    # First, because routes are tried in this order.
    app.router.routes.append(WebSocketRoute("/v1/tables/{table}/socket", SocketEndpoint()))
    app.add_api_route("/v1/tables/{table}/socket", no_upgrade, include_in_schema=False)
    for part in (*people, *around, play, leaving, company, replays, events):
        app.include_router(part.router, dependencies=[Depends(only_what_it_takes)])
    for part in (status, document, web):
        app.include_router(part.router)
    app.router.routes.append(WebSocketRoute("/{path:path}", NoSocket()))
    for kind in (Problem, grpc.aio.AioRpcError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, refuse)
    # The last one added is the outermost.
    app.add_middleware(Overload, limit=settings.call_limit)
    app.add_middleware(BodyLimit, limit=settings.body_limit)
    app.add_middleware(Door, settings=settings)
    app.add_middleware(Measure)
    # Tokens travel in headers, never in cookies: any page may call.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["DELETE", "GET", "PATCH", "POST", "PUT"],
        allow_headers=["*"],
        expose_headers=EXPOSED,
        max_age=86400,
    )
    app.openapi = lambda: openapi.document(app)  # type: ignore[method-assign]
    return app


async def refuse(request: Request, error: Exception) -> Response:
    """Every error leaves the gateway as a problem document."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        error.headers = {"Allow": ", ".join(openapi.allowed(request.app, request.url.path))}
    problem = from_error(error)
    if problem.reason == "WRONG_CODE":
        request.scope["caller"].guessed_wrong()
    return problem.response(request.url.path)


def stop_streams(app: FastAPI) -> None:
    """Streams would keep a stopping process waiting; their clients come back to another one."""
    backend: Any = getattr(app.state, "backend", None)
    if backend is not None:
        backend.stopping.set()
