"""What a worker does with a bot that does not look at the clock."""

import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from services.bots.app import INSTANT, SEARCH, queue_of
from services.bots.levels import Budget
from services.bots.search import Search
from services.bots.worker import TimeUp, limit, on_alarm
from tests.unit.bots.test_search import begun


@pytest.fixture
def alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, on_alarm)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
def test_its_best_so_far_is_played() -> None:
    game, state = begun("geishas_road", 0, 0)
    seat = game.actor(state)
    assert seat is not None

    class Slow(type(game)):  # type: ignore[misc]
        def redeal(self, *arguments: Any) -> Any:
            time.sleep(0.01)
            return super().redeal(*arguments)

    search = Search(Slow(), seat, 1)
    with suppress(TimeUp), limit(1.0):
        search.think(state, Budget(seconds=3600), time.monotonic)
    assert search.answer(state) in game.legal(state)
    assert search.iterations


@pytest.mark.usefixtures("alarm")
def test_the_alarm_is_off_afterwards() -> None:
    with limit(3600):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_cheap_turns_never_wait_behind_those_that_think() -> None:
    assert [queue_of(level) for level in ("random", "greedy", "automa")] == [INSTANT] * 3
    assert [queue_of(level) for level in ("easy", "medium", "hard")] == [SEARCH] * 3
