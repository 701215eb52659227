"""The arena: its figures, its table, its picture, its record; and whom it takes."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from services.bots.arena.matches import Result, check, game_number, interval, plot, record, recorded, table
from services.engine.codec import Malformed
from services.engine.game import BadOptions


def test_wilsons_interval() -> None:
    assert interval(0.5, 100) == pytest.approx((0.404, 0.596), abs=0.001)
    low, high = interval(1.0, 20)
    assert (low, high) == pytest.approx((0.839, 1.0), abs=0.001)


def test_a_game_is_the_same_again() -> None:
    games = [game_number("geishas_road", "medium:5", "greedy", 2, {}, 3) for _ in range(2)]
    first, second = ((result.share, result.score, result.others, result.decisions) for result in games)
    assert first == second


def test_a_deal_is_played_from_both_seats() -> None:
    first, second = (game_number("geishas_road", "random", "random", 2, {}, number) for number in (4, 5))
    assert (first.score, first.others) == (second.others, second.score)
    other = game_number("geishas_road", "random", "random", 2, {}, 6)
    assert (first.score, first.others) != (other.score, other.others)


def test_an_automa_keeps_the_last_seat() -> None:
    result = game_number("tea_garden", "random", "lu_yu", 2, {"difficulty": "master"}, 1)
    assert result.decisions > 0
    assert result.others > result.score


def test_table_and_picture(tmp_path: Path) -> None:
    asked = Namespace(game="geishas_road", a="easy", b="greedy", seats=2, options={}, games=3)
    results = [
        Result(0, 1.0, 20, 10.0, 0.3, 3),
        Result(1, 0.0, 12, 18.0, 0.3, 3),
        Result(2, 1.0, 16, 14.0, 0.3, 3),
    ]
    lines = table(asked, results).splitlines()
    assert "easy wins 66.7 % of 3 games against greedy (95 %: 20.8 to 93.9), 100 ms a decision" in lines[0]
    assert lines[2].split() == ["easy", "16.0", "12.0", "14.0", "16.0", "18.0", "20.0"]
    picture = tmp_path / "new" / "scores.png"
    plot(asked, results, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def asked(**other: Any) -> Namespace:
    usual = {
        "game": "tea_garden",
        "a": "search:5",
        "b": "lu_yu",
        "seats": 2,
        "options": {},
        "weights": "",
        "first": 10,
        "games": 3,
        "workers": 1,
    }
    return Namespace(**usual | other)


def test_who_can_play() -> None:
    for name, level in (("search", "medium"), ("search:5", "medium:5"), ("hard:7", "hard:7"), ("greedy", "greedy")):
        tournament = asked(a=name)
        check(tournament)
        assert tournament.a == level


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"a": "grandmaster"}, "there is no player 'grandmaster'; tea_garden has random, greedy"),
        ({"a": "greedy:5"}, "'greedy:5' is no player"),
        ({"a": "medium:many"}, "'medium:many' is no player"),
        ({"games": 0}, "at least one game"),
        ({"workers": 0}, "one worker"),
        ({"seats": 9}, "Lu Yu plays against one player"),
        ({"options": {"difficulty": "none"}}, 'expected one of "easy"'),
        ({"weights": '{"TEAPOTS": 1.0}'}, "tea_garden has no weight TEAPOTS"),
        ({"weights": "3"}, "expected an object of names and values"),
    ],
)
def test_what_cannot_be_played_is_told_before_the_first_game(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, BadOptions, Malformed), match=said):
        check(asked(**wrong))


def test_a_tournament_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    file = tmp_path / "new" / "games.jsonl"
    before, mine = asked(b="greedy", record=file), asked(record=file)
    assert recorded(mine) == []
    games = [Result(number, 0.5, 20, 10.5, 0.25, 3) for number in (9, 10, 12, 13)]
    record(before, games[1])
    for result in (*games, games[2]):
        record(mine, result)
    assert recorded(mine) == games[1:3], "those of this pairing and of these numbers"
    assert recorded(asked(record=file, weights='{"TEAPOT": 1.0}')) == []
