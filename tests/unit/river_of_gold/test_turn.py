"""The turn, exchanges, building, sailing and delivering: RG-26 to RG-59."""

import pytest

from services.games.river_of_gold.components import CUSTOMER, JOURNEY, MARKER_OWN, SPACE, TAKE_GOOD, TILE
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import DISCARD, EMPTY, MAIN, PENDING, SELLING, WRAP_UP
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import (
    act,
    dice_rolling,
    finish,
    goods,
    hand,
    kinds,
    patron,
    position,
    put,
    refused,
    row,
    served,
    vp,
)


def test_rg_26_a_turn_has_four_steps() -> None:
    state = position(die=1)
    state.players[0].favor = 1
    state.dice = dice_rolling(4)
    act(state, a.ChangeDie(1))
    events = act(state, a.Sail(1, 0))
    assert [kind for kind in kinds(events) if kind != "Gained"] == ["Sailed", "DieRolled", "TurnBegan"]
    assert state.players[0].die == 4 and state.turn == 1


def test_rg_27_no_passing_and_sailing_is_always_legal() -> None:
    state = position()
    assert GAME.legal(state) == [a.Sail(1, 0), a.Sail(2, 0)]
    assert "cannot end" in refused(state, a.EndTurn())


def test_rg_28_no_change_of_the_die_after_the_action() -> None:
    state = position()
    state.players[0].favor = 2
    goods(state.players[0], silk=2)
    act(state, a.Sail(1, 0))
    assert state.phase == WRAP_UP
    refused(state, a.ChangeDie(1))
    refused(state, a.Sail(2, 0))


def test_rg_30_exchanges_before_and_after_the_action() -> None:
    state = position()
    player = state.players[0]
    goods(player, silk=4)
    player.koku = 6
    act(state, a.ExchangeGoods("silk", "rice"))
    assert player.goods == [2, 1, 0]
    act(state, a.Sail(1, 0))
    act(state, a.ExchangeGoods("silk", "porcelain"))
    assert player.goods == [0, 1, 1]
    act(state, a.ExchangeFavor())
    assert (player.koku, player.favor) == (6 + 4 - 5, 1)
    assert state.phase == WRAP_UP
    act(state, a.ExchangeFavor())
    assert (player.koku, player.favor, state.turn) == (0, 2, 1), "without another exchange the turn ends by itself"


def test_rg_31_an_exchange_needs_the_price_and_the_room() -> None:
    """Q-20"""
    state = position()
    player = state.players[0]
    goods(player, silk=2, rice=6, porcelain=1)
    player.koku, player.favor = 4, 0
    assert "no room" in refused(state, a.ExchangeGoods("silk", "rice"))
    assert "takes 2" in refused(state, a.ExchangeGoods("porcelain", "silk"))
    assert "5 koku" in refused(state, a.ExchangeFavor())
    player.koku, player.favor = 5, 3
    assert "limit" in refused(state, a.ExchangeFavor())
    assert "no such move" in refused(state, a.ExchangeGoods("silk", "silk"))


def test_rg_32_no_other_conversion() -> None:
    state = position()
    player = state.players[0]
    player.favor = 3
    goods(player, silk=2)
    assert set(GAME.legal(state)) == {
        a.ChangeDie(1),
        a.ChangeDie(-1),
        a.ExchangeGoods("silk", "rice"),
        a.ExchangeGoods("silk", "porcelain"),
        a.Sail(1, 0),
        a.Sail(2, 0),
    }
    refused(state, a.Sell("silk"))


def test_rg_33_six_and_one_are_neighbours() -> None:
    state = position(die=6)
    state.players[0].favor = 1
    act(state, a.ChangeDie(1))
    assert (state.players[0].die, state.players[0].favor, state.phase) == (1, 0, MAIN)


def test_rg_34_the_favor_limit_cuts_favor() -> None:
    """Q-4: the limit itself ends at 6."""
    state = position(die=1)
    player = state.players[0]
    player.favor = player.favor_limit = 3
    put(state, "S05", "e1_port_3", 0)
    act(state, a.Sail(1, 0))
    assert (player.favor, player.favor_limit) == (3, 3)
    state = position(die=1)
    player = state.players[0]
    player.favor_limit = 6
    hand(state, 0, "monk_1")
    goods(player, 1, 2, 1)
    act(state, a.Deliver("monk_1"))
    assert (player.favor_limit, player.favor) == (6, 2)


def test_rg_35_rg_36_where_a_player_may_build() -> None:
    state = position(die=1)
    player = state.players[0]
    player.koku = 6
    row(state, "e1_port_1", "e1_port_2", "e1_port_3", "e1_port_4")
    put(state, "S02", "e1_manor_1", 1)
    spaces = {action.space for action in GAME.legal(state) if isinstance(action, a.Build)}
    assert spaces == {"S01", "S05"}
    assert "not empty" in refused(state, a.Build("S02", "e1_port_1"))
    assert "region" in refused(state, a.Build("S08", "e1_port_1"))
    assert "costs 8" in refused(state, a.Build("S03", "e1_port_1"))
    assert "row" in refused(state, a.Build("S01", "e1_manor_3"))
    assert "no such move" in refused(state, a.Build("S99", "e1_port_1"))


