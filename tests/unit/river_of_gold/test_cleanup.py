"""Masteries, the row, the imperial visit, the end and the roll: RG-83 to RG-91."""

import pytest

from services.games.river_of_gold.cleanup import claim_masteries, clean_up
from services.games.river_of_gold.components import MASTERIES, TILE
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import EMPTY, MASTERY, MERCHANTS, NOBLES, OVER, OWNED, VISITS, State
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import act, dice_rolling, finish, kinds, position, put, row, served, vp


def in_play(state: State, *names: str) -> None:
    state.masteries = [MASTERIES.index(f"mastery_{name}") for name in names]


def claimed(state: State, name: str) -> bool:
    in_play(state, name, *[other for other in ("air", "courts", "earth") if other != name][:2])
    state.claims = [[], [], []]
    claim_masteries(state, None)
    return 0 in state.claims[0]


def test_mastery_of_air() -> None:
    state = position()
    served(state, 0, "monk_1", "elder_1", "monk_2")
    assert not claimed(state, "air")
    served(state, 0, "noble_1")
    assert claimed(state, "air")


def test_mastery_of_the_courts() -> None:
    state = position()
    state.players[0].influence = [10, 10, 0, 0, 0, 0]
    assert not claimed(state, "courts")
    state.players[0].influence[4] = 11
    assert claimed(state, "courts")


def test_mastery_of_earth() -> None:
    """Two own markers on one building count once; a second marker on another's building counts (RG-75)."""
    state = position()
    put(state, "S01", "e1_port_1", 0, 0)
    put(state, "S02", "e1_port_2", 0)
    assert not claimed(state, "earth")
    put(state, "S05", "e1_port_3", 1, 0)
    assert claimed(state, "earth")


def test_mastery_of_fire() -> None:
    state = position()
    served(state, 0, "monk_1", "elder_1")
    assert not claimed(state, "fire")
    served(state, 0, "elder_6")
    assert claimed(state, "fire")


def test_mastery_of_void() -> None:
    state = position()
    state.players[0].influence = [1, 1, 1, 1, 1, 0]
    assert not claimed(state, "void")
    state.players[0].influence[5] = 1
    assert claimed(state, "void")


def test_mastery_of_water() -> None:
    state = position()
    for space, tile in (("S01", "e1_port_1"), ("S02", "e1_market_1"), ("S05", "e1_manor_1")):
        put(state, space, tile, 0)
    assert not claimed(state, "water")
    put(state, "S08", "e1_shrine_1", 0)
    assert claimed(state, "water")


def test_rg_83_several_in_one_turn_and_each_only_once() -> None:
    state = position()
    in_play(state, "air", "courts", "void")
    state.players[0].influence = [11, 1, 1, 1, 1, 1]
    claim_masteries(state, None)
    claim_masteries(state, None)
    assert state.claims == [[], [0], [0]] and state.players[0].won[MASTERY] == 14


@pytest.mark.parametrize(("seats", "points"), [(2, [5, 0]), (3, [7, 5, 3]), (4, [7, 5, 3, 0])])
def test_rg_84_slots(seats: int, points: list[int]) -> None:
    state = position(seats)
    in_play(state, "courts", "air", "fire")
    for seat, player in enumerate(state.players):
        player.influence[0] = 11
        state.turn = seat
        claim_masteries(state, None)
    assert [player.won[MASTERY] for player in state.players] == points


def test_rg_85_only_the_turn_player_claims() -> None:
    state = position(die=1)
    in_play(state, "courts", "air", "fire")
    state.players[1].influence[0] = 11
    act(state, a.Sail(1, 0))
    finish(state)
    assert state.claims[0] == []
    act(state, a.Sail(1, 0))
    finish(state)
    assert state.claims[0] == [1]


