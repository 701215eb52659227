"""Refuses requests at once while too many wait for their answer: better some are told so than all wait in vain."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.problems import overloaded
from gateway.sockets import refuse
from services.platform.link.server import Gate


class Overload:
    """ASGI middleware, inside the one that reads bodies: whoever sends slowly takes nobody's place. A stream that has
    begun has its answer. What comes through an open socket is counted by the backend."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.gate = app, Gate(limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not scope["path"].startswith("/v1/"):
            await self.app(scope, receive, send)
            return
        gate, waits = self.gate, True
        if gate.calls >= gate.most:
            await refuse(overloaded(), scope, receive, send)
            return

        async def answer(message: Message) -> None:
            nonlocal waits
            if waits:
                waits = False
                gate.calls -= 1
            await send(message)

        gate.calls += 1
        try:
            await self.app(scope, receive, answer)
        finally:
            if waits:
                gate.calls -= 1
