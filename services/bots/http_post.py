"""Posting to an address that a stranger gave: checked when it is called, bounded in time and size, never redirected."""

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer

from services.platform.public_addresses import BadUrl, Target, is_public, read_url

# Bytes of an answer that are read.
MOST_READ = 4096
TLS = ssl.create_default_context()


class Undeliverable(Exception):
    """No answer came; the text says why."""


class Line(http.client.HTTPConnection):
    """A connection to an address that was checked; the name of the host is only said there, never looked up again."""

    def __init__(self, target: Target, address: str, timeout: float) -> None:
        super().__init__(target.host, target.port, timeout)
        self.target, self.address = target, address
        self.default_port = 443 if target.secure else 80
        self.late = False

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.target.port), self.timeout)
        if self.target.secure:
            tls = TLS.wrap_socket(self.sock, server_hostname=self.target.host, do_handshake_on_connect=False)
            self.sock = tls
            tls.do_handshake()

    def hang_up(self) -> None:
        """Time is up, whatever the other thread is waiting for."""
        self.late = True
        if self.sock:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def post(url: str, headers: Mapping[str, str], body: bytes, timeout: float, private: bool) -> int:
    """The status of the answer. `timeout` is for everything together; `private`: any address may be called."""
    try:
        target = read_url(url)
    except BadUrl as error:
        raise Undeliverable(str(error)) from None
    line = Line(target, look_up(target, private), timeout)
    # The timeout of a socket begins anew with every byte.
    limit = Timer(timeout, line.hang_up)
    limit.start()
    try:
        line.request("POST", target.path, body, dict(headers))
        answer = line.getresponse()
        if line.late:  # headers cut off in the middle pass for an answer
            raise TimeoutError
        with suppress(OSError, http.client.HTTPException):
            answer.read(MOST_READ)
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        late = line.late or isinstance(error, TimeoutError)
        text = f"no answer within {timeout:g} s" if late else str(error) or type(error).__name__
        raise Undeliverable(text[:200]) from None
    finally:
        limit.cancel()
        line.close()


def look_up(target: Target, private: bool) -> str:
    """The address to call now; refused if any address of that name is not public."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Undeliverable("the name of the host is not known") from None
    addresses = [str(each[4][0]) for each in found]
    if not private and not all(map(is_public, addresses)):
        raise Undeliverable("the address is private; only public addresses are called")
    return addresses[0]
