"""The derived checks DX-1 to DX-15."""

import pytest

from services.games.river_of_gold.actions.build import build
from services.games.river_of_gold.actions.rewards import advance
from services.games.river_of_gold.cleanup import imperial_visit
from services.games.river_of_gold.components import CUSTOMER, JOURNEY, TAKE_GOOD, TILE
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.scoring import region_shares, scores
from services.games.river_of_gold.state import DISCARD, OVER, State
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import act, finish, goods, hand, patron, position, put, row, served, vp


@pytest.mark.parametrize(("start", "die", "stop", "ended"), [(13, 4, 3, True), (14, 1, 1, True), (10, 4, 14, False)])
def test_dx_1_end_of_the_river(start: int, die: int, stop: int, ended: bool) -> None:
    """RG-44, RG-45, RG-51: W01 follows W14 and costs a step."""
    state = position(die=die)
    state.players[0].ships = [start, 8]
    last = state.row[-1]
    events = act(state, a.Sail(1, 0))
    assert state.players[0].ships[0] == stop
    assert state.players[0].pending[JOURNEY] == ended
    assert state.discarded_tiles == ([last] if ended else [])
    assert events[0].public.journey_end is ended  # type: ignore[attr-defined]


def test_dx_2_overflow() -> None:
    """RG-3: gains are cut at the limit."""
    state = position(die=1)
    player = state.players[0]
    for space in ("S03", "S05", "S07"):
        put(state, space, "e1_market_1")
    put(state, "S04", "start_port")
    player.koku = 24
    goods(player, silk=6)
    act(state, a.Sail(1, 0))
    assert player.koku == 25
    assert player.goods == [6, 0, 0]


def test_dx_3_influence() -> None:
    """RG-70: every position passed or reached is paid once."""
    state = position()
    player = state.players[0]
    player.influence[0] = 17
    advance(state, 0, 0, 5, None)
    assert (player.influence[0], vp(player), player.pending[TAKE_GOOD]) == (18, 3, 1)
    advance(state, 0, 0, 2, None)
    assert (player.influence[0], vp(player), player.pending[TAKE_GOOD]) == (18, 3, 1)
    advance(state, 0, 1, 6, None)
    assert (player.influence[1], player.goods, player.koku) == (6, [0, 1, 0], 2)


def _delivery(state: State, deck: list[str], pile: list[str]) -> None:
    hand(state, 0, "artisan_1", "monk_1")
    goods(state.players[0], porcelain=2)
    state.deck = [CUSTOMER[name] for name in deck]
    state.discards = [CUSTOMER[name] for name in pile]
    act(state, a.Deliver("artisan_1"))


def test_dx_4_reshuffle_in_the_middle_of_a_draw() -> None:
    """RG-59: the pile is shuffled only when a card must be drawn from an empty deck."""
    state = position()
    _delivery(state, ["elder_1"], ["elder_2", "elder_3", "elder_4", "elder_5"])
    player = state.players[0]
    assert CUSTOMER["elder_1"] in player.hand and len(player.hand) == 3
    assert (len(state.deck), state.discards, state.phase) == (3, [], DISCARD)
    act(state, a.Discard("elder_1"))
    assert state.discards == [CUSTOMER["elder_1"]]


def test_dx_5_too_few_customers() -> None:
    """RG-59: draw what there is and skip the discard."""
    state = position()
    _delivery(state, [], ["elder_2"])
    assert (len(state.players[0].hand), state.turn, state.discards) == (2, 1, [])
    state = position()
    _delivery(state, [], [])
    assert (len(state.players[0].hand), state.turn) == (1, 1)


def test_dx_6_imperial_visit() -> None:
    """RG-76, RG-87: the whole list for every marker."""
    state = position()
    crab = state.players[0]
    put(state, "S01", "e1_port_4", 0, 0)
    put(state, "S02", "e1_port_5", 0)
    imperial_visit(state, None)
    assert (crab.koku, vp(crab)) == (4, 1)


