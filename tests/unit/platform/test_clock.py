"""The clock that all copies share: it follows what it is told, whatever the machine's own clock says."""

import doctest
import time

import pytest

from services.platform import clock
from services.platform.clock import Clock, monotonic_ms
from tests.campaigns import leaks

HOUR = 3_600_000


def test_examples() -> None:
    for module in (clock, leaks):
        tried = doctest.testmod(module)
        assert tried.attempted
        assert not tried.failed


def test_a_machine_that_is_an_hour_off_tells_the_right_time(monkeypatch: pytest.MonkeyPatch) -> None:
    right = time.time_ns() // 1_000_000
    for wrong in (right - HOUR, right + HOUR):
        monkeypatch.setattr(time, "time_ns", lambda wrong=wrong: wrong * 1_000_000)
        mine = Clock()
        assert not mine.known
        asked = monotonic_ms()
        mine.learn(right, asked, asked + 4)
        assert mine.known
        assert right - 4 <= asked + mine.ahead <= right


def test_a_jump_of_the_machines_clock_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = clock.now_ms()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clock.now_ms() - before < HOUR
    assert clock.now_ms() >= before
