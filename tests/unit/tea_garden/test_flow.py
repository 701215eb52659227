"""Turns and rounds (TG-3xx)."""

import pytest

from services.games.tea_garden.components import CARD_NUMBERS, STRENGTH_SCROLL
from services.games.tea_garden.game import GAME
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import (
    at_start,
    cards,
    in_turn,
    leaves,
    names,
    new_game,
    offer_card,
    offer_emperor,
    offer_tile,
    options,
    own_cups,
    play,
    question,
    refuse,
    tiles,
)


def test_tg_301_turns_go_clockwise_from_the_first_player() -> None:
    s = new_game(3, first=1)
    order = []
    for _ in range(6):
        order.append(GAME.actor(s))
        play(s, options(s, do.LayTop)[0], do.Done(), do.EndTurn())
    assert order == [1, 2, 0, 1, 2, 0]


def test_tg_302_main_side_effects_and_free_actions_in_any_order() -> None:
    main, side, effect, free = do.Harvest(), do.Research("1a"), do.UseEffect(1), do.UseMarker(1, 1, "T01")
    for order in ([main, side, effect, free], [free, effect, side, main], [side, free, main, effect]):
        s, p = in_turn("A309", leaves=leaves())
        own_cups(s, p, "T01", "T02", markers=[1])
        play(s, *order)
        assert GAME.legal(s) == [do.EndTurn()]
        assert (p.vp, p.tokens, sum(p.leaves)) == (3, 1, 4)


def test_tg_302_free_actions_may_come_before_the_cards_are_laid_but_never_inside_a_step() -> None:
    s, p = at_start(("S01", "S03"))
    own_cups(s, p, "T01", "T02", markers=[2])
    play(s, do.UseMarker(1, 1, "T01"), do.LayTop("S03"))
    refuse(s, do.UseMarker(1, 1, "T01"))  # RU-60
    play(s, do.Done(), do.UseMarker(1, 1, "T02"))
    assert (p.vp, p.leaves[2]) == (3, 2)


def test_tg_303_who_passes_is_out_for_the_round() -> None:
    """RU-01."""
    s = new_game(2)
    play(s, do.PassRound())
    for _ in range(2):
        assert GAME.actor(s) == 1
        play(s, options(s, do.LayTop)[0], do.Done(), do.EndTurn())
    assert s.round == 1 and s.players[0].passed


def test_tg_303_without_cards_or_spaces_a_seat_passes_by_itself() -> None:
    s, _ = in_turn("S01", hand=(), stacks=0)
    s.players[1].hand = []
    events = play(s, do.EndTurn())
    assert do.Passed(1, True) in events and do.Passed(0, True) in events
    assert s.round == 2
    s, _p = in_turn("S01", hand=("S02", "S03"), stacks=3, leaves=leaves(fermented={3: 9}))
    s.players[1].passed = True
    assert do.Passed(0, True) in play(s, do.EndTurn())


def test_tg_303_who_cannot_pay_the_fourth_space_passes_unless_a_free_action_helps() -> None:
    s, p = in_turn("S01", hand=("S02",), stacks=2, leaves=leaves(fresh={2: 3}))
    s.players[1].passed = True
    assert do.Passed(0, True) in play(s, do.EndTurn())
    s, p = in_turn("S01", hand=("S02",), stacks=2, leaves=leaves(fresh={2: 3}))
    s.players[1].passed = True
    own_cups(s, p, "T01", "T07", markers=[1])
    play(s, do.EndTurn())
    assert set(GAME.legal(s)) == {do.PassRound(), do.UseMarker(1, 1, "T07")}


def test_tg_304_after_a_free_action_cards_must_be_laid() -> None:
    s, p = at_start(("S01",))
    own_cups(s, p, "T01", "T02", markers=[1])
    play(s, do.UseMarker(1, 1, "T01"))
    refuse(s, do.PassRound())
    assert GAME.legal(s) == [do.LayTop("S01")]
    assert GAME.view(s, 0).turn.must_lay