def test_rg_4_rg_37_costs_are_paid_in_full_and_never_below_zero() -> None:
    state = position(die=1)
    player = state.players[0]
    player.koku = 4
    refused(state, a.Build("S01", "e1_port_1"))
    served(state, 0, "artisan_1")
    row(state, "e1_port_1", "e1_port_2", "e1_port_3", "e1_port_4")
    act(state, a.Build("S01", "e1_port_2"))
    assert player.koku == 0


def test_rg_38_rg_39_building_pays_neither_visitor_nor_owner() -> None:
    state = position(die=5)
    player = state.players[0]
    player.koku = 12
    row(state, "e1_port_2", "e1_port_1", "e1_port_3", "e1_port_4")
    events = act(state, a.Build("S21", "e1_port_2"))
    assert (player.koku, player.goods, player.favor, vp(player)) == (0, [0, 0, 0], 0, 0)
    assert player.influence == [0] * 6, "0 means no influence"
    assert state.marker[SPACE["S21"]] == 0
    assert player.built == [1, 0, 0, 0] and player.lands == 1 << 4
    assert kinds(events)[0] == "Built"


def test_rg_38_slot_4_brings_favor() -> None:
    state = position(die=5)
    state.players[0].koku = 12
    row(state, "e1_port_2", "e1_port_1", "e1_port_3", "e1_port_4")
    act(state, a.Build("S21", "e1_port_4"))
    assert state.players[0].favor == 1


def test_rg_40_the_gap_closes_in_cleanup() -> None:
    state = position(die=5)
    state.players[0].koku = 14
    goods(state.players[0], silk=2)
    row(state, "e1_port_2", "e1_port_1", "e1_port_3", "e1_port_4")
    act(state, a.Build("S21", "e1_port_1"))
    assert state.row[1] == EMPTY and state.gap == 1
    finish(state)
    assert state.row[1:] == [TILE["e1_port_2"], TILE["e1_port_3"], TILE["e1_port_4"]]


def test_rg_41_built_tiles_stay() -> None:
    state = position(die=1)
    put(state, "S01", "e1_port_1", 1)
    state.players[0].koku = 25
    assert all(action.space != "S01" for action in GAME.legal(state) if isinstance(action, a.Build))


@pytest.mark.parametrize("die", range(1, 7))
def test_rg_42_exactly_the_steps_of_the_die(die: int) -> None:
    state = position(die=die)
    act(state, a.Sail(2, 0))
    assert state.players[0].ships == [1, (8 + die - 1) % 14 + 1]
    assert sum(isinstance(action, a.Sail) for action in GAME.legal(position(die=die))) == 2


def test_rg_43_the_shift_needs_noble_5_and_the_royal_ship() -> None:
    state = position(die=2)
    state.players[0].royal = 1
    served(state, 0, "noble_2")
    assert "noble_5" in refused(state, a.Sail(2, 1))
    served(state, 0, "noble_5")
    refused(state, a.Sail(1, 1))
    act(state, a.Sail(2, -1))
    assert state.players[0].ships == [1, 9]


def test_rg_45_one_journey_end_per_sail() -> None:
    state = position(die=6)
    state.players[0].ships = [14, 8]
    act(state, a.Sail(1, 0))
    assert state.players[0].pending[JOURNEY] == 1 and state.players[0].ships[0] == 6


def test_rg_46_choices_come_after_all_automatic_rewards() -> None:
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "merchant_6", "merchant_3")
    player.ships = [14, 8]
    put(state, "S01", "e2_market_1", 1)
    act(state, a.Sail(1, 0))
    assert state.phase == PENDING
    assert player.pending[TAKE_GOOD] == 2 and player.pending[JOURNEY] == 1
    assert player.koku == 3 + 3 and state.players[1].favor == 1


def test_rg_47_influence_goes_to_the_region_of_the_tile() -> None:
    state = position(die=1)
    put(state, "S07", "start_manor")
    act(state, a.Sail(1, 0))
    assert state.players[0].influence == [0, 2, 0, 0, 0, 0]
    assert state.players[0].koku == 3


def test_rg_48_the_royal_ship_chooses_goods_of_markets() -> None:
    """An imperial market too; its favor stays."""
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "noble_1")
    player.royal, player.ships = 0, [2, 8]
    put(state, "S06", "imperial_market_rice")
    put(state, "S09", "e1_market_1", 1)
    act(state, a.Sail(1, 0))
    assert (player.goods, player.favor, player.pending[TAKE_GOOD]) == ([0, 0, 0], 1, 2)
    act(state, a.TakeGood("porcelain"))
    act(state, a.TakeGood("rice"))
    assert player.goods == [0, 1, 1]
    assert state.players[1].koku == 2, "owners receive their printed reward"