def test_dx_7_last_turns() -> None:
    """RG-88: everybody but the trigger has one more turn."""
    state = position()
    state.era1, state.era2 = [], [TILE["e2_port_1"]]
    state.turn = state.actor = 1
    second = state.players[1]
    second.koku, second.favor = 6, 3
    row(state, "e2_port_2", "e2_port_3", "e2_port_4", "e2_manor_1")
    act(state, a.Build("S01", "e2_port_2"))
    finish(state)
    assert second.won[-1] == 5 and state.ended_by == 1
    assert state.turn == 2
    for seat in (2, 0):
        assert state.turn == seat
        act(state, a.Sail(1, 0))
        finish(state)
    assert state.phase == OVER and GAME.actor(state) is None


def test_dx_8_region_shares() -> None:
    """RG-92"""
    assert region_shares([7, 6, 6, 6], (12, 8, 4)) == [12, 4, 4, 4]
    assert region_shares([11, 11, 11, 0], (7, 3)) == [3, 3, 3, 0]
    assert region_shares([9, 4, 4, 0], (9, 5)) == [9, 2, 2, 0]


def test_dx_9_tile_without_a_second_value() -> None:
    """RG-93, RG-94"""
    assert region_shares([4, 4], (3,)) == [1, 1]
    state = position(seats=2)
    state.scoring_tiles = [0, 1, 2, 3, 4, 5]
    served(state, 0, "elder_1")
    for player in state.players:
        player.influence[0] = 4
    assert scores(state) == [2 + 2, 1]  # one delivered customer scores 2


def test_dx_10_monk_at_the_limit() -> None:
    """RG-64: the limit rises before the favor is gained."""
    state = position(die=1)
    player = state.players[0]
    player.favor = 3
    hand(state, 0, "monk_1")
    goods(player, silk=1, rice=2, porcelain=1)
    act(state, a.Deliver("monk_1"))
    assert (player.favor_limit, player.favor) == (4, 4)


@pytest.mark.parametrize(("die", "stops"), [(6, {6, 7, 2}), (1, {7, 2, 3})])
def test_dx_11_free_shift(die: int, stops: set[int]) -> None:
    """RG-43: the shift changes the die, which wraps."""
    reached = set()
    for shift in (-1, 0, 1):
        state = position(die=die)
        served(state, 0, "noble_5")
        state.players[0].royal = 0
        act(state, a.Sail(1, shift))
        reached.add(state.players[0].ships[0])
    assert reached == stops


@pytest.mark.parametrize(("at", "start", "steps", "points"), [(4, 4, 2, 3), (4, 2, 2, 0), (4, 3, 6, 3), (0, 0, 3, 0)])
def test_dx_12_governor(at: int, start: int, steps: int, points: int) -> None:
    """RG-104: from level or behind to ahead."""
    state = position()
    governor = patron(state, 1, "patron_scorpion_governor")
    governor.influence[2] = at
    state.players[0].influence[2] = start
    advance(state, 0, 2, steps, None)
    assert vp(governor) == points


def test_dx_13_lady() -> None:
    """RG-105: occupied positions are jumped over, their rewards gained."""
    state = position()
    lady = patron(state, 0, "patron_scorpion_lady")
    state.players[1].influence[0], state.players[2].influence[0] = 2, 3
    advance(state, 0, 0, 2, None)
    assert (lady.influence[0], lady.goods) == (4, [0, 0, 1])
    lady.influence[1], state.players[1].influence[1] = 17, 18
    advance(state, 0, 1, 1, None)
    assert (lady.influence[1], vp(lady), lady.pending[TAKE_GOOD]) == (18, 3, 1)


@pytest.mark.parametrize(("space", "points"), [("S04", 3), ("S01", 1)])
def test_dx_14_trader(space: str, points: int) -> None:
    """RG-38: 1 VP per adjacent river space."""
    state = position(die=1)
    trader = patron(state, 0, "patron_crab_trader")
    trader.koku = 25
    row(state, "e1_port_1", "e1_port_2", "e1_port_3", "e1_port_4")
    build(state, int(space[1:]) - 1, TILE["e1_port_2"], None)
    assert vp(trader) == points


def test_dx_15_shared_building() -> None:
    """RG-49, RG-50: a building with an own and an opponent's marker is both."""
    state = position(die=1)
    player = patron(state, 0, "patron_crane_iron")
    served(state, 0, "noble_4", "noble_6")
    player.royal = 0
    put(state, "S05", "e1_port_1", 1, 0)
    act(state, a.Sail(1, 0))
    assert vp(player) == 1 + 1 + 2
