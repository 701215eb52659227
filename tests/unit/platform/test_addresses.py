"""Which URLs are taken from strangers, and which addresses are public."""

import doctest

import pytest

from services.platform import public_addresses as addresses
from services.platform.public_addresses import BadUrl, Target, is_private_literal, is_public, read_url


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.215.14",
        "172.15.255.255",
        "172.32.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2a00:1450:4001:80b::200e",
    ],
)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::ffff:10.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1%eth0",
        "fec0::1",
        "ff02::1",
        "",
        "127.1",
        "0x7f000001",
        "2130706433",
        "localhost",
    ],
)
def test_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://example.org", Target(False, "example.org", 80, "/")),
        ("https://Example.org:8443/a/b?c=d#e", Target(True, "example.org", 8443, "/a/b?c=d")),
        ("http://127.0.0.1:9000/hook", Target(False, "127.0.0.1", 9000, "/hook")),
        ("http://[::1]:9000?x", Target(False, "::1", 9000, "/?x")),
        ("HTTPS://a_b.example/", Target(True, "a_b.example", 443, "/")),
    ],
)
def test_urls_that_are_taken(url: str, target: Target) -> None:
    assert read_url(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "//example.org",
        "ftp://example.org",
        "file:///etc/passwd",
        "gopher://example.org:70/_x",
        "http://",
        "http:///path",
        "http://user@example.org",
        "http://user:pass@example.org",
        "http://a@b@example.org",
        "http://example.org:0",
        "http://example.org:65536",
        "http://example.org:x",
        "http://exa mple.org",
        "http://example.org/a b",
        "http://example.org/\r\nHost: x",
        "http://example.org/\x00",
        "http://exämple.org",
        "http://example.org\\@10.0.0.1/",
        "http://[::1",
        "http://[zz]/",
        "http://-a.org",
        "http://a%2eb/",
        "http://example.org/" + "x" * 1000,
    ],
)
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        read_url(url)


def test_private_addresses_are_known_by_sight() -> None:
    seen = ["127.0.0.1", "::1", "169.254.169.254", "localhost", "db.localhost"]
    seen += ["0x7f000001", "2130706433", "127.1", "0", "0177.0.0.1", "127.0.0.1.", "localhost."]
    assert [host for host in [*seen, "example.org", "8.8.8.8"] if is_private_literal(host)] == seen


def test_the_examples_are_true() -> None:
    assert doctest.testmod(addresses).failed == 0
