"""Influence, ownership and pending choices: RG-69 to RG-82."""

import pytest

from services.games.river_of_gold.actions.rewards import advance
from services.games.river_of_gold.cleanup import imperial_visit
from services.games.river_of_gold.components import (
    CHOICE,
    CUSTOMER,
    DRAW_DISCARD,
    FAVOR,
    GOOD,
    JOURNEY,
    KOKU,
    MARKER_OWN,
    SELL,
    TAKE_GOOD,
    TRACKS,
    VP,
)
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.scoring import card_points, region_shares
from services.games.river_of_gold.state import DISCARD, MAIN, OTHERS, PENDING, WRAP_UP, State
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import act, finish, goods, hand, kinds, position, put, refused, served, vp


def test_rg_69_the_tracks() -> None:
    for region, track in enumerate(TRACKS):
        assert len(track) == 19
        good = (2, 1, 0)[region % 3]
        rewards = {at: reward for at, reward in enumerate(track) if reward}
        assert rewards == {
            2: ((GOOD, 1, good),),
            5: ((KOKU, 2, 0),),
            9: ((FAVOR, 1, 0),),
            13: ((VP, 3, 0),),
            18: ((VP, 3, 0), (CHOICE, 1, TAKE_GOOD)),
        }


def test_rg_70_rg_71_each_reward_once_and_positions_are_shared() -> None:
    state = position()
    first, second = state.players[:2]
    advance(state, 0, 2, 9, None)
    assert (first.goods, first.koku, first.favor) == ([1, 0, 0], 2, 1)
    advance(state, 1, 2, 9, None)
    assert second.influence[2] == first.influence[2] == 9
    assert (second.goods, second.koku, second.favor) == ([1, 0, 0], 2, 1)
    advance(state, 0, 2, 1, None)
    assert (first.influence[2], first.koku) == (10, 2)


def test_rg_72_having_influence_means_position_1() -> None:
    assert region_shares([1, 0, 0], (9, 5)) == [9, 0, 0]


def test_rg_73_at_most_two_markers() -> None:
    state = position(die=1)
    put(state, "S30", "e1_port_1", 0, 1)
    hand(state, 0, "monk_1")
    goods(state.players[0], 1, 2, 1)
    act(state, a.Deliver("monk_1"))
    assert state.phase == DISCARD, "no building with exactly one marker: nothing to place"


def test_rg_74_every_marker_makes_an_owner() -> None:
    state = position(die=1)
    put(state, "S05", "e1_port_6", 1, 2)
    act(state, a.Sail(1, 0))
    assert [(player.favor, vp(player)) for player in state.players[1:]] == [(1, 1), (1, 1)]


def test_rg_75_two_own_markers_count_as_one_building() -> None:
    """Q-14"""
    state = position(die=1)
    put(state, "S30", "e1_port_1", 0)
    hand(state, 0, "monk_1")
    goods(state.players[0], 1, 2, 1)
    act(state, a.Deliver("monk_1"))
    act(state, a.PlaceMarker("S30"))
    assert state.players[0].built == [1, 0, 0, 0]


def test_rg_76_the_list_is_paid_once_per_marker() -> None:
    """Q-15: "1 koku per own port" is doubled too."""
    state = position(die=1)
    put(state, "S05", "e1_port_4", 1, 1)
    put(state, "S30", "e1_port_1", 1)
    act(state, a.Sail(1, 0))
    assert state.players[1].koku == 2 * 2


def test_rg_77_what_per_counts() -> None:
    state = position(die=1)
    put(state, "S05", "e1_manor_5", 1)
    put(state, "S03", "e1_market_6", 1)
    put(state, "S28", "e1_market_5", 2, 1)
    served(state, 1, "monk_1", "elder_1", "noble_1")
    act(state, a.Sail(1, 0))
    assert state.players[1].koku == 3 + 2


def test_rg_78_owner_rewards_at_sails_and_the_visit_only() -> None:
    state = position()
    put(state, "S05", "e1_port_5", 1)
    put(state, "S04", "start_shrine")
    imperial_visit(state, None)
    assert [vp(player) for player in state.players] == [0, 1, 0]


def test_rg_79_choices_wait_for_their_player() -> None:
    state = position(die=1)
    put(state, "S05", "e2_port_2", 1)
    put(state, "S03", "e2_market_1", 2)
    act(state, a.Sail(1, 0))
    assert state.players[0].pending[TAKE_GOOD] == 1 and state.players[1].pending[TAKE_GOOD] == 1
    view = GAME.view(state, None)
    assert view.players[0].pending == ["good"] and view.players[1].pending == ["good"]


def test_rg_79_draw_and_discard() -> None:
    """The silk market: draw 1, discard 1 of the whole hand."""
    state = position(die=5)
    player = state.players[0]
    hand(state, 0, "elder_1", "elder_2")
    goods(player, rice=2)
    act(state, a.Sail(2, 0))  # W13, beside the silk market on S29
    assert player.pending[DRAW_DISCARD] == 1 and player.goods == [1, 2, 0]
    act(state, a.Draw())
    assert state.phase == DISCARD and len(player.hand) == 3
    act(state, a.Discard("elder_2"))
    assert len(player.hand) == 2 and state.phase == WRAP_UP


def several() -> State:
    """Seat 0 has a good, the journey and the selling to settle."""
    state = position(die=1)
    served(state, 0, "merchant_3", "merchant_4")
    goods(state.players[0], silk=1)
    state.players[0].ships = [14, 8]
    act(state, a.Sail(1, 0))
    return state


