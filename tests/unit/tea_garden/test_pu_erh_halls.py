"""The imperial court of the Pu-erh expansion: messengers, halls and decrees (PE-20…, PE-3…)."""

from typing import Any

from services.engine import registry
from services.games.tea_garden.game import GAME
from services.games.tea_garden.pu_erh.components import (
    HALL_SPACES,
)
from services.games.tea_garden.pu_erh.halls import close_halls, hall_ranking
from services.games.tea_garden.state import OVER, TURN_START, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    answer_all,
    answer_until,
    at_start,
    cards,
    court_turn,
    garden,
    kinds,
    leaves,
    line,
    new_game,
    offer_caravan,
    open_hall,
    options,
    play,
    proclaim,
    question,
    refuse,
    rich_turn,
    token,
)

CODEC = registry.codec("tea_garden")
GREEN, PINK = 0, 1


def test_pe_201_a_messenger_goes_to_a_space_within_the_strength() -> None:
    s, p = court_turn(strength=3, leaves=leaves())
    open_hall(s, "H15")
    assert {a.strength for a in options(s, do.VisitCourt) if a.hall == "H15"} == {3, 2, 1}
    refuse(s, do.VisitCourt("H15", 4))
    refuse(s, do.VisitCourt("H99", 1))
    refuse(s, do.VisitCourt("H15", 5))
    play(s, do.VisitCourt("H15", 2))
    assert p.messengers == 1 and s.court.spaces[0] == [-1, -1, -1, 0, -1]
    assert p.tokens == 1 and p.scrolls == [0, 1, 0] and s.main_used
    refuse(s, do.VisitCourt("H15", 1))
    account(s)


def test_pe_201_strength_scrolls_are_spent_for_the_space() -> None:
    s, p = court_turn(strength=3, scrolls=[2, 0, 0])
    open_hall(s, "H11")
    refuse(s, do.VisitCourt("H11", 6))
    play(s, do.VisitCourt("H11", 4))
    assert p.scrolls == [1, 0, 0] and p.vp == 4


def test_pe_201_the_parts_of_a_reward_come_in_any_order() -> None:
    s, p = rich_turn(pu_erh=True)
    open_hall(s, "H10")
    play(s, do.VisitCourt("H10", 1))
    assert {a.reward for a in options(s, do.Resolve)} == {"remove_card", "draw"}
    hand = len(p.hand)
    play(s, do.Resolve("draw", 1))
    assert len(p.hand) == hand + 1 and question(s) == "remove"


def test_pe_202_one_messenger_per_space_several_per_hall_and_none_without() -> None:
    s, p = court_turn()
    assert HALL_SPACES == (6, 4, 3, 2, 1)
    open_hall(s, "H08")
    s.court.spaces[0] = [1, 0, -1, -1, -1]
    s.players[1].messengers -= 1
    p.messengers = 1
    refuse(s, do.VisitCourt("H08", 6))
    refuse(s, do.VisitCourt("H08", 4))
    play(s, do.VisitCourt("H08", 3))
    assert s.court.spaces[0] == [1, 0, 0, -1, -1] and p.messengers == 0
    s.main_used = False
    assert not options(s, do.VisitCourt)
    refuse(s, do.VisitCourt("H08", 2))


def occupy_hall(s: State, place: int, **seats: list[int]) -> None:
    for name, strengths in seats.items():
        seat = {"green": GREEN, "pink": PINK, "third": 2}[name]
        for strength in strengths:
            s.court.spaces[place][HALL_SPACES.index(strength)] = seat
            s.players[seat].messengers -= 1


def test_ex_21_hall() -> None:
    """PE-301."""
    s = new_game(pu_erh=True)
    occupy_hall(s, 0, pink=[4, 2], green=[6])
    close_halls(s, None)
    assert [p.vp for p in s.players] == [5, 2]
    assert [p.messengers for p in s.players] == [2, 2]


def test_pe_301_the_highest_sum_wins_and_a_tie_for_second_is_broken_too() -> None:
    s = new_game(3, pu_erh=True)
    occupy_hall(s, 0, pink=[4, 3], green=[6], third=[2, 1])
    close_halls(s, None)
    assert [p.vp for p in s.players] == [2, 5, 0]
    s = new_game(3, pu_erh=True)
    occupy_hall(s, 1, pink=[6], green=[2, 1], third=[3])
    told: list[Any] = []
    close_halls(s, told)
    assert [p.vp for p in s.players] == [0, 5, 2]
    hall = GAME.view(new_game(3, pu_erh=True), None).pu_erh
    assert hall is not None
    scored = [event.public for event in told if isinstance(event.public, do.HallScored)]
    assert scored == [
        do.HallScored(PINK, hall.halls[1].hall, 1, 6, 5),
        do.HallScored(2, hall.halls[1].hall, 2, 3, 2),
    ]


def test_pe_301_ru_40_alone_in_a_hall_there_is_no_second() -> None:
    s = new_game(pu_erh=True)
    occupy_hall(s, 0, green=[1])
    close_halls(s, None)
    assert [p.vp for p in s.players] == [5, 0]
    assert hall_ranking([-1] * 5) == []


