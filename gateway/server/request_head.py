"""The head of a request, before anybody looks at it: how large it may be, and what is said to whoever sends nonsense.

What uvicorn and its parser refuse is a problem document here too, and what they would let pass without end is bounded:
headers, trailers, and what is never finished. After a refusal we listen for a moment without looking: a connection that
is closed while its client still sends is reset, and the answer lost.

A request costs 6 to 30 µs more than with uvicorn's plain protocol: `python -m tests.bench.parts header_limits`.
"""

import base64
import binascii
import secrets
import sys
from http import HTTPStatus

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway.contract.problems import MEDIA_TYPE, Problem
from services.platform.tracing.context import REQUEST_ID

# Bytes and lines of a head, and bytes of the head of a WebSocket's handshake, whose parser takes no longer line.
MOST, MOST_LINES, MOST_OF_HANDSHAKE = 32 * 1024, 100, 8000
# Seconds in which whoever was refused can read why.
FAREWELL = 1.0
SHAPE = "See RFC 9112 for how HTTP/1.1 is written."
HANDSHAKE = (
    "A WebSocket's handshake is a GET with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes in base64"
)


class RequestHead(HttpToolsProtocol):
    """Refuses heads that are too large or that are not HTTP."""

    # Bytes of the present head; bytes that came since the parser last had something to tell.
    size, silent = 0, 0
    refused = False

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        self.silent += len(data)
        super().data_received(data)
        if self.silent > MOST and not self.refused:
            self.refuse(too_large())

    def on_message_begin(self) -> None:
        self.size = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self.grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Trailers come here too."""
        self.grow(len(name) + len(value))
        super().on_header(name, value)

    def grow(self, bytes_: int) -> None:
        self.size += bytes_
        if self.size > MOST or len(self.headers) >= MOST_LINES:
            raise too_large()

    def on_headers_complete(self) -> None:
        self.silent = 0
        if self.parser.get_http_version() == "1.1" and not any(name == b"host" for name, _ in self.headers):
            raise Problem(400, "MALFORMED_HTTP", "Every request of HTTP/1.1 has the header Host.")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.silent = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.silent = 0
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        if problem := self.bad_handshake():
            self.refuse(problem)
        else:
            super().handle_websocket_upgrade()

    def bad_handshake(self) -> Problem | None:
        if self.size > MOST_OF_HANDSHAKE:
            return too_large(MOST_OF_HANDSHAKE)
        given = dict(self.headers)
        if given.get(b"sec-websocket-version") != b"13":
            return Problem(426, "UPGRADE_REQUIRED", f"{HANDSHAKE}.", {"Sec-WebSocket-Version": "13"})
        try:
            key = base64.b64decode(given.get(b"sec-websocket-key", b""), validate=True)
        except binascii.Error:
            key = b""
        if len(key) != 16 or self.scope["method"] != "GET" or not self.url.isascii():
            return Problem(400, "MALFORMED_HTTP", f"{HANDSHAKE}.")
        return None

    def send_400_response(self, msg: str) -> None:
        """uvicorn calls it while it handles what the parser has raised."""
        error = sys.exception()
        error = (error and error.__context__) or error  # what one of these methods has raised, or the parser itself
        self.refuse(error if isinstance(error, Problem) else malformed(error))

    def refuse(self, problem: Problem) -> None:
        """The last thing that is said on this connection; nothing, if it would come in the middle of an answer."""
        self.refused = True
        self.pipeline.clear()
        if under_way := self.cycle is not None and not self.cycle.response_complete:
            # As if the client had gone: nobody answers any more.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if under_way and self.cycle.response_started:
            self.transport.close()
            return
        path = getattr(self, "url", b"").partition(b"?")[0].decode("latin-1")
        self.transport.write(written(problem, path, self.server_state.default_headers))
        self.loop.call_later(FAREWELL, self.transport.close)


def too_large(most: int = MOST) -> Problem:
    detail = f"The address and the headers may have {most} bytes together, and there may be {MOST_LINES} headers."
    return Problem(431, "HEAD_TOO_LARGE", detail, members={"limit": most})


def malformed(error: BaseException | None) -> Problem:
    return Problem(400, "MALFORMED_HTTP", f"This is not HTTP: {error or 'it cannot be read'}. {SHAPE}")


def written(problem: Problem, path: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """The whole answer, as it goes over the wire."""
    request_id = secrets.token_hex(8)
    body = msgspec.json.encode({**problem.document(path), "request_id": request_id})
    told = {
        **{name.decode("latin-1"): value.decode("latin-1") for name, value in headers},
        **problem.headers,
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        REQUEST_ID: request_id,
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
        "connection": "close",
    }
    head = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
    head += [f"{name}: {value}" for name, value in told.items()]
    return "\r\n".join([*head, "\r\n"]).encode("latin-1") + body