def test_tg_304_a_free_action_may_not_take_the_last_hand_card() -> None:
    """RU-07."""
    s, p = at_start(("S01",), leaves=leaves(fresh={3: 1}), tokens=2)
    offer_emperor(s, "E05", 1)
    play(s, do.StepEmperor(), do.Resolve("remove_card", 1))
    assert do.RemoveCard("S01", "hand") in GAME.legal(s)  # the emperor card that follows is a certain card
    s, p = at_start(("S01",), leaves=leaves(fresh={4: 1}), tokens=2, row=3)
    play(s, do.StepEmperor(), do.Resolve("remove_card", 1))
    refuse(s, do.RemoveCard("S01", "hand"))
    assert do.RemoveCard(names(sorted(p.deck))[0], "deck") in GAME.legal(s)


def test_tg_304_a_free_action_may_not_spend_the_leaves_of_the_fourth_space() -> None:
    s, p = at_start(("S01",), stacks=3, leaves=leaves(fresh={1: 2}, fermented={1: 1}), tokens=2)
    refuse(s, do.StepEmperor())
    p.leaves = leaves(fresh={1: 3}, fermented={1: 1})
    play(s, do.StepEmperor())
    assert GAME.legal(s) == [do.Pay(1, False)]  # the fermented leaf is needed


def test_tg_304_several_free_actions_in_a_row_may_make_a_turn_possible() -> None:
    """RU-08: two leaves by one marker, fermented by the next."""
    s, p = in_turn("S01", hand=("S02",), stacks=2, leaves=leaves(fresh={2: 1}))
    s.players[1].passed = True
    own_cups(s, p, "T02", "T07", markers=[2])
    play(s, do.EndTurn())
    assert not p.passed
    play(s, do.UseMarker(1, 1, "T02"), do.UseMarker(1, 1, "T07"), do.FermentLeaf(3))
    play(s, do.Done(), do.LayTop("S02"))
    assert question(s) == "open" and len(p.stacks) == 4
    one, p = in_turn("S01", hand=("S02",), stacks=2, leaves=leaves(fresh={2: 1}))
    one.players[1].passed = True
    own_cups(one, p, "T02", "T07", markers=[1])
    assert do.Passed(0, True) in play(one, do.EndTurn())


def test_tg_304_a_drawn_card_is_certain_only_if_there_is_one() -> None:
    s, p = in_turn("S01", hand=())
    s.players[1].passed = True
    own_cups(s, p, "T01", "T05", markers=[1])
    play(s, do.EndTurn())
    assert GAME.legal(s) == [do.PassRound(), do.UseMarker(1, 1, "T05")]
    s, p = in_turn("S01", hand=())
    p.deck = []
    s.players[1].passed = True
    own_cups(s, p, "T01", "T05", markers=[1])
    assert do.Passed(0, True) in play(s, do.EndTurn())


def test_tg_304_a_hidden_cup_tile_promises_nothing() -> None:
    """The side action of row 4 can take two tiles, but only the tile that lies open is certain to give a card."""
    for top, below, helps in (("T05", "T03", True), ("T03", "T05", False)):
        s, p = in_turn("S01", hand=(), leaves=leaves(fresh={4: 1}), tokens=2, row=3)
        s.players[1].passed = True
        p.boat, p.spot = 9, s.spots.pop(0)
        p.scrolls = [0, 0, 1]
        own_cups(s, p, "T01")
        offer_tile(s, top, 0)
        s.cup_stacks[0] = [*tiles(below), s.cup_stacks[0][-1]]
        play(s, do.EndTurn())
        assert (do.StepEmperor() in GAME.legal(s) and not p.passed) == helps


def test_tg_305_a_stack_and_its_top_card() -> None:
    s, p = at_start(("S01", "S03", "S04", "S10"))
    play(s, do.LayTop("S03"), do.LayUnder("S01"), do.LayUnder("S10"), do.Done())
    assert s.strength == 1 + 1 + 2
    assert names(p.stacks[0])[-1] == "S03" and names(p.hand) == ["S04"]
    assert options(s, do.Research) and not options(s, do.Sail)
    assert p.teapots == 0


def test_tg_305_every_stack_can_be_laid_in_one_order_only() -> None:
    s, _ = at_start(("S01", "S03", "S04"))
    play(s, do.LayTop("S03"), do.LayUnder("S04"))
    refuse(s, do.LayUnder("S01"))


