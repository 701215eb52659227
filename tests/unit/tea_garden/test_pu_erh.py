"""The Pu-erh expansion: setup, the court, the market, decrees, scoring (PE-…)."""

import json
from collections import Counter
from typing import Any

import pytest
from msgspec import UNSET

from services.engine import registry
from services.engine.dice import Dice
from services.engine.registry import SERVICES
from services.tea_garden.components import CARAVAN_BASIC, CARD_NUMBERS, TOKEN_IDS
from services.tea_garden.court import close_halls, hall_ranking
from services.tea_garden.court_board import (
    DECREE_IDS,
    DECREE_KINDS,
    DECREE_SIDE,
    HALL_SPACES,
    PU_ERH_IDS,
    PU_ERH_NUMBERS,
    STARS,
)
from services.tea_garden.game import GAME
from services.tea_garden.scoring import cake_points, counted, final_lines
from services.tea_garden.state import OVER, QUESTIONS, TURN_START, Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    SEED,
    answer_all,
    at_start,
    cards,
    garden,
    in_turn,
    kinds,
    leaves,
    new_game,
    offer_caravan,
    offer_token,
    open_hall,
    options,
    own_cups,
    own_set,
    play,
    proclaim,
    question,
    refuse,
    rich_turn,
    token,
)

CODEC = registry.codec("tea_garden")
GREEN, PINK = 0, 1


def court_turn(top: str = "S07", strength: int = 9, **more: Any) -> tuple[State, Player]:
    """Seat 0 in an open turn of a game with the expansion."""
    return in_turn(top, strength=strength, pu_erh=True, **more)


def sets(p: Player) -> list[list[str]]:
    return [[PU_ERH_IDS[one] for one in own] for own in p.sets]


def line(s: State, seat: int, label: str) -> int:
    [points] = [one.points for one in final_lines(s, seat) if one.label == label]
    return points


# Setup.


def test_pe_101_the_added_pieces_are_mixed_in() -> None:
    on_map: set[str] = set()
    dealt: set[int] = set()
    for seed in range(30):
        s = new_game(2, bytes([seed]) * 32, pu_erh=True)
        account(s)
        assert sum(one >= 0 for one in s.tokens) == 15
        on_map |= {TOKEN_IDS[one] for one in s.tokens if one >= 0}
        assert CARD_NUMBERS["E17"] in s.emperor_row + s.emperor_deck
        order = [CARAVAN_BASIC[caravan] for caravan in s.caravan_row + s.caravan_deck[::-1]]
        assert order == [True] * 7 + [False] * 19
        dealt |= set(s.caravan_row)
    assert {"B19", "B20"} <= on_map
    assert any(caravan >= 30 for caravan in dealt)


def test_pe_101_the_base_game_knows_nothing_of_it() -> None:
    s = new_game(4)
    assert CARD_NUMBERS["E17"] not in s.emperor_row + s.emperor_deck
    assert s.players[0].turn_spaces == 4
    assert GAME.view(s, 0).pu_erh is UNSET and b"pu_erh" not in CODEC.view(s, 0)
    account(s)


def test_pe_102_three_tokens_of_each_kind_lie_open() -> None:
    s = new_game(3, pu_erh=True)
    shown = GAME.view(s, None).pu_erh
    assert shown is not None
    assert (len(shown.basic_row), shown.basic_pile) == (3, 9)
    assert (len(shown.premium_row), shown.premium_pile) == (3, 27)
    assert all(name.startswith("PB") for name in shown.basic_row)
    assert all(name.startswith("PP") for name in shown.premium_row)


@pytest.mark.parametrize(("players", "halls"), [(2, 2), (3, 3), (4, 3)])
def test_pe_103_halls_for_the_number_of_players(players: int, halls: int) -> None:
    s = new_game(players, pu_erh=True)
    assert len(s.court.halls) == halls and len(s.court.hall_deck) == 15 - halls