def test_pe_302_messengers_return_and_new_halls_open() -> None:
    """RU-39: before the upkeep; two halls for two players."""
    s = new_game(pu_erh=True)
    occupy_hall(s, 0, green=[6])
    old = s.court.halls.copy()
    told = play(s, do.PassRound(), do.PassRound())
    names = [type(event).__name__ for event in told]
    assert names.index("HallScored") < names.index("HallsClosed") < names.index("Dismissed") < names.index("Ripened")
    assert kinds(told)["HallsClosed"] == 1 and s.round == 2
    assert s.court.past_halls == old and len(s.court.halls) == 2 and not set(old) & set(s.court.halls)
    assert s.court.spaces == [[-1] * 5] * 2 and s.players[0].messengers == 2
    account(s)


def test_pe_301_pe_302_ru_38_halls_are_scored_after_the_last_round_too() -> None:
    s = new_game(pu_erh=True)
    for _ in range(4):
        play(s, do.PassRound(), do.PassRound())
    assert s.round == 5
    occupy_hall(s, 1, pink=[3])
    play(s, do.PassRound(), do.PassRound())
    assert s.question == OVER and s.players[PINK].vp == 5
    assert s.court.halls == [] and len(s.court.past_halls) == 10
    account(s)


def test_ex_25_decree() -> None:
    """PE-311, PE-312, RU-43, RU-57."""
    s, p = court_turn(strength=9, leaves=leaves(fresh={1: 20}))
    proclaim(s, ("D5", "brown"))
    p.caravans = [0, 1]
    offer_caravan(s, "C03")
    play(s, do.SellTea("C03", 1, 1))
    answer_until(s, "decree_space")
    assert GAME.legal(s) == [do.ChooseHonour("D5", 1), do.ChooseHonour("D5", 2)]
    refuse(s, do.ChooseHonour("D5", 3))
    refuse(s, do.ChooseHonour("D4", 1))
    told = play(s, do.ChooseHonour("D5", 2))
    assert do.DecreeFulfilled(0, "D5", 2, True) in told
    assert s.court.honours == [[-1, 0]] and (p.messengers, p.waiting) == (3, 1)
    assert line(s, 0, "decrees") == 2 and p.vp == line(s, 0, "during_game")


def test_ex_25_a_third_fulfiller_scores_nothing_there() -> None:
    """PE-311, PE-312, RU-43, RU-45."""
    s, p = court_turn("S01")
    proclaim(s, ("D1", "brown"))
    s.court.honours = [[1, 1]]
    p.boat = 4
    told = play(s, do.Sail())
    assert do.DecreeFulfilled(0, "D1", 0, True) in told and s.court.beside == [[0]]
    assert line(s, 0, "decrees") == 0 and (p.messengers, p.waiting) == (3, 1)


def test_pe_311_the_second_fulfiller_takes_the_space_that_is_left() -> None:
    s, p = court_turn("S01", leaves=leaves())
    proclaim(s, ("D1", "red"))
    s.court.honours = [[1, -1]]
    p.boat = 6
    play(s, do.Sail())
    answer_all(s)
    assert s.court.honours == [[1, 0]] and line(s, 0, "decrees") == 5


def test_pe_311_checked_before_the_cards_are_laid_too() -> None:
    s, p = at_start(("S01", "S02"), pu_erh=True, leaves=leaves(fresh={6: 1}), tokens=9, row=1)
    proclaim(s, ("D2", "brown"))
    play(s, do.StepEmperor())
    answer_until(s, "decree_space")
    play(s, do.ChooseHonour("D2", 1))
    answer_all(s)
    assert s.question == TURN_START and s.court.honours == [[0, -1]] and p.messengers == 3


def test_pe_312_at_most_two_messengers_come() -> None:
    s, p = court_turn("S01", leaves=leaves(fresh={1: 3}))
    proclaim(s, ("D1", "brown"), ("D4", "brown"), ("D5", "brown"))
    p.decrees, p.waiting, p.messengers = 0b110, 0, 4
    s.court.honours = [[1, -1], [0, -1], [0, -1]]
    p.boat = 4
    told = play(s, do.Sail())
    assert do.DecreeFulfilled(0, "D1", 2, False) in told and p.messengers == 4


def test_pe_312_the_new_messenger_is_usable_at_once() -> None:
    s, p = court_turn("S01", leaves=leaves(), messengers=0)
    proclaim(s, ("D1", "brown"))
    s.court.honours = [[1, -1]]
    p.boat = 4
    assert not options(s, do.VisitCourt)
    play(s, do.Sail())
    answer_all(s)
    assert options(s, do.VisitCourt)


def test_pe_314_each_decree_once_and_several_at_once() -> None:
    s, p = court_turn(leaves=leaves(fresh={1: 9}))
    proclaim(s, ("D1", "brown"), ("D4", "red"))
    garden(s, 0, 2)
    garden(s, 0, 3)
    garden(s, 0, 6)
    p.boat = 5
    token(s, 7, "B01")
    play(s, do.Found(7))
    answer_until(s, "decree_space")
    play(s, do.ChooseHonour("D1", 1), do.ChooseHonour("D4", 1))
    assert s.court.honours == [[0, -1], [0, -1]] and (p.messengers, p.waiting) == (4, 0)
    assert p.decrees == 0b11 and line(s, 0, "decrees") == 4 + 7
    p.stacks[-1] = cards("S01")
    told = play(s, do.Sail())
    assert not kinds(told)["DecreeFulfilled"]
