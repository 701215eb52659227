"""Posting to addresses that strangers gave, against real sockets."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from services.bots.http_post import Undeliverable, post

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@contextmanager
def receiver(behave: Callable[[socket.socket], object]) -> Iterator[str]:
    """A server that treats its first caller as told; gives its URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                caller, _ = server.accept()
                with caller:
                    behave(caller)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://localhost:{server.getsockname()[1]}/hook?x=1"
        thread.join(20)
        assert not thread.is_alive()


def listen(caller: socket.socket) -> bytes:
    """The whole request."""
    heard = b""
    while not heard.endswith(b'{"a":1}'):
        heard += caller.recv(4096)
    return heard


def send(url: str, timeout: float = 10, private: bool = True) -> int:
    return post(url, {"Content-Type": "application/json", "X-Test": "yes"}, b'{"a":1}', timeout, private)


def test_the_request_names_the_host_and_carries_headers_and_body() -> None:
    heard = []

    def behave(caller: socket.socket) -> None:
        heard.append(listen(caller))
        caller.sendall(OK)

    with receiver(behave) as url:
        assert send(url) == 204
    lines = heard[0].split(b"\r\n")
    assert lines[0] == b"POST /hook?x=1 HTTP/1.1"
    assert f"Host: {url.split('/')[2]}".encode() in lines
    assert b"X-Test: yes" in lines


def test_a_redirect_is_an_answer_and_not_followed() -> None:
    def behave(caller: socket.socket) -> None:
        listen(caller)
        caller.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")

    with receiver(behave) as url:
        assert send(url) == 302


def test_of_an_endless_answer_only_the_beginning_is_read() -> None:
    def behave(caller: socket.socket) -> None:
        listen(caller)
        caller.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        with suppress(OSError):
            while True:
                caller.sendall(b"x" * 65536)

    with receiver(behave) as url:
        assert send(url, timeout=60) == 200


def drip(caller: socket.socket) -> None:
    with suppress(OSError):
        caller.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            caller.sendall(b"X: y\r\n"[: 1 + int(time.monotonic()) % 2])
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("behave", "text"),
    [
        (lambda caller: listen(caller) and caller.recv(1), "no answer within"),
        (drip, "no answer within"),
        (lambda caller: listen(caller) and caller.sendall(b"what?\r\n\r\n"), "what?"),
        (listen, "without response"),
    ],
    ids=["silent", "a byte at a time", "not HTTP", "hangs up"],
)
def test_an_answer_that_does_not_come(behave: Callable[[socket.socket], object], text: str) -> None:
    with receiver(behave) as url, pytest.raises(Undeliverable, match=text):
        send(url, timeout=0.6)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://127.0.0.1:{port}/", "private"),
        ("http://localhost:{port}/", "private"),
        ("http://127.1:{port}/", "private"),
        ("http://2130706433:{port}/", "private"),
        ("http://0x7f.1:{port}/", "private"),
        ("http://0.0.0.0:{port}/", "private"),
        ("http://[::ffff:127.0.0.1]:{port}/", "private"),
        ("http://nowhere.invalid/", "not known"),
        ("ftp://example.org/", "http"),
    ],
)
def test_what_is_not_public_is_not_called(url: str, text: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(Undeliverable, match=text):
            send(url.format(port=server.getsockname()[1]), private=False)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_nobody_is_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(Undeliverable, match="refused"):
            send(f"http://127.0.0.1:{unused.getsockname()[1]}/")