def test_pe_104_two_easy_and_two_hard_decrees() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(40):
        s = new_game(2, bytes([seed]) * 32, pu_erh=True)
        in_play = [(DECREE_IDS[one], DECREE_SIDE[one]) for one in s.court.decrees]
        assert [side for _, side in in_play] == ["brown", "brown", "red", "red"]
        assert len({name for name, _ in in_play}) == 4
        seen.update(in_play)
    assert len(seen) == 14


def test_pe_105_messengers_and_a_fifth_turn_space_that_costs_as_the_fourth() -> None:
    s, p = at_start(("S01", "S02"), stacks=4, pu_erh=True, leaves=leaves(fresh={1: 2}, fermented={1: 1}))
    assert (p.messengers, p.waiting, p.turn_spaces) == (2, 2, 5)
    play(s, do.LayTop("S01"), do.Done())
    assert len(p.stacks) == 5 and not any(p.leaves)
    s, p = at_start(("S01",), stacks=4, pu_erh=True, leaves=leaves(fresh={1: 9}))
    assert not options(s, do.LayTop)
    s, p = at_start(("S01",), stacks=5, pu_erh=True, leaves=leaves(fermented={1: 9}))
    assert not options(s, do.LayTop)
    s, p = at_start(("S01",), stacks=4, leaves=leaves(fermented={1: 9}))
    assert not options(s, do.LayTop)  # the base game has no fifth space


def test_pe_105_ru_46_the_fifth_space_comes_after_the_fourth() -> None:
    s, p = at_start(("S01", "S02"), stacks=3, pu_erh=True, leaves=leaves(fermented={1: 6}))
    play(s, do.LayTop("S01"), do.Done())
    assert len(p.stacks) == 4 and sum(p.leaves) == 3


# The court.


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


# The market.


@pytest.mark.parametrize(("strength", "tokens"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (9, 3)])
def test_pe_211_tokens_by_strength(strength: int, tokens: int) -> None:
    s, p = court_turn(strength=strength, leaves=leaves(fermented={1: 30}))
    for position, name in enumerate(("PP13", "PP22", "PP28"), 1):
        offer_token(s, name, position)
    play(s, do.VisitMarket(0))
    refuse(s, do.Done())  # at least one
    bought = 0
    while question(s) == "market":
        play(s, options(s, do.BuyPuErh)[0])
        bought += 1
        answer_all(s)
    assert bought == tokens == sum(map(len, p.sets)) and question(s) == "open"
    assert s.court.purchases == 0 and not options(s, do.VisitMarket)
    account(s)


def test_pe_211_the_player_may_stop_and_scrolls_are_spent_at_once() -> None:
    s, p = court_turn(strength=2, scrolls=[4, 0, 0], leaves=leaves(fresh={1: 20}))
    for position, name in enumerate(("PP13", "PP14", "PP15"), 1):
        offer_token(s, name, position)
    assert options(s, do.VisitMarket) == [do.VisitMarket(0), do.VisitMarket(1), do.VisitMarket(3)]
    refuse(s, do.VisitMarket(2))
    play(s, do.VisitMarket(3))
    assert p.scrolls == [1, 0, 0] and s.court.purchases == 3
    play(s, do.BuyPuErh("PP13"), do.Done())
    assert question(s) == "open" and sets(p) == [["PP13"]] and s.court.purchases == 0


def test_pe_211_without_strength_or_leaves_there_is_no_market() -> None:
    s, p = court_turn(strength=0, leaves=leaves(fermented={1: 9}))
    assert not options(s, do.VisitMarket)
    s.strength = 5
    assert options(s, do.VisitMarket)
    p.leaves = leaves()
    assert not options(s, do.VisitMarket)
    refuse(s, do.VisitMarket(0))


def test_pe_211_ru_41_a_refilled_token_may_be_bought_in_the_same_action() -> None:
    s, p = court_turn(strength=3, leaves=leaves(fermented={1: 20}))
    offer_token(s, "PP01")
    offer_token(s, "PP04", 2)
    under = s.court.premium_deck[-1]
    play(s, do.VisitMarket(0), do.BuyPuErh("PP04"))
    assert s.court.premium_row[1] == under
    play(s, do.BuyPuErh(PU_ERH_IDS[under]))
    answer_all(s)
    assert [one[0] for one in sets(p)] == ["PP04", PU_ERH_IDS[under]]


