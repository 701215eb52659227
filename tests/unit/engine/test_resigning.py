"""Results of games that somebody gave up."""

import pytest

from services.engine.resigning import ends_it, given_up, resigned_last


@pytest.mark.parametrize(
    ("kinds", "resigned", "over"),
    [
        (["player", "player"], [0], True),
        (["player", "player", "player"], [0], False),
        (["player", "player", "player"], [0, 2], True),
        (["player", "bot"], [0], True),
        (["player", "bot", "bot"], [0], True),
        (["player", "player", "bot"], [0], False),
        (["player", "player", "bot"], [0, 1], True),
        (["player", "automa"], [0], True),
        (["player", "player"], [], False),
    ],
)
def test_a_game_ends_when_one_seat_or_no_person_is_left(kinds: list[str], resigned: list[int], over: bool) -> None:
    assert ends_it(kinds, resigned) is over


@pytest.mark.parametrize(
    ("places", "resigned", "moved"),
    [
        ([1, 2], [0], [2, 1]),
        ([2, 1, 3], [1], [1, 3, 2]),
        ([1, 1, 3], [0], [3, 1, 2]),
        ([3, 1, 1], [0], [3, 1, 1]),
        ([1, 2, 3, 4], [0, 2], [3, 1, 3, 2]),
        ([1, 2], [], [1, 2]),
    ],
)
def test_who_resigned_comes_last_and_the_others_move_up(
    places: list[int], resigned: list[int], moved: list[int]
) -> None:
    outcome = {"places": places, "scores": [7] * len(places), "breakdown": [], "reason": "points"}
    assert resigned_last(outcome, resigned) == {**outcome, "places": moved}


def test_a_game_that_was_given_up_has_no_points() -> None:
    outcome = {"places": [3, 1, 1], "scores": [0, 0, 0], "breakdown": [[], [], []], "reason": "resigned"}
    assert given_up(3, [0]) == outcome
