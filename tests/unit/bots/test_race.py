"""Whole turns against each other: as long as there is doubt about the next action, in the same deals."""

import time

from services.bots.search.race import Candidate, Race, Terms
from services.bots.search.search import Search
from services.platform.pool.levels import Budget
from tests.unit.bots.test_search import begun

TERMS = Terms(compared=8, enough=6, clearly=2.0)
BEST = [0.3, 0.9, -0.5, 0.2, 0.4, 0.1]


def compared(*others: list[float], little: float = 0.0) -> Race:
    """A race that the first way leads; the others have brought these."""
    race = Race([Candidate(0.0, [name]) for name in "abcd"[: len(others) + 1]], TERMS, little)
    for way, brought in zip(race.left, [BEST, *others], strict=True):
        way.values = brought
    race._compare()
    return race


def test_a_way_drops_out_when_luck_cannot_explain_how_far_it_is_behind() -> None:
    behind = [value - 0.2 - number / 50 for number, value in enumerate(BEST)]
    near = [0.9, 0.3, -0.8, 0.6, 0.1, 0.2]
    assert [way.values for way in compared(near, behind).left] == [BEST, near]


def test_the_next_action_is_in_doubt_while_much_may_be_lost_by_it() -> None:
    near = [0.9, 0.3, -0.8, 0.6, 0.1, 0.2]
    assert compared(near, little=0.1).undecided
    assert not compared(near, little=0.5).undecided, "that is little"
    assert not compared(BEST).undecided, "they come to the same"
    assert not compared(near, little=0.25).undecided
    assert compared(near, near, near, little=0.25).undecided, "each of them may be the best"


def race_of(*chains: str) -> Race:
    """Each promises less than the one before it."""
    return Race([Candidate(-number / 10, list(chain)) for number, chain in enumerate(chains)], TERMS)


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

    def trial(way: Candidate, luck: int) -> float:
        tried.append((way.chain[0], luck))
        return luck % 3 * (1.0 if way.chain[0] == "a" else 0.9)

    race.run(trial, lambda: next(luck), lambda number: number < 17)
    assert tried == [(name, number) for number in range(6) for name in "abc"][:17]
    assert [len(way.values) for way in race.left] == [5, 5, 5], "what was not tried in all ways does not count"


def test_it_ends_when_only_one_next_action_is_left() -> None:
    race, luck = race_of("ab", "ba", "aa"), iter(range(100))
    worth = {"a": 1.0, "b": 0.0}
    race.run(lambda way, luck: worth[way.chain[0]] + luck % 2, lambda: next(luck), lambda number: True)
    assert {way.chain[0] for way in race.left} == {"a"}
    assert next(luck) == TERMS.enough


def test_a_wider_budget_compares_more_turns() -> None:
    game, state = begun("geishas_road", 0, 0)
    seat = game.actor(state)
    assert seat is not None
    compared = []
    for width in (1, 2):
        search = Search(game, seat, 1)
        search.think(state, Budget(iterations=1, width=width), time.monotonic)
        assert search.race
        compared.append(len(search.race.left))
    assert compared == [16, 32]


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
