"""The first to see a request: gives it its id, and where traces are on, its span.

The id is the client's own `X-Request-Id` if that can be taken as it is. It comes back with the answer and in problem
documents, and goes with every call that the request leads to, as far as the bots.
"""

import logging
import re
import secrets
import time
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.metrics import METHODS
from services.platform import tracing
from services.platform.logs import LONGEST
from services.platform.tracing.context import CAUSE, REQUEST_ID, TRACEPARENT
from teahouse.v1.link_pb2 import Cause

if TYPE_CHECKING:
    from services.platform.tracing.export import Span

log = logging.getLogger(__name__)
OWN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
STARTS = ("http.response.start", "websocket.http.response.start", "websocket.accept")


class Arrivals:
    """ASGI middleware, around everything."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.arrival = TracedArrival if tracing.tracer() else Arrival

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        arrival = self.arrival(scope, send)
        try:
            await self.app(scope, receive, arrival.send)
        finally:
            arrival.end()


class Arrival:
    """One request or socket."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self.out, self.began = scope, send, time.perf_counter()
        headers = Headers(scope=scope)
        own = headers.get(REQUEST_ID, "")
        self.cause = self.cause_of(own if OWN_ID.fullmatch(own) else "", headers.get(TRACEPARENT, ""))
        CAUSE.set(self.cause)

    def cause_of(self, request_id: str, traceparent: str) -> Cause:
        return Cause(request_id=request_id or secrets.token_hex(8))

    async def send(self, message: Message) -> None:
        if message["type"] in STARTS:
            own = (REQUEST_ID.encode(), self.cause.request_id.encode())
            message["headers"] = [*message.get("headers", ()), own]
            if "status" in message:
                self.answered(message["status"])
        await self.out(message)

    def answered(self, status: int) -> None:
        level = logging.WARNING if status >= 500 and self.of_the_api() else logging.DEBUG
        if log.isEnabledFor(level):
            took = 1000 * (time.perf_counter() - self.began)
            text = "%s %s answered %d after %.1f ms"
            log.log(level, text, self.method(), self.route(), status, took, extra=self.about())

    def end(self) -> None:
        """Of the request, or of the socket."""

    def of_the_api(self) -> bool:
        path: str = self.scope["path"]
        return path.startswith("/v1/")

    def method(self) -> str:
        method: str = self.scope.get("method", "SOCKET")
        return method if method in METHODS or method == "SOCKET" else "other"

    def route(self) -> str:
        """Its template: the address itself may hold a token."""
        template: str = getattr(self.scope.get("route"), "path", "unmatched")
        return template

    def about(self) -> dict[str, str]:
        table: str | None = self.scope.get("path_params", {}).get("table")
        return {"table": table[:LONGEST]} if table else {}


class TracedArrival(Arrival):
    """A request of the API is a span until its answer begins; a socket is none, but each of its messages is."""

    span: "Span | None" = None

    def cause_of(self, request_id: str, traceparent: str) -> Cause:
        if self.scope["type"] != "http" or not self.of_the_api():
            return super().cause_of(request_id, traceparent)
        cause, tracer = Cause(request_id=request_id, traceparent=traceparent), tracing.tracer()
        assert tracer
        method = self.method()
        self.span = tracer.start("server", method, cause, {"http.request.method": method})
        return tracer.under(self.span, cause)

    def answered(self, status: int) -> None:
        super().answered(status)
        if self.span:
            self.span.name = f"{self.method()} {self.route()}"
            told = {f"teahouse.{name}": value for name, value in self.about().items()}
            self.span.attributes |= {"http.route": self.route(), "http.response.status_code": status, **told}
            if status >= 500:
                self.span.refused(str(status), True)
        self.end()

    def end(self) -> None:
        if self.span:
            self.span.end()
            self.span = None
