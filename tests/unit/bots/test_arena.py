"""The arena: its figures, its table, its picture."""

from argparse import Namespace
from pathlib import Path

import pytest

from services.bots.arena import Result, game_number, interval, plot, table


def test_wilsons_interval() -> None:
    assert interval(0.5, 100) == pytest.approx((0.404, 0.596), abs=0.001)
    low, high = interval(1.0, 20)
    assert (low, high) == pytest.approx((0.839, 1.0), abs=0.001)


def test_a_game_is_the_same_again() -> None:
    games = [game_number("geishas_road", "search:5", "greedy", 2, {}, 3) for _ in range(2)]
    first, second = ((result.share, result.score, result.others, result.decisions) for result in games)
    assert first == second


def test_a_deal_is_played_from_both_seats() -> None:
    first, second = (game_number("geishas_road", "random", "random", 2, {}, number) for number in (4, 5))
    assert (first.score, first.others) == (second.others, second.score)
    assert (first.score, first.others) != game_number("geishas_road", "random", "random", 2, {}, 6)[1:3]


def test_an_automa_keeps_the_last_seat() -> None:
    result = game_number("tea_garden", "random", "lu_yu", 2, {"difficulty": "master"}, 1)
    assert result.decisions > 0
    assert result.others > result.score


def test_table_and_picture(tmp_path: Path) -> None:
    asked = Namespace(game="geishas_road", a="easy", b="greedy", seats=2, options={}, games=3)
    results = [Result(1.0, 20, 10.0, 0.3, 3), Result(0.0, 12, 18.0, 0.3, 3), Result(1.0, 16, 14.0, 0.3, 3)]
    lines = table(asked, results).splitlines()
    assert "easy wins 66.7 % of 3 games against greedy (95 %: 20.8 to 93.9), 100 ms a decision" in lines[0]
    assert lines[2].split() == ["easy", "16.0", "12.0", "12.0", "16.0", "20.0", "20.0"]
    picture = tmp_path / "new" / "scores.png"
    plot(asked, results, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
