"""Bots that search: legal, the same for the same seed, in their time, and blind to what their seat cannot know."""

import random
import time
from typing import Any

import msgspec
import pytest

from services.bots.search.search import Search
from services.bots.search.tree import act
from services.bots.search.trials import Seen
from services.bots.strategies import Bot, choose
from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import Game
from services.platform.pool.levels import BUDGETS, Budget, thinking
from tests.campaigns.random_games import pieces

CASES = [(name, number) for name in registry.names() for number in range(len(pieces(name).CASES))]


def begun(name: str, number: int, moves: int) -> tuple[Game[Any], Any]:
    """A position some random moves into a game."""
    game, codec = registry.load(name), registry.codec(name)
    seats, options = pieces(name).CASES[number]
    rng = random.Random(number)
    state = game.new(list(seats), codec.options(msgspec.json.encode(options)), rng.randbytes(32))
    for _ in range(moves):
        game.apply(state, rng.choice(game.legal(state)), tell=False)
        if game.actor(state) is None:
            return begun(name, number, moves // 2)
    return game, state


@pytest.mark.parametrize(("name", "number"), CASES)
def test_it_plays_legal_actions_and_leaves_the_position_alone(name: str, number: int) -> None:
    game, state = begun(name, number, 15)
    codec = registry.codec(name)
    for _ in range(8):
        seat = game.actor(state)
        if seat is None:
            return
        known = game.redeal(state, seat, Dice(bytes(32)))
        before = codec.encode(known)
        action = choose("medium:10", game, known, seat, Dice(bytes(32)))
        assert codec.encode(known) == before
        assert action in game.legal(state)
        game.apply(state, action, tell=False)


@pytest.mark.parametrize("name", registry.names())
def test_the_same_seed_and_iterations_give_the_same_turn(name: str) -> None:
    turns: list[list[Any]] = []
    for _ in range(2):
        game, state = begun(name, 0, 9)
        seat = game.actor(state)
        assert seat is not None
        mind = Bot("medium:15", game, seat, Dice(b"dice"))
        turns.append([])
        while game.actor(state) == seat:
            turns[-1].append(mind.choose(state))
            game.apply(state, turns[-1][-1], tell=False)
    assert turns[0] == turns[1]


@pytest.mark.parametrize("name", registry.names())
def test_it_thinks_about_new_deals_only(name: str) -> None:
    game, given = begun(name, 0, 9)
    seat = game.actor(given)
    assert seat is not None
    dealt: list[bytes] = []

    class Watched(type(game)):  # type: ignore[misc]
        def redeal(self, state: Any, seat: int, dice: Dice) -> Any:
            new = super().redeal(state, seat, dice)
            dealt.append(registry.codec(name).encode(new))
            return new

        def clone(self, state: Any) -> Any:
            assert state is not given
            return super().clone(state)

        def evaluate_all(self, state: Any) -> list[float]:
            assert state is not given
            return list(super().evaluate_all(state))

    search = Search(Watched(), seat, 1)
    search.think(given, Budget(iterations=10), time.monotonic)
    assert len(dealt) == len(set(dealt)), "no deal is looked at twice"
    assert dealt
    if not game.sequel and search.race is None:
        most = max(node.visits for node in search.trials.root.children.values())
        assert len(dealt) == 1 + most, "one to plan the turn, one for each trial of an action"


def test_it_has_an_answer_at_any_moment() -> None:
    game, state = begun("tea_garden", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    assert Search(game, seat, 1).answer(state) in game.legal(state)


def test_levels_are_budgets_weakest_first() -> None:
    known = [level for level in registry.load("geishas_road").info.bots if level in BUDGETS]
    assert known == list(BUDGETS)
    assert [thinking(level) for level in known] == sorted(thinking(level) for level in known)
    assert thinking("greedy") == 0


def test_a_budget_may_look_further_ahead() -> None:
    game, state = begun("thurn_and_taxis", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    rounds: list[int] = []

    class Watched(type(game)):  # type: ignore[misc]
        def evaluate_all(self, state: Any) -> list[float]:
            rounds.append(state.round)
            return list(super().evaluate_all(state))

    latest = []
    for further in (0, 2):
        Search(Watched(), seat, 1).think(state, Budget(iterations=10, further=further), time.monotonic)
        latest.append(max(rounds))
    assert latest == [2, 3], "with two seats two turns are a round"


def test_a_budget_in_seconds_is_kept() -> None:
    game, state = begun("river_of_gold", 0, 20)
    seat = game.actor(state)
    assert seat is not None
    assert len(game.legal(state)) > 1
    ticks = iter(range(1000))
    search = Search(game, seat, 1)
    search.think(state, Budget(seconds=50), lambda: float(next(ticks)))
    assert search.iterations > 0
    assert next(ticks) <= 52, "the clock was not asked again after the time was up"


@pytest.mark.parametrize("name", registry.names())
def test_what_was_thought_about_a_turn_counts_for_its_next_decision(name: str) -> None:
    game, state = begun(name, 0, 9)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    while game.actor(state) == seat:
        before = search.iterations
        known = {action: node.visits for action, node in search.trials.root.children.items()}
        legal = game.legal(state)
        kept = sum(known[action] for action in legal) if all(action in known for action in legal) else 0
        search.think(state, Budget(iterations=40), time.monotonic)
        assert search.iterations - before <= max(0, 40 - kept)
        assert all(action in legal for action in search.trials.root.children), "what other deals allowed is forgotten"
        game.apply(state, search.answer(state), tell=False)


def test_it_stops_when_the_rest_could_not_change_its_mind() -> None:
    game, state = begun("river_of_gold", 0, 20)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    search.think(state, Budget(iterations=2), time.monotonic)
    first, second = list(search.trials.root.children.values())[:2]
    first.visits, second.visits = 90, 4
    before = search.iterations
    search.think(state, Budget(iterations=120), time.monotonic)
    assert search.iterations == before


def test_it_stops_when_the_best_action_is_clear_or_makes_no_difference() -> None:
    game, state = begun("river_of_gold", 0, 20)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    search.think(state, Budget(iterations=60), time.monotonic)
    legal = game.legal(state)
    first, *others = search.trials.root.children.values()
    for node in search.trials.root.children.values():
        node.trust, node.hope, node.visits, node.total = 30.0, 0.0, 0, 0.0
    search.trials.better = Seen()
    for number in range(20):
        search.trials.better.add(float(number % 3))
    first.hope, first.trust = 20.0, 31.0
    assert search.trials._clear(legal)
    first.hope = -1.0
    assert not search.trials._clear(legal), "the one it would take is not the best"
    for node in others:
        node.trust = 30.0 * 30.0
    first.hope, first.trust = 0.001, 901.0
    assert search.trials._clear(legal), "all are the same"


def test_a_long_turn_goes_on_as_planned_unless_another_plan_promises_more() -> None:
    game, state = begun("tea_garden", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    search.think(state, Budget(iterations=30), time.monotonic)
    game.apply(state, search.answer(state), tell=False)
    while len(game.legal(state)) == 1:
        game.apply(state, search.answer(state), tell=False)
    going = search.race
    assert going
    for way in going.left:
        way.promise = 1000.0
    search.think(state, Budget(iterations=30), time.monotonic)
    assert search.race is going
    for way in going.left:
        way.promise = -1000.0
    search.think(state, Budget(iterations=30), time.monotonic)
    assert search.race is not going


def test_ends_of_turns_are_compared_by_their_sequels_as_long_as_there_is_time_and_doubt() -> None:
    game, state = begun("tea_garden", 0, 9)
    seat = game.actor(state)
    assert seat is not None
    search, most = Search(game, seat, 1), 0
    while not game.turn_over(state, seat):
        if len(game.legal(state)) > 1:
            ticks = iter(range(1000))
            search.think(state, Budget(seconds=200), lambda ticks=ticks: float(next(ticks)))  # type: ignore[misc]
            assert next(ticks) <= 202
            assert search.race
            best = search.race.left[0]
            assert game.turn_over(best.end, seat), "chains were followed to their end"
            assert len({way.promise for way in search.race.left}) == len(search.race.left), "no end is looked at twice"
            most = max(most, len(best.values))
        game.apply(state, search.answer(state), tell=False)
    assert most > 1, "so many sequels"


def test_first_sight_ends_a_turn_that_nothing_makes_better() -> None:
    """An evaluation that falls when the turn ends must not keep a seat from ending it."""
    game, state = begun("river_of_gold", 0, 0)
    while not any(type(action).__name__ == "EndTurn" for action in game.legal(state)):
        seat = game.actor(state)
        assert seat is not None
        act(game, state, seat)
    seat = game.actor(state)
    assert seat is not None
    now, legal = game.evaluate(state, seat), game.legal(state)
    [chosen] = game.first_sight(state, legal, seat)
    after = game.clone(state)
    game.apply(after, chosen, tell=False)
    assert game.turn_over(after, seat) or game.evaluate(after, seat) > now