def test_rg_80_any_order() -> None:
    """Q-7"""
    state = several()
    legal = set(GAME.legal(state))
    assert {a.TakeGood("rice"), a.TakeJourney("koku"), a.TakeJourney("silk"), a.Sell("silk"), a.StopSelling()} <= legal
    act(state, a.StopSelling())
    act(state, a.TakeJourney("koku"))
    act(state, a.TakeGood("rice"))
    assert state.phase == WRAP_UP or state.turn == 1


def test_rg_80_turn_player_first_then_clockwise() -> None:
    """Q-8"""
    state = position(die=1)
    put(state, "S05", "e2_port_2", 2)
    put(state, "S03", "e2_shrine_3", 1)
    put(state, "S04", "e2_market_1", 1)
    act(state, a.Sail(1, 0))
    assert (state.phase, GAME.actor(state)) == (PENDING, 0)
    act(state, a.TakeGood("silk"))
    finish(state)
    assert (state.phase, GAME.actor(state), state.turn) == (OTHERS, 1, 0)
    assert GAME.legal(state) == [a.TakeGood("silk"), a.TakeGood("rice"), a.TakeGood("porcelain")]
    state.players[1].koku = 10
    refused(state, a.ExchangeFavor())
    act(state, a.TakeGood("rice"))
    assert GAME.actor(state) == 2
    act(state, a.TakeGood("rice"))
    assert (state.phase, GAME.actor(state)) == (MAIN, 1)


def test_rg_81_only_what_has_room() -> None:
    state = several()
    player = state.players[0]
    goods(player, 6, 6, 5)
    player.koku = 25
    legal = GAME.legal(state)
    assert a.TakeGood("porcelain") in legal and a.TakeGood("silk") not in legal
    assert a.TakeJourney("koku") not in legal and a.TakeJourney("porcelain") in legal
    assert "no room" in refused(state, a.TakeGood("rice"))
    assert "no room" in refused(state, a.TakeJourney("koku"))


def test_rg_82_an_item_waits_while_others_can_be_settled() -> None:
    """Q-10: the good has no room until something is sold."""
    state = several()
    player = state.players[0]
    goods(player, 6, 6, 6)
    player.koku, player.favor = 25, 3
    assert {type(action) for action in GAME.legal(state)} == {a.Sell, a.StopSelling}
    act(state, a.Sell("silk"))
    act(state, a.StopSelling())
    act(state, a.TakeGood("silk"))
    assert player.goods == [6, 6, 6]
    assert sum(player.pending) == 0, "the journey has no room left and lapses"


def test_rg_82_without_any_option_the_rest_lapses() -> None:
    state = position(die=1)
    player = state.players[0]
    goods(player, 6, 6, 6)
    player.koku, player.favor = 25, 3
    player.ships = [14, 8]
    events = act(state, a.Sail(1, 0))
    assert "RewardLapsed" in kinds(events) and player.pending[JOURNEY] == 0 and state.turn == 1


@pytest.mark.parametrize("open_it", [True, False])
def test_rg_82_buying_favor_would_open_the_journey(open_it: bool) -> None:
    state = position(die=1)
    player = state.players[0]
    goods(player, 6, 6, 6)
    player.koku, player.favor = 25, 2
    player.ships = [14, 8]
    act(state, a.Sail(1, 0))
    assert GAME.legal(state) == [a.Lapse(), a.ExchangeFavor()]
    if open_it:
        act(state, a.ExchangeFavor())
        refused(state, a.Lapse())
        act(state, a.TakeJourney("koku"))
        assert (player.koku, player.favor) == (23, 3)
    else:
        act(state, a.Lapse())
        assert (player.koku, player.pending[JOURNEY]) == (25, 0)


def test_rg_82_an_opponents_good_without_room_lapses() -> None:
    state = position(die=1)
    put(state, "S05", "e2_port_2", 1)
    goods(state.players[1], 6, 6, 6)
    state.players[0].favor = 3
    events = act(state, a.Sail(1, 0)) + finish(state)
    assert "RewardLapsed" in kinds(events)
    assert state.players[1].pending[TAKE_GOOD] == 0 and state.turn == 1


def test_rg_82_selling_waits_for_goods() -> None:
    """Without goods there is nothing to sell; the journey's good may be sold (Q-36)."""
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "merchant_4")
    player.ships = [14, 8]
    act(state, a.Sail(1, 0))
    refused(state, a.StopSelling())
    act(state, a.TakeJourney("silk"))
    act(state, a.Sell("silk"))
    assert player.koku in (4 + 5, 9) and player.pending[SELL] == 0


def test_rg_5_divisions_round_down() -> None:
    state = position()
    served(state, 0, "merchant_1")
    state.players[0].koku = 14
    assert card_points(state.players[0], CUSTOMER["merchant_1"]) == 2


def test_a_marker_is_mandatory_while_there_is_a_target_rg_82() -> None:
    state = position(die=1)
    put(state, "S30", "e1_port_1", 0)
    hand(state, 0, "monk_1")
    goods(state.players[0], 1, 2, 1)
    act(state, a.Deliver("monk_1"))
    assert state.players[0].pending[MARKER_OWN] == 1
    refused(state, a.Lapse())
    refused(state, a.EndTurn())