def test_pe_211_ru_56_a_bonus_may_help_to_pay_the_next_token() -> None:
    s, p = court_turn(strength=3, leaves=leaves(fresh={3: 3, 4: 1}))
    offer_token(s, "PP01", 1)
    offer_token(s, "PP16", 2)
    offer_token(s, "PP28", 3)
    s.court.premium_deck.remove(PU_ERH_NUMBERS["PP02"])
    s.court.premium_deck.append(PU_ERH_NUMBERS["PP02"])
    play(s, do.VisitMarket(0), do.BuyPuErh("PP01"))
    answer_all(s)
    assert p.leaves == leaves(fresh={1: 2, 4: 1}) or p.leaves == leaves(fresh={1: 2, 3: 1})
    play(s, do.BuyPuErh("PP16"))
    assert sets(p) == [["PP01"], ["PP16"]] and not any(p.leaves) and p.scrolls == [1, 0, 0]


def test_pe_212_pe_216_basic_tokens_are_free_and_refilled_or_lost() -> None:
    s, p = court_turn(leaves=leaves())
    open_hall(s, "H14")
    offer_token(s, "PB10", 2)
    under = s.court.basic_deck[-1]
    play(s, do.VisitCourt("H14", 6))
    assert len(options(s, do.TakePuErh)) == 3
    refuse(s, do.TakePuErh("PB99"))
    play(s, do.TakePuErh("PB10"))
    assert sets(p) == [["PB10"]] and p.leaves[1] >= 0 and s.court.basic_row[1] == under
    s, p = court_turn(leaves=leaves(fresh={1: 1}))
    open_hall(s, "H14")
    s.court.basic_row, s.court.basic_deck = [-1, -1, -1], []
    play(s, do.VisitCourt("H14", 6))
    assert question(s) == "ferment" and not p.sets


def test_pe_212_a_basic_token_may_be_declined() -> None:
    s, p = court_turn()
    token(s, 7, "B19")
    play(s, do.Found(7))
    if question(s) != "pu_erh_basic":
        answer_until(s, "pu_erh_basic")
    play(s, do.Decline())
    assert question(s) == "open" and not p.sets
    account(s)


def answer_until(s: State, wanted: str) -> None:
    while question(s) != wanted:
        play(s, GAME.legal(s)[0])


def test_pe_213_alone_its_own_bonus_joined_those_of_the_whole_set() -> None:
    s, p = court_turn(strength=1, leaves=leaves(fresh={1: 2}))
    own_set(s, p, "PP04", "PB01")
    offer_token(s, "PP13")
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"))
    assert GAME.legal(s) == [do.PlacePuErh(0), do.PlacePuErh(1)]
    alone = GAME.clone(s)
    play(alone, do.PlacePuErh(0))
    assert alone.players[0].leaves == leaves(fresh={2: 1}) and alone.players[0].tokens == 0
    told = play(s, do.PlacePuErh(1))
    assert p.leaves == leaves(fresh={1: 1, 2: 1}) and p.tokens == 1
    assert do.PuErhPlaced(0, "PP13", 1, True) in told and sets(p) == [["PP04", "PB01", "PP13"]]


def test_pe_213_a_cake_is_closed() -> None:
    s, p = court_turn(strength=1, leaves=leaves(fresh={1: 2}))
    own_set(s, p, "PP04", "PB01", "PB02")
    offer_token(s, "PP13")
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"))
    assert sets(p) == [["PP04", "PB01", "PB02"], ["PP13"]] and question(s) == "open"


def test_pe_214_two_tokens_of_one_turn_never_lie_in_one_set() -> None:
    s, p = court_turn(strength=5, leaves=leaves(fresh={1: 6}))
    own_set(s, p, "PB07")
    for position, name in enumerate(("PP13", "PP14", "PP15"), 1):
        offer_token(s, name, position)
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"), do.PlacePuErh(1))
    answer_all(s)
    play(s, do.BuyPuErh("PP14"))
    answer_all(s)
    assert sets(p) == [["PB07", "PP13"], ["PP14"]] and question(s) == "market"  # alone, without a question
    shown = GAME.view(s, 0).pu_erh
    assert shown is not None and shown.young_sets == [1, 2]
    play(s, do.Done(), do.EndTurn())
    assert s.court.young == 0  # in a later turn they may be joined


