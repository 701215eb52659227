"""Bodies are decoded with every mistake told, and never read beyond the limit."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.admission.body_limit import BodyLimit
from gateway.contract import schemas
from gateway.contract.bodies import check_depth, check_type, decode
from gateway.contract.problems import Problem

MOVE = msgspec.json.Decoder(schemas.Move)


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    try:
        decode(body, MOVE)
    except Problem as problem:
        assert problem.status in (400, 422)


def test_an_action_is_passed_on_as_it_came() -> None:
    move = decode(b'{"action": { "b" : [1,  2] }, "version": 3}', MOVE)
    assert (move.version, bytes(move.action)) == (3, b'{ "b" : [1,  2] }')


@pytest.mark.parametrize(
    ("seat", "field", "message"),
    [
        (b'{"kind": "bot", "bot": 1}', "seats[0].bot", "Expected `str`, got `int`"),
        (b"{}", "seats[0].kind", "Object missing required field `kind`"),
        (b'{"kind": "me", "x": 1}', "seats[0].x", "Object contains unknown field `x`"),
    ],
)
def test_a_wrong_field_is_named(seat: bytes, field: str, message: str) -> None:
    decoder = msgspec.json.Decoder(schemas.NewTable)
    with pytest.raises(Problem) as refused:
        decode(b'{"game": "g", "seats": [%b]}' % seat, decoder)
    assert refused.value.members["errors"] == [{"field": field, "message": message}]


def test_depth_is_counted_and_not_guessed() -> None:
    check_depth(b"[" + b"[]," * 500 + b"[]]")
    with pytest.raises(RecursionError):
        check_depth(b"[" * 65 + b"]" * 65)
    check_depth(b"[" * 64 + b"]" * 64)
    check_depth(b'["' + b"[" * 100 + b'\\"' + b"[" * 100 + b'"]')


def test_brackets_that_are_not_closed_are_not_json() -> None:
    for action in (b"[" * 60_000, b'{"a":' * 12_000, b"[[]" * 20_000):
        with pytest.raises(Problem) as problem:
            decode(b'{"version": 1, "action": ' + action, MOVE)
        assert problem.value.reason == "MALFORMED_JSON"


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/merge+json"])
def test_json_types_are_accepted(kind: str) -> None:
    check_type(kind)


async def limited(limit: int, chunks: list[bytes], headers: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """Sends the chunks through the middleware to an application that echoes."""
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    waiting[-1]["more_body"] = False

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async def echo(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": (await receive())["body"]})

    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await BodyLimit(echo, limit)(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]


CHUNKED = [(b"transfer-encoding", b"chunked")]


def test_a_body_up_to_the_limit_arrives_whole() -> None:
    assert asyncio.run(limited(10, [b"12345", b"67890"], CHUNKED)) == (200, b"1234567890")
    assert asyncio.run(limited(10, [b"1234567890"], [(b"content-length", b"10")])) == (200, b"1234567890")


def test_a_body_over_the_limit_does_not() -> None:
    assert asyncio.run(limited(10, [b"12345", b"678901"], CHUNKED))[0] == 413
    assert asyncio.run(limited(10, [b"never read"], [(b"content-length", b"11")]))[0] == 413
