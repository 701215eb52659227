"""Admits a request or not: finds out who calls, whether its key is allowed this, and how much it may still do."""

import asyncio
import re
from collections import Counter
from contextvars import Context
from time import monotonic

import grpc.aio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.admission.identity import Client, client_of
from gateway.admission.rate_limits import Allowance
from gateway.admission.scopes import needed
from gateway.backend import Backend
from gateway.contract.problems import Problem, from_error
from gateway.server import metrics
from services.platform.settings import Settings

# What costs more than a look, and the limit that it counts against as well.
COSTLY = [
    ("POST", re.compile(r"/v1/players"), "new-players"),
    ("POST", re.compile(r"/v1/tables"), "tables"),
    ("POST", re.compile(r"/v1/tables/[^/]+/rematch"), "tables"),
    ("POST", re.compile(r"/v1/matchmaking/tickets"), "tables"),
    ("GET", re.compile(r"/v1/tables/[^/]+/hint"), "tables"),
]
# Where a token that is no longer good does not matter: who has one comes for another.
NEW_PLAYER = ("POST", "/v1/players")
VOID = 1008
NOSNIFF = (b"x-content-type-options", b"nosniff")
NO_REFERRER = (b"referrer-policy", b"no-referrer")
NO_STORE = (b"cache-control", b"no-store")


class Visit:
    """One request or stream under way."""

    __slots__ = ("began", "client", "used", "void")

    def __init__(self, client: Client) -> None:
        self.client, self.began, self.void = client, monotonic(), False
        self.used: list[Allowance] = []


class Admission:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.hops, self.most = app, settings.proxy_hops, settings.open_limit
        self.pause = settings.heartbeat
        self.visits: dict[asyncio.Task[None], Visit] = {}
        self.open: Counter[str] = Counter()
        self.checking: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if not scope["path"].startswith("/v1/"):
            await self.app(scope, receive, Answer(send, None).send)
            return
        backend: Backend = scope["app"].state.backend
        visit = Visit(client_of(scope, self.hops))
        scope["caller"] = visit.client
        answer = Answer(send, visit)
        try:
            await self.admit(visit, scope)
            # Its calls would be refused: to say so now costs a third less.
            backend.calls.check()
        except (Problem, grpc.aio.AioRpcError) as error:
            await from_error(error).answer(scope, receive, answer.send)
            return
        await self.let_in(visit, answer, scope, receive)

    async def admit(self, visit: Visit, scope: Scope) -> None:
        """Raises the problem that keeps it outside."""
        client = visit.client
        method = scope.get("method", "SOCKET")
        if client.unheard():
            # Whoever tries keys and tokens is counted by address.
            await self.spend(visit, client.memory.limits.allowance("address", client.address))
            visit.used.clear()
        try:
            await client.identify()
        except (Problem, grpc.aio.AioRpcError):
            if client.key:
                await self.spend(visit, client.limit())
            raise
        await self.spend(visit, client.allowance)
        if client.problem and (method, scope["path"]) != NEW_PLAYER:
            raise client.problem
        if client.key and (scope_ := needed(method, scope["path"])) not in client.key.scopes:
            has = ", ".join(client.key.scopes)
            raise Problem(403, "SCOPE_MISSING", f"This call needs a key with the scope {scope_!r}; yours has: {has}.")
        for verb, path, policy in COSTLY:
            if verb == method and path.fullmatch(scope["path"]):
                name = client.name
                if policy == "new-players":
                    name = client.key.id if client.key else client.address
                await self.spend(visit, client.memory.limits.allowance(policy, name))
        if self.most and self.open[client.name] >= self.most:
            metrics.LIMITED.labels("open").inc()
            raise Problem(429, "TOO_MANY_OPEN", f"You have {self.most} requests and streams open. Close some first.")

    async def spend(self, visit: Visit, allowance: Allowance) -> None:
        if allowance.policy.requests:
            visit.used.append(allowance)
            await allowance.take()

    async def let_in(self, visit: Visit, answer: "Answer", scope: Scope, receive: Receive) -> None:
        task, name = asyncio.current_task(), visit.client.name
        assert task is not None
        self.visits[task] = visit
        self.open[name] += 1
        if self.checking is None or self.checking.done():
            # It outlives the request that happens to begin it, and is no part of it.
            self.checking = asyncio.create_task(self.check(), context=Context())
        try:
            await self.app(scope, receive, answer.send)
        except asyncio.CancelledError:
            if not visit.void:
                raise
            task.uncancel()
            await answer.end(scope)
        finally:
            del self.visits[task]
            self.open[name] -= 1
            if not self.open[name]:
                del self.open[name]

    async def check(self) -> None:
        """Ends the streams of those whose token or key was made void; rests when nobody is there."""
        while self.visits:
            await asyncio.sleep(self.pause)
            for task, visit in list(self.visits.items()):
                if monotonic() - visit.began < self.pause or await visit.client.still_welcome():
                    continue
                if task in self.visits:
                    visit.void = True
                    task.cancel()


class Answer:
    """Sends what the application answers, with the headers that belong to every answer."""

    def __init__(self, send: Send, visit: Visit | None) -> None:
        self.out, self.visit, self.began = send, visit, False

    async def send(self, message: Message) -> None:
        kind = message["type"]
        if self.visit is not None and not self.began:
            self.visit.client.guessed_right()
        if kind in ("http.response.start", "websocket.http.response.start"):
            headers = [*message["headers"], NOSNIFF, NO_REFERRER]
            if self.visit is not None:
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append(NO_STORE)
                if used := self.visit.used:
                    headers.append((b"ratelimit-policy", ", ".join(each.policy.header() for each in used).encode()))
                    headers.append((b"ratelimit", ", ".join(each.header() for each in used).encode()))
            message["headers"] = headers
        self.began = True
        await self.out(message)

    async def end(self, scope: Scope) -> None:
        """Of a stream whose token is no longer good."""
        if scope["type"] == "websocket":
            await self.out({"type": "websocket.close", "code": VOID, "reason": "BAD_TOKEN"})
        elif self.began:
            await self.out({"type": "http.response.body", "body": b"", "more_body": False})
