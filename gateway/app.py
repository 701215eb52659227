"""The gateway as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc.aio
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import WebSocketRoute

from gateway import events, games, openapi, play, players, status, tables
from gateway.auth import Players
from gateway.backend import Backend
from gateway.bodies import BodyLimit
from gateway.metrics import Measure
from gateway.problems import Problem, from_error
from gateway.sockets import SocketEndpoint
from services.platform.server import collect_seldom
from services.platform.settings import Settings

EXPOSED = ["ETag", "Location", "Retry-After", "WWW-Authenticate"]


def make_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.backend = Backend(settings)
        app.state.players = Players(app.state.backend)
        collect_seldom()
        yield
        await app.state.backend.close()

    app = FastAPI(title=openapi.TITLE, version="1.0.0", lifespan=lifespan, redirect_slashes=False, redoc_url=None)
    for part in (players, games, tables, play, events, status):
        app.include_router(part.router)
    app.router.routes.append(WebSocketRoute("/v1/tables/{table}/socket", SocketEndpoint()))
    for kind in (Problem, grpc.aio.AioRpcError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, refuse)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, limit=settings.body_limit)
    app.add_middleware(Measure)
    # Tokens travel in headers, never in cookies: any page may call.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["*"],
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
    return from_error(error).response(request.url.path)


def stop_streams(app: FastAPI) -> None:
    """Streams would keep a stopping process waiting; their clients come back to another one."""
    backend: Any = getattr(app.state, "backend", None)
    if backend is not None:
        backend.stopping.set()
