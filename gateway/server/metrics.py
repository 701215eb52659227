"""What the gateway counts, for Prometheus."""

import time

from prometheus_client import Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUESTS = Counter(
    "teahouse_http_requests_total", "HTTP requests answered, by route and status.", ["route", "method", "status"]
)
SECONDS = Histogram(
    "teahouse_http_seconds",
    "Seconds until an HTTP answer began, by route.",
    ["route", "method"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
MESSAGES = Histogram(
    "teahouse_socket_seconds",
    "Seconds until a message on a table's socket was carried out or refused, by what it was and its status.",
    ["message", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
ACTED, SAID = MESSAGES.labels("act", 200), MESSAGES.labels("say", 200)
STREAMS = Gauge("teahouse_open_streams", "Streams open now, by kind.", ["kind"])
MOVES = Counter("teahouse_gateway_moves_total", "Actions carried out, by the way they came.", ["way"])
MOVES_BY_REST = MOVES.labels("rest")
MOVES_BY_SOCKET = MOVES.labels("socket")
LIMITED = Counter("teahouse_limited_total", "Requests and messages refused, by the limit they were over.", ["policy"])
SOCKETS = STREAMS.labels("socket")
EVENT_STREAMS = STREAMS.labels("sse")
DROPPED = Counter("teahouse_dropped_readers_total", "Clients cut off: they did not read, or finish a request.")
METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}


class Measure:
    """ASGI middleware: counts and times HTTP requests by the template of their route."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "unmatched")
                method = scope["method"] if scope["method"] in METHODS else "other"
                REQUESTS.labels(route, method, message["status"]).inc()
                SECONDS.labels(route, method).observe(time.perf_counter() - began)
            await send(message)

        await self.app(scope, receive, counted)
