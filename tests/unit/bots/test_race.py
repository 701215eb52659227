"""Whole turns against each other: as long as there is doubt about the next action, in the same deals."""

import time

from services.bots.levels import Budget
from services.bots.race import Race, Terms, Way
from services.bots.search import Search
from tests.unit.bots.test_search import begun

TERMS = Terms(compared=8, enough=6, clearly=2.0)


def way(*brought: float, promise: float = 0.0) -> Way:
    made = Way(promise, ["use", "lay"])
    made.brought = list(brought)
    return made


def test_a_way_drops_out_when_luck_cannot_explain_how_far_it_is_behind() -> None:
    best = [0.3, 0.9, -0.5, 0.2, 0.4, 0.1]
    assert way(*(value - 0.2 - number / 50 for number, value in enumerate(best))).behind(way(*best), TERMS)
    assert not way(0.9, 0.3, -0.8, 0.6, 0.1, 0.2).behind(way(*best), TERMS)
    few = TERMS.enough - 1
    assert not way(*[0.0] * few).behind(way(*[1.0] * few), TERMS), "too few deals"


def race_of(*chains: str) -> Race:
    """Each promises less than the one before it."""
    return Race([Way(-number / 10, list(chain)) for number, chain in enumerate(chains)], TERMS)


def test_it_goes_on_with_the_ways_that_begin_with_the_action_taken() -> None:
    race = race_of("ac", "bc", "ab")
    assert race.best() == "a"
    race.follow("a")
    assert [way.chain for way in race.left] == [["c"], ["b"]]
    assert race.going(["b", "c"])
    assert not race.going(["d"]), "another turn"
    race.follow("b")
    assert not race.going(["b"]), "the turn is over"


def test_all_ways_get_the_same_luck_and_no_more_trials_than_allowed() -> None:
    race, luck = race_of("a", "b", "c"), iter(range(100))
    tried: list[tuple[str, int]] = []

    def trial(way: Way, luck: int) -> float:
        tried.append((way.chain[0], luck))
        return luck % 3 * (1.0 if way.chain[0] == "a" else 0.9)

    race.run(trial, lambda: next(luck), lambda number: number < 17)
    assert tried == [(name, number) for number in range(6) for name in "abc"][:17]
    assert [len(way.brought) for way in race.left] == [5, 5, 5], "what was not tried in all ways does not count"


def test_it_ends_when_only_one_next_action_is_left() -> None:
    race, luck = race_of("ab", "ba", "aa"), iter(range(100))
    worth = {"a": 1.0, "b": 0.0}
    race.run(lambda way, luck: worth[way.chain[0]] + luck % 2, lambda: next(luck), lambda number: True)
    assert {way.chain[0] for way in race.left} == {"a"}
    assert next(luck) == TERMS.enough


def test_a_turn_that_was_compared_is_played_to_its_end() -> None:
    game, state = begun("geishas_road", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    search = Search(game, seat, 1)
    while game.actor(state) == seat:
        search.think(state, Budget(iterations=40), time.monotonic)
        action = search.answer(state)
        assert action in game.legal(state)
        game.apply(state, action, tell=False)
    assert search.race
    assert [way.chain for way in search.race.left] == [[]] * len(search.race.left)
