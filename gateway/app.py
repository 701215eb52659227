"""The gateway as an ASGI application: the one place where its parts are put together."""

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

from gateway.admission.admission import Admission
from gateway.admission.body_limit import BodyLimit
from gateway.admission.identity import Identities
from gateway.admission.rate_limits import RateLimits
from gateway.admission.unexpected_input import only_what_it_takes
from gateway.backend import Backend
from gateway.contract import openapi
from gateway.contract.game_shapes import GameShapes
from gateway.contract.problems import Problem, from_error
from gateway.routes import documentation, games, health, matchmaking, pages
from gateway.routes.people import bot_accounts, player_events, players, ratings, webhooks
from gateway.routes.tables import chat, events, hints, invitations, leaving, look_back, play, records, rematch, tables
from gateway.server.metrics import Measure
from gateway.streams.table_socket import NoSocket, SocketEndpoint, no_upgrade
from services.platform.server import collect_seldom
from services.platform.settings import Settings

EXPOSED = ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate", "X-Request-Id"]
# FastAPI has traces and metrics of its own, which know no tokens and no hidden cards: gateway.server makes ours.
NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
# In the order of the OpenAPI document.
API = (
    *(players, ratings, player_events, bot_accounts, webhooks),
    *(games, tables, invitations, matchmaking),
    *(play, records, leaving, chat, rematch, hints, look_back, events),
)


def make_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        backend, limits = Backend(settings), RateLimits(settings)
        app.state.backend = backend
        app.state.identities = Identities(backend, limits)
        app.state.games = GameShapes(backend)
        collect_seldom()
        yield
        await backend.close()
        await limits.close()

    # gateway.routes serves /openapi.json, because the games' shapes must be asked for, and the page that shows it.
    app = FastAPI(
        title=openapi.TITLE,
        version="1.0.0",
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,
        telemetry=NO_TELEMETRY,
    )
    # First, because routes are tried in this order.
    app.router.routes.append(WebSocketRoute("/v1/tables/{table}/socket", SocketEndpoint()))
    app.add_api_route("/v1/tables/{table}/socket", no_upgrade, include_in_schema=False)
    for part in API:
        app.include_router(part.router, dependencies=[Depends(only_what_it_takes)])
    for part in (health, documentation, pages):
        app.include_router(part.router)
    app.router.routes.append(WebSocketRoute("/{path:path}", NoSocket()))
    for kind in (Problem, grpc.aio.AioRpcError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, refuse)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, limit=settings.body_limit)
    app.add_middleware(Admission, settings=settings)
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
    backend: Backend | None = getattr(app.state, "backend", None)
    if backend is not None:
        backend.stopping.set()
