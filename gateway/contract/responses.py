"""Answers as JSON bytes, with entity tags where a client may ask again."""

from hashlib import blake2b

from fastapi import Request
from starlette.responses import Response

from gateway.contract.conversions import encode

JSON = "application/json"


def answer(shape: object, status: int = 200, **headers: str) -> Response:
    return Response(encode(shape), status, headers, JSON)


def tagged(request: Request, body: bytes, private: bool = False) -> Response:
    """The body with its ETag, or 304 if the client has it already."""
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": f"{'private' if private else 'public'}, no-cache"}
    if private:
        headers["Vary"] = "Authorization, X-Join-Code"
    if matches(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, JSON)


def matches(condition: str, tag: str) -> bool:
    """
    >>> matches('"a", W/"b"', '"b"'), matches("*", '"b"'), matches("", '"b"')
    (True, True, False)
    """
    given = [each.strip().removeprefix("W/") for each in condition.split(",")]
    return tag in given or "*" in given
