"""Reads bodies, never more than the limit: a larger one is answered with 413 before anything looks at it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.contract.problems import Problem


class BodyLimit:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        length = headers.get(b"content-length", b"0")
        if scope["type"] != "http" or (length == b"0" and b"transfer-encoding" not in headers):
            await self.app(scope, receive, send)
            return
        try:
            body = await self.read(int(length), receive)
        except Problem as problem:
            await problem.answer(scope, receive, send)
            return
        if body is not None:
            await self.app(scope, _first(body, receive), send)

    async def read(self, length: int, receive: Receive) -> bytes | None:
        """The whole body; None if the client has gone."""
        body = bytearray()
        while max(length, len(body)) <= self.limit:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) <= self.limit and not message.get("more_body", False):
                return bytes(body)
        raise Problem(413, "BODY_TOO_LARGE", f"A body may have {self.limit} bytes.", members={"limit": self.limit})


def _first(body: bytes, receive: Receive) -> Receive:
    """`receive` that gives the body first, and after it whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def first() -> Message:
        return waiting.pop() if waiting else await receive()

    return first
