"""Request bodies: read once, never more than the limit, and decoded with every mistake told."""

import re
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.problems import Problem, invalid

Shape = TypeVar("Shape")
# Deeper than any payload of a game; the services behind us decode recursively.
DEPTH = 64
JSON_TYPE = re.compile(r"application/(json|[\w.+-]+\+json)\s*(;.*)?$", re.IGNORECASE)
PATH = re.compile(r"(?P<message>.*) - at `(?P<path>[^`]*)`$", re.DOTALL)


class BodyLimit:
    """ASGI middleware: a body over the limit is answered with 413 before anything looks at it."""

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
            await problem.response(scope["path"])(scope, receive, send)
            return
        if body is not None:
            await self.app(scope, _first(body, receive), send)

    async def read(self, length: int, receive: Receive) -> bytes | None:
        """The whole body; None if the client has gone."""
        chunks: list[bytes] = []
        size = length
        while size <= self.limit:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunks.append(message.get("body", b""))
            size = max(length, sum(map(len, chunks)))
            if size <= self.limit and not message.get("more_body", False):
                return b"".join(chunks)
        raise Problem(413, "BODY_TOO_LARGE", f"A body may have {self.limit} bytes.", members={"limit": self.limit})


def _first(body: bytes, receive: Receive) -> Receive:
    """`receive` that gives the body first, and after it whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def first() -> Message:
        return waiting.pop() if waiting else await receive()

    return first


def check_type(content_type: str | None) -> None:
    if not JSON_TYPE.match(content_type or ""):
        sent = f"It was {content_type}." if content_type else "There was none."
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", f"Send the header Content-Type: application/json. {sent}")


def decode(body: bytes, decoder: "msgspec.json.Decoder[Shape]") -> Shape:
    """The body in its shape; raises the problem that tells what is wrong with it."""
    try:
        body.decode()
        check_depth(body)
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        found = PATH.match(str(error))
        message, path = (found["message"], found["path"]) if found else (str(error), "")
        raise invalid([{"field": path.removeprefix("$").removeprefix("."), "message": message}]) from None
    except UnicodeDecodeError:
        raise Problem(400, "MALFORMED_JSON", "The body is not UTF-8.") from None
    except RecursionError:
        raise Problem(400, "MALFORMED_JSON", f"The body is nested more than {DEPTH} levels deep.") from None
    except msgspec.DecodeError as error:
        raise Problem(400, "MALFORMED_JSON", f"{error}. Send one JSON object.") from None


def check_depth(body: bytes) -> None:
    """Raises RecursionError for what is nested too deep. Counting brackets is enough for nearly everything."""
    if body.count(b"[") + body.count(b"{") > DEPTH and _depth(msgspec.json.decode(body)) > DEPTH:
        raise RecursionError


def _depth(value: Any) -> int:
    """
    >>> _depth({"a": [1, {}]})
    3
    """
    depth, level = 0, [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [child for each in level for child in (each.values() if isinstance(each, dict) else each)]
    return depth


async def body(request: Request, decoder: "msgspec.json.Decoder[Shape]") -> Shape:
    """The body of a request in its shape."""
    check_type(request.headers.get("content-type"))
    return decode(await request.body(), decoder)