def test_pe_215_basic_and_premium_tokens_mix() -> None:
    s, p = court_turn(leaves=leaves())
    own_set(s, p, "PP04", "PP07")
    token(s, 7, "B20")
    offer_token(s, "PB10")
    play(s, do.Found(7))
    answer_until(s, "pu_erh_basic")
    play(s, do.TakePuErh("PB10"), do.PlacePuErh(1))
    assert sets(p) == [["PP04", "PP07", "PB10"]]


def test_pe_216_an_empty_pile_leaves_a_gap() -> None:
    s, p = court_turn(strength=5, leaves=leaves(fresh={1: 9}))
    offer_token(s, "PP13")
    s.court.premium_deck = []
    told = play(s, do.VisitMarket(0), do.BuyPuErh("PP13"))
    assert s.court.premium_row[0] == -1 and do.Revealed("premium", 1, "") in told
    assert all(action.token != "PP13" for action in options(s, do.BuyPuErh))
    shown = GAME.view(s, 0).pu_erh
    assert shown is not None and shown.premium_row[0] == ""
    assert sets(p) == [["PP13"]]


# The end of a round.


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


# Decrees.


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


# Examples and scoring.


def test_ex_22_basic_token_from_a_region() -> None:
    """PE-212, PE-213."""
    s, p = court_turn(leaves=leaves())
    token(s, 7, "B19")
    offer_token(s, "PB01", 2)
    play(s, do.Found(7))
    answer_until(s, "pu_erh_basic")
    under = s.court.basic_deck[-1]
    play(s, do.TakePuErh("PB01"))
    assert p.leaves == leaves(fresh={1: 1}) and sets(p) == [["PB01"]]
    assert s.court.basic_row[1] == under


def test_ex_23_market() -> None:
    """PE-211, PE-213, PE-214."""
    s, p = court_turn(strength=3, leaves=leaves(fresh={2: 3}, fermented={3: 2}))
    p.hand, p.discard = [], []
    own_set(s, p, "PB04", "PB07")
    offer_token(s, "PP01", 1)
    offer_token(s, "PP04", 2)
    play(s, do.VisitMarket(0), do.BuyPuErh("PP01"), *[do.Pay(2, False)] * 2, do.PlacePuErh(0))
    assert p.leaves == leaves(fresh={1: 2}, fermented={3: 2})
    play(s, do.BuyPuErh("PP04"), do.PlacePuErh(1))
    assert p.leaves == leaves(fresh={1: 2}) and p.tokens == 1
    play(s, do.Resolve("draw_discard", 1))
    assert len(p.discard) == 1
    play(s, do.FermentLeaf(1))
    assert p.leaves == leaves(fresh={1: 1}, fermented={1: 1})
    assert sets(p) == [["PB04", "PB07", "PP04"], ["PP01"]] and question(s) == "open"


def test_ex_23_joining_both_new_tokens_to_one_set_is_illegal() -> None:
    s, p = court_turn(strength=3, leaves=leaves(fresh={2: 3}, fermented={3: 2}))
    own_set(s, p, "PB10")
    offer_token(s, "PP01", 1)
    offer_token(s, "PP04", 2)
    play(s, do.VisitMarket(0), do.BuyPuErh("PP04"), do.PlacePuErh(1), do.BuyPuErh("PP01"))
    answer_all(s)
    assert sets(p) == [["PB10", "PP04"], ["PP01"]]


def test_ex_24_cakes() -> None:
    """PE-401: 3 stars times 5 points; nothing for an incomplete set; nothing without stars or points."""
    s, p = court_turn()
    own_set(s, p, "PP04", "PP07", "PP05")
    assert [sum(STARS[one] for one in own) for own in p.sets] == [3]
    own_set(s, p, "PP28", "PP29")
    assert cake_points(p) == 15
    own_set(s, p, "PB01", "PB02", "PP13")
    own_set(s, p, "PB04", "PB05", "PP22")
    assert cake_points(p) == 15 and line(s, 0, "cakes") == 15


