"""What a worker does with a bot that does not look at the clock, or fails."""

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from services.bots.search.search import Search
from services.bots.strategies import Bot
from services.bots.turns import FAILURES, TimeUp, decide, limit, on_alarm
from services.engine import registry
from services.engine.dice import Dice
from services.platform.pool.celery_app import INSTANT, SEARCH, queue_of
from services.platform.pool.levels import Budget
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
        deals = 0

        def redeal(self, *arguments: Any) -> Any:
            self.deals += 1
            if self.deals > 5:
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                time.sleep(3600)
            return super().redeal(*arguments)

    search = Search(Slow(), seat, 1)
    with pytest.raises(TimeUp), limit(3600):
        search.think(state, Budget(seconds=3600), time.monotonic)
    assert search.answer(state) in game.legal(state)
    assert search.iterations


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("name", registry.names())
def test_a_decision_is_taken_from_a_bot_that_does_not_look_at_the_clock(name: str) -> None:
    game, state = begun(name, 0, 9)
    seat = game.actor(state)
    assert seat is not None

    class Endless(type(game)):  # type: ignore[misc]
        def clone(self, state: Any) -> Any:
            time.sleep(60)
            raise AssertionError("nobody has stopped it")

    counted = FAILURES.labels("thought")
    before = counted._value.get()
    assert decide(Bot("easy", Endless(), seat, Dice(b"dice")), state) in game.legal(state)
    assert counted._value.get() == before


@pytest.mark.usefixtures("alarm")
def test_the_alarm_is_off_afterwards() -> None:
    with limit(3600):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("level", ["greedy", "easy"])
def test_a_bot_whose_thought_fails_does_not_hold_up_its_table(name: str, level: str) -> None:
    game, state = begun(name, 0, 9)
    seat = game.actor(state)
    assert seat is not None

    class Broken(type(game)):  # type: ignore[misc]
        def clone(self, state: Any) -> Any:
            raise KeyError("no such piece")

    counted = FAILURES.labels("thought")
    before = counted._value.get()
    assert decide(Bot(level, Broken(), seat, Dice(b"dice")), state) in game.legal(state)
    assert counted._value.get() == before + 1


def test_cheap_turns_never_wait_behind_those_that_think() -> None:
    assert [queue_of(level) for level in ("random", "greedy", "automa")] == [INSTANT] * 3
    assert [queue_of(level) for level in ("easy", "medium", "hard")] == [SEARCH] * 3
