"""Bots that search: legal, the same for the same seed, in their time, and blind to what their seat cannot know."""

import random
import time
from typing import Any

import msgspec
import pytest

from services.bots.levels import BUDGETS, Budget, thinking
from services.bots.plan import behind
from services.bots.players import Mind, choose
from services.bots.search import Search
from services.bots.tree import likely
from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import Game
from tests.campaign import pieces

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
        action = choose("search:10", game, known, seat, Dice(bytes(32)))
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
        mind = Mind("search:15", game, seat, Dice(b"dice"))
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
    if not game.sequel:
        most = max(node.visits for node in search.root.children.values())
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
        known = {action: node.visits for action, node in search.root.children.items()}
        legal = game.legal(state)
        kept = sum(known[action] for action in legal) if all(action in known for action in legal) else 0
        search.think(state, Budget(iterations=40), time.monotonic)
        assert search.iterations - before <= max(0, 40 - kept)
        assert all(action in legal for action in search.root.children), "what other deals allowed is forgotten"
        game.apply(state, search.answer(state), tell=False)


def test_it_stops_when_the_rest_could_not_change_its_mind() -> None:
    game, state = begun("river_of_gold", 0, 20)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    search.think(state, Budget(iterations=2), time.monotonic)
    first, second = list(search.root.children.values())[:2]
    first.visits, second.visits = 90, 4
    before = search.iterations
    search.think(state, Budget(iterations=120), time.monotonic)
    assert search.iterations == before


def test_ends_of_turns_are_compared_by_their_sequels_as_long_as_there_is_time_and_doubt() -> None:
    game, state = begun("tea_garden", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    ticks = iter(range(1000))
    search = Search(game, seat, 1)
    search.think(state, Budget(seconds=500), lambda: float(next(ticks)))
    assert next(ticks) <= 502
    [best] = [node for node in search.root.children.values() if node.visits]
    assert best.ended, "chains were followed to their end"
    assert best.visits > 1, "so many sequels"
    known = search.root.children
    assert known[search.answer(state)] is best


def test_a_step_drops_out_when_luck_cannot_explain_how_far_it_is_behind() -> None:
    best = [10.0, 14.0, 9.0, 12.0, 11.0]
    assert behind([value - 3 - number / 10 for number, value in enumerate(best)], 0.0, best, 0.0)
    assert not behind([9.0, 16.0, 7.0, 13.0, 9.0], 0.0, best, 0.0)
    assert not behind([0.0] * 3, 0.0, best[:3], 0.0), "three deals are too few"


def test_first_sight_ends_a_turn_that_nothing_makes_better() -> None:
    """An evaluation that falls when the turn ends must not keep a seat from ending it."""
    game, state = begun("river_of_gold", 0, 0)
    while not any(type(action).__name__ == "EndTurn" for action in game.legal(state)):
        seat = game.actor(state)
        assert seat is not None
        game.apply(state, likely(game, state, game.legal(state), seat), tell=False)
    seat = game.actor(state)
    assert seat is not None
    now, legal = game.evaluate(state, seat), game.legal(state)
    chosen = likely(game, state, legal, seat)
    after = game.clone(state)
    game.apply(after, chosen, tell=False)
    assert game.turn_over(after, seat) or game.evaluate(after, seat) > now
