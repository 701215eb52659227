"""What is wrong with a request before it is one: nonsense, heads without end, handshakes that are none."""

import json
import socket
from typing import Any

import httpx
import pytest

from deploy.stack import Stack
from tests.support.people import GAME, Person, problem

HOST = b"Host: x\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


def answer(stack: Stack, *pieces: bytes) -> tuple[int, dict[str, str], Any]:
    """Status, headers and document of the only answer on a connection, which the server closes."""
    with socket.create_connection(("127.0.0.1", stack.port), timeout=10) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has heard enough
        said = b""
        while piece := connection.recv(1 << 16):
            said += piece
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    assert headers["content-type"] == "application/problem+json"
    document = json.loads(body)
    assert document["request_id"] == headers["x-request-id"]
    assert len(said) < 2000
    return int(first.split()[1]), headers, document


@pytest.mark.parametrize(
    "nonsense",
    [
        b"FOO / HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /\xc4\x85 HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET / HTTP/1.1\r\n" + HOST + b"no colon here\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\n" + HOST + b"Content-Length: many\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nmany\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST + UPGRADE + b"\r\n",
        b"GET /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST + UPGRADE + b"Sec-WebSocket-Key: short\r\n\r\n",
        b"POST /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST + UPGRADE + KEY + b"\r\n",
    ],
)
def test_what_is_not_http_gets_a_problem_document(stack: Stack, nonsense: bytes) -> None:
    status, headers, document = answer(stack, nonsense)
    assert (status, document["reason"], headers["connection"]) == (400, "MALFORMED_HTTP", "close")
    assert document["type"] == "/problems/malformed-http"


START = b"GET /healthz HTTP/1.1\r\n" + HOST
CHUNKED = b"POST /v1/players HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        (START, b"a: " + b"x" * 40_000 + b"\r\n\r\n"),
        (START, b"a: " + b"x" * 10_000_000),
        (START, *(b"a%d: %b\r\n" % (number, b"x" * 100_000) for number in range(60)), b"\r\n"),
        (START, *(b"a%d: x\r\n" % number for number in range(200)), b"\r\n"),
        (START, b"a" * 10_000_000),
        (b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",),
        (b"GET /" + b"x" * 10_000_000,),
        (CHUNKED, *(b"a%d: %b\r\n" % (number, b"x" * 1000) for number in range(60))),
        (CHUNKED, b"a: " + b"x" * 10_000_000),
        (b"GET /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST + UPGRADE + KEY, b"a: " + b"x" * 9000 + b"\r\n\r\n"),
    ],
)
def test_a_head_has_an_end(stack: Stack, pieces: tuple[bytes, ...]) -> None:
    status, _, document = answer(stack, *pieces)
    assert (status, document["reason"]) == (431, "HEAD_TOO_LARGE")


def test_many_requests_on_one_connection_are_heads_of_their_own(stack: Stack) -> None:
    with httpx.Client(base_url=stack.url) as client:
        for _ in range(20):
            assert client.get("/healthz", headers={"X-Long": "x" * 8000}).status_code == 200
            assert client.post("/v1/players", json={"name": "x" * 60_000}).status_code == 422


def test_a_socket_of_another_version_is_told_which(stack: Stack) -> None:
    start = b"GET /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST
    status, headers, document = answer(stack, start + UPGRADE.replace(b"13", b"8") + KEY + b"\r\n")
    assert (status, document["reason"], headers["sec-websocket-version"]) == (426, "UPGRADE_REQUIRED", "13")


@pytest.mark.parametrize("path", [b"/", b"/v1/games", b"/v1/tables/t_x/sockets"])
def test_an_address_without_a_socket_says_so(stack: Stack, path: bytes) -> None:
    status, _, document = answer(stack, b"GET " + path + b" HTTP/1.1\r\n" + HOST + UPGRADE + KEY + b"\r\n")
    assert (status, document["reason"]) == (404, "UNKNOWN_ROUTE")


def test_a_refused_handshake_is_no_mistake_of_the_server(stack: Stack) -> None:
    start = b"GET /v1/tables/t_x/socket HTTP/1.1\r\n" + HOST
    status, _, document = answer(stack, start + UPGRADE + KEY + b"\r\n")
    assert (status, document["reason"]) == (404, "UNKNOWN_TABLE")
    log = (stack.data.parent / "output.log").read_text()
    assert "listening" in log
    assert "without completing handshake" not in log


def test_a_plain_get_of_a_socket_must_upgrade(stack: Stack) -> None:
    table = Person(stack.url, "Ada").open({"kind": "me"}, {"kind": "open"}, game=GAME)
    refused = httpx.get(f"{stack.url}/v1/tables/{table}/socket")
    problem(refused, 426, "UPGRADE_REQUIRED")
    assert refused.headers["upgrade"] == "websocket"
