"""Request bodies: read once, never more than the limit, and decoded with every mistake told."""

import re
from typing import Annotated, TypeVar

import msgspec
from fastapi import Header
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.problems import Problem, invalid
from services.engine.json_errors import cut, wrong

Shape = TypeVar("Shape")
# Deeper than any payload of a game; the services behind us decode recursively.
DEPTH = 64
JSON_TYPE = re.compile(r"application/(json|[\w.+-]+\+json)\s*(;.*)?$", re.IGNORECASE)
STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
BRACKETS = bytes.maketrans(b"{}", b"[]")
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# Goes with the body of a request that must not be carried out twice.
OnceKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=100,
        description="Any text of your own. Repeat a request whose answer was lost with the same key: it is carried out "
        "once.",
    ),
]


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


def check_type(content_type: str | None) -> None:
    if not JSON_TYPE.match(content_type or ""):
        sent = f"It was {cut(content_type)}." if content_type else "There was none."
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", f"Send the header Content-Type: application/json. {sent}")


def decode(body: bytes, decoder: "msgspec.json.Decoder[Shape]") -> Shape:
    """The body in its shape; raises the problem that tells what is wrong with it."""
    try:
        body.decode()
        check_depth(body)
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        field, message = wrong(error, decoder.type)
        raise invalid([{"field": field, "message": message}]) from None
    except UnicodeDecodeError:
        raise Problem(400, "MALFORMED_JSON", "The body is not UTF-8.") from None
    except RecursionError:
        raise Problem(400, "MALFORMED_JSON", f"The body is nested more than {DEPTH} levels deep.") from None
    except msgspec.DecodeError as error:
        said = str(error).replace(
            "Input data was truncated", "It is empty, or ends in the middle of JSON or of a character"
        )
        raise Problem(400, "MALFORMED_JSON", f"{said}. Send one JSON object.") from None


def check_depth(body: bytes) -> None:
    """Raises RecursionError for what is nested too deep. Counting brackets is enough for nearly everything."""
    if body.count(b"[") + body.count(b"{") > DEPTH and depth(body, DEPTH) > DEPTH:
        raise RecursionError


def depth(body: bytes, most: int) -> int:
    """How deep JSON is nested, but no more than `most` + 1; 64 KB of brackets must not cost a loop over all of them.

    >>> depth(b'{"a[": [1, {}]}', 64), depth(b"[[[[]]]]", 2)
    (3, 3)
    """
    brackets = STRING.sub(b"", body).translate(BRACKETS, NO_BRACKETS)
    for level in range(most + 1):
        # The innermost level goes. What is not closed stays: that is the decoder's to tell.
        rest = brackets.replace(b"[]", b"")
        if len(rest) == len(brackets):
            return level
        brackets = rest
    return most + 1


async def body(request: Request, decoder: "msgspec.json.Decoder[Shape]") -> Shape:
    """The body of a request in its shape."""
    check_type(request.headers.get("content-type"))
    return decode(await request.body(), decoder)