def test_pe_402_the_points_of_decrees_count_at_the_end() -> None:
    s, p = court_turn()
    proclaim(s, ("D1", "brown"), ("D3", "red"))
    s.court.honours = [[1, 0], [0, 1]]
    assert (line(s, 0, "decrees"), line(s, 1, "decrees")) == (2 + 8, 4 + 5)
    assert p.vp == 0


@pytest.mark.parametrize(("number", "points"), [(0, 0), (1, 5), (4, 20), (5, 20)])
def test_pe_403_tg_912_the_added_emperor_card_counts_cakes(number: int, points: int) -> None:
    s, p = court_turn()
    p.sets = [[0, 1, 2]] * number + [[3, 4]]
    p.hand = cards("E17")
    assert counted(p, p.hand, "pu_erh_cake") == number
    assert line(s, 0, "emperor_cards") == points


# Information.


def test_what_is_hidden_is_dealt_anew_and_the_view_stays() -> None:
    """PE-102, PE-103, TG-952."""
    s = new_game(3, pu_erh=True)
    changed = 0
    for number in range(5):
        other = GAME.redeal(s, 0, Dice(bytes([number]) * 32))
        account(other)
        assert CODEC.view(other, 0) == CODEC.view(s, 0)
        changed += other.court.premium_deck != s.court.premium_deck
        changed += other.court.basic_deck != s.court.basic_deck
        changed += other.court.hall_deck != s.court.hall_deck
    assert changed == 15
    before = CODEC.view(s, None)
    for deck in (s.court.premium_deck, s.court.basic_deck, s.court.hall_deck):
        deck.reverse()
    assert CODEC.view(s, None) == before


def test_the_same_seed_deals_the_same_court() -> None:
    one, two = new_game(seed=SEED, pu_erh=True), new_game(seed=SEED, pu_erh=True)
    assert CODEC.encode(one) == CODEC.encode(two)
    assert CODEC.encode(CODEC.decode(CODEC.encode(one))) == CODEC.encode(one)


def test_cup_links_and_cakes_give_the_piece_in_question() -> None:
    s, p = court_turn(strength=1, leaves=leaves(fresh={1: 1, 2: 1, 3: 1}))
    own_cups(s, p, "T01", "T02")
    own_set(s, p, "PB01")
    offer_token(s, "PP13")
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"))
    view = GAME.view(s, 0).turn
    assert (view.paying_for, view.piece) == ("pu_erh", "PP13")
    answer_until(s, "place_pu_erh")
    assert GAME.view(s, 0).turn.piece == "PP13"
    proclaim(s, ("D5", "brown"))
    p.caravans = [0, 1, 2]
    play(s, do.PlacePuErh(0))
    assert (question(s), GAME.view(s, 0).turn.piece) == ("decree_space", "D5")


@pytest.mark.parametrize("seats", [["player", "player"], ["player", "lu_yu"]])
def test_everything_a_player_reads_has_a_text(seats: list[str]) -> None:
    s = GAME.new(seats, do.Options(pu_erh=True), SEED)
    shown = GAME.view(s, None).pu_erh
    assert shown is not None
    texts = json.loads((SERVICES / "tea_garden" / "texts.json").read_text(encoding="utf-8"))
    keys = [f"score.{one.label}" for seat in range(len(s.players)) for one in final_lines(s, seat)]
    keys += [f"question.{one}" for one in QUESTIONS] + [f"decree.{one}" for one in (*DECREE_KINDS, "brown", "red")]
    keys += [f"display.{one}" for one in ("basic", "premium", "hall")] + ["reward.pu_erh_basic", "option.pu_erh"]
    keys += [f"why.{one}" for one in ("no_messenger", "no_hall_space", "hall_priority", "no_pu_erh", "market_order")]
    for language in ("en", "pl"):
        assert [key for key in keys if not texts[language].get(key)] == []
