"""The Pu-erh market: tokens, sets and cakes (PE-21…)."""

import pytest

from services.engine import registry
from services.games.tea_garden.game import GAME
from services.games.tea_garden.pu_erh.components import (
    PU_ERH_IDS,
    PU_ERH_NUMBERS,
    STARS,
)
from services.games.tea_garden.scoring import cake_points
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    answer_all,
    answer_until,
    court_turn,
    leaves,
    line,
    offer_token,
    open_hall,
    options,
    own_set,
    play,
    question,
    refuse,
    sets,
    token,
)

CODEC = registry.codec("tea_garden")
GREEN, PINK = 0, 1


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
