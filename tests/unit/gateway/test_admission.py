"""What admission decides without asking anybody: addresses, scopes, headers; and what logs never show."""

import json
import logging
import sys

import pytest

from gateway.admission.identity import address_of
from gateway.admission.rate_limits import Policy
from gateway.admission.scopes import needed
from services.platform.logs import Human, Json
from services.platform.settings import Settings

TOKEN = "p_abcdefghjkmnpq.1790000000.0." + "aB-_" * 10 + "abc"
KEY = "tea_" + "aB-_" * 10 + "abc"


@pytest.mark.parametrize(
    ("peer", "forwarded", "hops", "address"),
    [
        ("10.0.0.1", "", 0, "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4", 0, "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4", 1, "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", 2, "1.2.3.4"),
        ("10.0.0.1", "1.2.3.4", 2, "1.2.3.4"),
        ("10.0.0.1", "", 1, "10.0.0.1"),
        ("10.0.0.1", "nonsense", 1, "10.0.0.1"),
        ("10.0.0.1", "2001:db8::1:2:3:4", 1, "2001:db8::/64"),
        ("2001:db8::9:8:7:6", "", 0, "2001:db8::/64"),
        ("unknown", "", 0, "unknown"),
    ],
)
def test_an_address_is_what_the_trusted_proxies_say(peer: str, forwarded: str, hops: int, address: str) -> None:
    assert address_of(peer, forwarded, hops) == address


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/v1/players/me", "read"),
        ("POST", "/v1/players", "players"),
        ("POST", "/v1/players/p_x/token", "players"),
        ("POST", "/v1/players/p_x/token/x", "play"),
        ("DELETE", "/v1/players/me/tokens", "play"),
        ("POST", "/v1/tables", "play"),
        ("SOCKET", "/v1/tables/t_x/socket", "play"),
    ],
)
def test_whatever_is_not_in_the_table_needs_the_widest_scope(method: str, path: str, scope: str) -> None:
    assert needed(method, path) == scope


def test_a_policy_is_leased_by_the_fiftieth() -> None:
    assert Policy("player", 12000, 60).header() == '"player";q=12000;w=60'
    assert [Policy("player", requests, 60).lease for requests in (1, 60, 12000)] == [1, 1, 240]


@pytest.mark.parametrize("raw", ["600", "600/", "/60", "-1/60", "1.5/60", "0/60", "60/0", "many/60"])
def test_a_limit_that_cannot_be_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch, raw: str) -> None:
    monkeypatch.setenv("TEAHOUSE_LIMIT_PLAYER", raw)
    with pytest.raises(SystemExit, match="requests/seconds"):
        Settings()


@pytest.mark.parametrize("formatter", [Human("gateway"), Json("gateway")])
def test_what_looks_like_a_token_or_a_key_is_blotted_out(formatter: logging.Formatter) -> None:
    try:
        raise ValueError(f"cannot read {KEY!r}")
    except ValueError:
        error = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "GET /socket?token=%s&after=%d", (TOKEN, 3), error)
    line = formatter.format(record)
    assert TOKEN[-43:] not in line
    assert KEY[-43:] not in line
    assert "GET /socket?token=…&after=3" in line
    assert "ValueError" in line
    if isinstance(formatter, Json):
        assert json.loads(line)["level"] == "error"