def test_tg_306_ex_14_the_fourth_turn() -> None:
    s, p = at_start(("S01",), stacks=3, leaves=leaves(fresh={1: 1, 4: 1}, fermented={2: 1}))
    play(s, do.LayTop("S01"))
    assert not any(p.leaves) and question(s) == "open"
    for held, possible in (
        (leaves(fresh={3: 3}), False),
        (leaves(fermented={3: 3}), True),
        (leaves(fresh={3: 1}, fermented={3: 1}), False),
    ):
        s, p = at_start(("S01",), stacks=3, leaves=held)
        assert (do.LayTop("S01") in GAME.legal(s)) == possible
    s, p = at_start(("S01",), stacks=3, leaves=leaves(fresh={3: 3}))
    own_cups(s, p, "T01", "T07", markers=[1])
    play(s, do.UseMarker(1, 1, "T07"), do.FermentLeaf(3))
    refuse(s, do.Decline())
    play(s, do.Done(), do.LayTop("S01"))
    assert not any(p.leaves)


def test_tg_304_the_ferment_that_makes_the_turn_possible_cannot_be_left_out() -> None:
    s, p = at_start(("S01",), stacks=3, leaves=leaves(fresh={3: 3}))
    own_cups(s, p, "T01", "T07", markers=[1])
    play(s, do.UseMarker(1, 1, "T07"))
    assert GAME.legal(s) == [do.FermentLeaf(3)]


def test_tg_307_strength_scrolls_add_to_the_stack() -> None:
    s, p = in_turn("S07", strength=1)
    refuse(s, do.Found(2))
    p.scrolls[STRENGTH_SCROLL] = 1
    play(s, do.Found(2))
    assert p.scrolls == [0, 0, 0] and s.strength == 2
    assert len(p.gardens) == 2


def test_tg_308_one_main_action_and_it_may_be_skipped() -> None:
    """RU-02."""
    s, _ = in_turn("S07", strength=5)
    assert do.EndTurn() in GAME.legal(s)
    play(s, do.Harvest())
    refuse(s, do.Harvest())
    refuse(s, do.Found(2))
    play(s, do.EndTurn())


def test_tg_309_one_side_action_of_the_top_card() -> None:
    s, p = in_turn("A108", leaves=leaves())
    assert options(s, do.Sail) and options(s, do.MakeCup) and not options(s, do.Research)
    play(s, do.Sail())
    assert not options(s, do.MakeCup) and not options(s, do.Sail)
    s, p = in_turn("S01")
    p.boat, p.spot = 9, s.spots.pop(0)
    assert not options(s, do.Sail)
    s, p = in_turn("S02")
    s.cup_stacks[0] = []
    assert not options(s, do.MakeCup)


def test_tg_310_each_effect_once() -> None:
    s, p = in_turn("A508", leaves=leaves())
    p.hand = [p.deck.pop(), p.deck.pop()]
    play(s, do.UseEffect(1))
    assert p.tokens == 1
    refuse(s, do.UseEffect(1))
    play(s, do.UseEffect(2))
    assert question(s) == "discard"


def test_tg_311_cards_gained_after_laying_wait() -> None:
    """RU-20."""
    s, p = in_turn("A104", strength=5, leaves=leaves(fresh={2: 3}), tokens=2)
    offer_card(s, "A107", 1)
    play(s, do.Buy("A107"))
    assert names(p.hand) == ["A107"] and not options(s, do.LayUnder) and not options(s, do.LayTop)


def test_tg_311_an_emperor_card_gained_before_laying_may_be_laid() -> None:
    s, p = at_start(("S01",), leaves=leaves(fresh={1: 1}), tokens=2)
    offer_emperor(s, "E09", 1)
    play(s, do.StepEmperor(), do.Resolve("emperor_card", 1), do.TakeEmperorCard("E09"), do.Decline())
    play(s, do.LayTop("E09"), do.Done())
    assert s.strength == 5 and CARD_NUMBERS["E09"] in p.stacks[0]


def test_tg_312_unused_rights_lapse() -> None:
    s, p = in_turn("A101", hand=("S02",))
    play(s, do.EndTurn())
    assert GAME.actor(s) == 1
    s.players[1].passed = True
    play(s, do.PassRound())
    assert GAME.actor(s) == 0 and not s.laid and s.strength == 0 and names(p.hand) == ["S02"]
    assert cards("S02") == p.hand


@pytest.mark.parametrize("action", [do.EndTurn(), do.Done(), do.Decline(), do.LayUnder("S01"), do.Pay(1, False)])
def test_what_is_not_asked_is_refused(action: object) -> None:
    s, _ = at_start(("S01", "S02"))
    refuse(s, action)
