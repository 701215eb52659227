"""POST to a URL that a stranger gave: the address is checked, time and size are bounded, redirects are not followed."""

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer

from services.platform.public_addresses import BadUrl, Target, is_public, read_url

# Bytes of an answer that are read; the rest is dropped.
MOST_READ = 4096
TLS = ssl.create_default_context()


class Undeliverable(Exception):
    """There was no answer; the text says why."""


class CheckedConnection(http.client.HTTPConnection):
    """Connects to the address that was checked. A second look-up of the name could lead to another one."""

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
        """Ends the request from the timer's thread, whatever it is waiting for."""
        self.late = True
        if self.sock:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def post(url: str, headers: Mapping[str, str], body: bytes, timeout: float, private: bool) -> int:
    """Returns the status of the answer. `timeout` limits the whole call; `private` allows private addresses."""
    try:
        target = read_url(url)
    except BadUrl as error:
        raise Undeliverable(str(error)) from None
    connection = CheckedConnection(target, look_up(target, private), timeout)
    # The timeout of a socket starts anew with every byte, so a timer limits the whole call.
    limit = Timer(timeout, connection.hang_up)
    limit.start()
    try:
        connection.request("POST", target.path, body, dict(headers))
        answer = connection.getresponse()
        if connection.late:  # http.client takes headers that were cut off for an answer
            raise TimeoutError
        with suppress(OSError, http.client.HTTPException):
            answer.read(MOST_READ)
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        late = connection.late or isinstance(error, TimeoutError)
        text = f"no answer within {timeout:g} s" if late else str(error) or type(error).__name__
        raise Undeliverable(text[:200]) from None
    finally:
        limit.cancel()
        connection.close()


def look_up(target: Target, private: bool) -> str:
    """The address to call. Refuses a name if any of its addresses is not public."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Undeliverable("the host name is not known") from None
    addresses = [str(each[4][0]) for each in found]
    if not private and not all(map(is_public, addresses)):
        raise Undeliverable("the address is private; only public addresses are called")
    return addresses[0]