def test_rg_49_own_buildings_pay_visitor_and_owner() -> None:
    state = position(die=1)
    put(state, "S05", "e1_port_1", 0)
    act(state, a.Sail(1, 0))
    assert state.players[0].koku == 3 + 3 and state.players[0].goods == [0, 1, 0]


def test_rg_50_nobles_act_once_each() -> None:
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "noble_3", "noble_4", "noble_6")
    player.royal = 0
    put(state, "S05", "e1_port_1", 0)
    put(state, "S03", "e1_port_2", 1)
    put(state, "S04", "e1_port_3", 1)
    act(state, a.Sail(1, 0))
    assert player.influence == [1, 1, 0, 0, 0, 0]
    assert vp(player) == 2


def test_rg_51_journey_end() -> None:
    state = position(die=1)
    player = state.players[0]
    player.ships = [14, 8]
    row(state, "e1_port_2", "e1_port_1", "e1_port_3", "e1_port_4")
    top = state.era1[-1]
    act(state, a.Sail(1, 0))
    assert state.discarded_tiles == [TILE["e1_port_4"]] and state.row[3] == EMPTY
    act(state, a.TakeJourney("porcelain"))
    assert player.goods == [0, 0, 1]
    finish(state)
    assert state.row == [top, TILE["e1_port_2"], TILE["e1_port_1"], TILE["e1_port_3"]]


def test_rg_52_a_standard_ship_has_no_noble_abilities() -> None:
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "noble_2", "noble_3")
    player.royal = 1
    act(state, a.Sail(1, 0))
    assert player.koku == 4 and player.influence == [0] * 6


def test_rg_53_rg_54_rg_55_rg_56_when_a_delivery_is_legal() -> None:
    state = position(die=2)
    player = state.players[0]
    hand(state, 0, "artisan_2", "artisan_3")
    goods(player, silk=2, porcelain=1)
    assert not any(isinstance(action, a.Deliver) for action in GAME.legal(state))
    assert "goods" in refused(state, a.Deliver("artisan_2"))
    assert "region" in refused(state, a.Deliver("artisan_3"))
    assert "hand" in refused(state, a.Deliver("artisan_4"))
    act(state, a.ExchangeGoods("silk", "porcelain"))
    act(state, a.Deliver("artisan_2"))
    assert player.goods == [0, 1, 0], "region 2 gives 1 rice at position 2; it cannot pay the order (Q-31)"


def test_rg_57_the_card_counts_before_its_rewards_and_refill_comes_last() -> None:
    state = position(die=1)
    player = state.players[0]
    hand(state, 0, "monk_1", "elder_1")
    put(state, "S30", "e1_port_1", 0)
    goods(player, 1, 2, 1)
    act(state, a.Deliver("monk_1"))
    assert player.delivered == 1 << CUSTOMER["monk_1"] and player.hand == [CUSTOMER["elder_1"]]
    assert player.pending[MARKER_OWN] == 1
    refused(state, a.Draw())
    act(state, a.PlaceMarker("S30"))
    assert state.phase == DISCARD and len(player.hand) == 3


def test_rg_58_the_hand_stays_at_two() -> None:
    state = position(die=1)
    hand(state, 0, "artisan_1", "elder_1")
    goods(state.players[0], porcelain=2)
    act(state, a.Deliver("artisan_1"))
    assert len(GAME.legal(state)) == 3
    act(state, a.Discard("elder_1"))
    assert len(state.players[0].hand) == 2


def test_rg_59_the_new_deck_is_the_shuffled_pile() -> None:
    orders = set()
    for n in range(20):
        state = position(die=1)
        state.dice = dice_rolling(1 + n % 6, 1 + n // 6)
        hand(state, 0, "artisan_1", "elder_1")
        goods(state.players[0], porcelain=2)
        state.deck, state.discards = [], [CUSTOMER[f"monk_{k}"] for k in range(1, 7)]
        events = act(state, a.Deliver("artisan_1"))
        assert "DeckReshuffled" in kinds(events) and len(state.deck) == 4
        orders.add(tuple(state.deck))
    assert len(orders) > 5


def test_storms_holds_three_after_a_delivery_rg_58() -> None:
    state = position(die=1)
    storms = patron(state, 0, "patron_mantis_storms")
    hand(state, 0, "artisan_2", "elder_1", "elder_2")
    goods(storms, porcelain=2)
    act(state, a.Deliver("artisan_2"))
    act(state, a.Discard("elder_1"))
    assert len(storms.hand) == 3


def test_selling_is_its_own_state_rg_30() -> None:
    """Exchanges are possible while selling; nothing else is."""
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "merchant_4")
    player.ships = [14, 8]
    goods(player, silk=3)
    act(state, a.Sail(1, 0))
    act(state, a.Sell("silk"))
    assert state.phase == SELLING
    refused(state, a.TakeJourney("koku"))
    act(state, a.ExchangeGoods("silk", "rice"))
    act(state, a.Sell("rice"))
    assert state.phase == PENDING and player.koku == 4 + 10
