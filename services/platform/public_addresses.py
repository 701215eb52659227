"""Addresses that strangers give us to call: which URLs are taken, and which addresses belong to the public internet.

>>> read_url("https://example.org/hook?a=1")
Target(secure=True, host='example.org', port=443, path='/hook?a=1')
>>> is_public("93.184.215.14"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
(True, False, False)
"""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from socket import inet_aton, inet_ntoa
from urllib.parse import urlsplit

LONGEST = 1000
HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_.])?")
# The IANA registries of special-purpose addresses, multicast and reserved ones included. Of IPv6 only the part that is
# given out for global use is public at all: what holds an IPv4 address inside (mapped, NAT64) is outside of it.
# fmt: off
SPECIAL_4 = [ip_network(each) for each in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)]
# fmt: on
GLOBAL_6 = ip_network("2000::/3")
SPECIAL_6 = [ip_network(each) for each in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]


class BadUrl(ValueError):
    """Not an address that we call; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    secure: bool
    host: str
    port: int
    # With its query.
    path: str


def read_url(url: str) -> Target:
    if not url.isascii() or len(url) > LONGEST or re.search(r"[\x00-\x20\x7f]", url):
        raise BadUrl(f"a URL has at most {LONGEST} ASCII characters and no spaces; encode the others")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadUrl(f"it is not a URL: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise BadUrl("it must begin with http:// or https://")
    if "@" in parts.netloc:
        raise BadUrl("it must not hold a user name or password")
    if port == 0 or not (HOST.fullmatch(host) or _is_ipv6(host)):
        raise BadUrl("its host is neither a name nor an address, or its port is 0")
    secure = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure, host, port or (443 if secure else 80), path)


def _is_ipv6(host: str) -> bool:
    try:
        return isinstance(ip_address(host), IPv6Address)
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether a machine of the public internet can have this address; text that is no address is not public."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        return ip in GLOBAL_6 and not ip.scope_id and not any(ip in each for each in SPECIAL_6)
    return not any(ip in each for each in SPECIAL_4)


def is_private_literal(host: str) -> bool:
    """Whether the host is written as an address, and that is not public. Names are looked up when they are called.

    >>> [is_private_literal(host) for host in ("127.1", "0x7f000001", "2130706433", "0", "example.org", "8.8.8.8")]
    [True, True, True, True, False, False]
    """
    host = host.rstrip(".")
    try:
        address = str(ip_address(host))
    except ValueError:
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            # As old as the internet and still understood: fewer parts than four, hexadecimal, octal.
            address = inet_ntoa(inet_aton(host))
        except OSError:
            return False
    return not is_public(address)
