"""Is the gateway well? For load balancers, orchestrators and Prometheus."""

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from gateway.backend import backend_of
from gateway.contract import schemas
from gateway.contract.describe import describe
from gateway.contract.problems import Problem
from gateway.contract.responses import answer

router = APIRouter(tags=["status"])
OK = {"status": "ok"}


@router.get("/healthz", **describe("healthz", "Is the process alive?", schemas.Health, OK))
async def healthz() -> Response:
    """Asks nobody else: if this does not answer, restart the process."""
    return answer(schemas.Health())


@router.get("/readyz", **describe("readyz", "Can it serve?", schemas.Health, OK))
async def readyz(request: Request) -> Response:
    """Also asks the session service: if this is not 200, send the clients elsewhere."""
    backend = backend_of(request)
    if backend.stopping.is_set() or not await backend.ready():
        raise Problem(503, "UNAVAILABLE", "The session service does not answer. Ask again in a second.")
    return answer(schemas.Health())


@router.get(
    "/metrics",
    **describe(
        "metrics",
        "Figures for Prometheus",
        schemas.Health,
        'teahouse_gateway_moves_total{way="socket"} 1024.0',
        media_type="text/plain",
    ),
)
async def get_metrics() -> Response:
    """Requests by route, method and status, their duration, open streams, moves."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