def test_rg_86_the_row_slides_and_refills() -> None:
    """From the era-2 stack when the era-1 stack is empty."""
    state = position()
    row(state, "e1_port_1", "e1_port_2", "", "e1_port_4")
    state.gap, state.era1, state.era2 = 2, [], [TILE["e2_port_1"], TILE["e2_port_2"]]
    clean_up(state, None)
    assert state.row == [TILE[name] for name in ("e2_port_2", "e1_port_1", "e1_port_2", "e1_port_4")]
    before = list(state.row)
    clean_up(state, None)
    assert state.row == before, "nothing moves when no tile left the row"


def test_rg_87_the_imperial_visit() -> None:
    state = position(die=6)
    player, other = state.players[:2]
    player.koku, player.favor = 5, 3
    put(state, "S01", "e1_port_5", 1, 0)
    put(state, "S02", "e1_manor_6", 1)
    put(state, "S03", "start_shrine")
    served(state, 0, "noble_4", "noble_6", "merchant_6")
    player.royal = 0
    row(state, "e1_port_1", "e1_port_2", "e1_port_3", "e1_port_4")
    state.era1 = [TILE["e1_shrine_6"]]
    events = act(state, a.Build("S30", "e1_port_2")) + finish(state)
    assert "ImperialVisit" in kinds(events)
    # e1_port_5 pays both markers, e1_manor_6 its owner, the new e1_port_2 1 koku and 1 porcelain; no visitor rewards.
    assert (player.won[OWNED], player.koku, player.goods) == (1, 1, [0, 0, 1])
    assert (vp(other), other.koku) == (2, 0)
    assert player.won[VISITS] == player.won[NOBLES] == player.won[MERCHANTS] == 0
    assert GAME.view(state, None).imperial_visit_done


def test_rg_88_the_end_trigger() -> None:
    state = position(die=1)
    state.era1, state.era2 = [], [TILE["e2_port_1"]]
    state.players[0].ships = [14, 8]
    events = act(state, a.Sail(1, 0)) + act(state, a.TakeJourney("koku")) + finish(state)
    assert "EndTriggered" in kinds(events) and vp(state.players[0]) == 5
    assert GAME.view(state, 1).end_triggered_by == 0


def test_rg_89_the_row_slides_in_the_last_turns() -> None:
    """Q-29: slot 4 is always filled."""
    state = position(seats=4, die=1)
    state.era1, state.era2, state.ended_by = [], [], 3
    row(state, "e2_port_1", "e2_port_2", "e2_port_3", "e2_port_4")
    for seat in range(3):
        player = state.players[seat]
        player.ships, player.favor = [14, 8], 3
        assert sum(tile != EMPTY for tile in state.row) == 4 - seat >= 2
        assert state.row[3] != EMPTY
        act(state, a.Sail(1, 0))
        act(state, a.TakeJourney("koku"))
        finish(state)
    assert state.phase == OVER
    assert state.row == [EMPTY, EMPTY, EMPTY, TILE["e2_port_1"]]
    assert state.discarded_tiles == [TILE[name] for name in ("e2_port_4", "e2_port_3", "e2_port_2")]


def test_rg_90_the_visit_and_the_end_never_coincide() -> None:
    state = position(die=1)
    state.era1, state.era2 = [TILE["e1_port_6"]], [TILE["e2_port_1"]]
    state.gap, state.row[3] = 3, EMPTY
    clean_up(state, None)
    assert state.ended_by == -1 and not state.era1 and len(state.era2) == 1


def test_rg_91_the_die_is_rolled_for_the_next_turn_and_everyone_sees_it() -> None:
    state = position(die=1)
    state.dice = dice_rolling(5)
    act(state, a.Sail(1, 0))
    assert state.players[0].die == 5
    assert all(GAME.view(state, seat).players[0].die == 5 for seat in (0, 1, 2, None))


def test_rg_91_no_roll_after_the_end_trigger() -> None:
    """Q-30"""
    state = position(die=1)
    state.era1, state.era2, state.ended_by = [], [], 2
    counter = state.dice.counter
    events = act(state, a.Sail(1, 0))
    assert "DieRolled" not in kinds(events) and state.dice.counter == counter
