"""The box and the deal: TT-1 … TT-14."""

from collections import Counter

import pytest

from services.engine.game import BadOptions
from services.games.thurn_and_taxis.components import (
    BOX,
    CARRIAGE_COUNTS,
    CARRIAGE_POINTS,
    CITIES,
    CITY,
    HOUSES,
    NEIGHBOURS,
    PROVINCE_CITIES,
    PROVINCE_OF,
    PROVINCES,
    STACK_VALUES,
    STACKS,
    TILES,
)
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import POSTMASTER, State
from teahouse.games.thurn_and_taxis.v1.structs import Options
from tests.unit.thurn_and_taxis.pieces import account


def deal(seats: int, seed: int = 0, options: Options | None = None) -> State:
    return GAME.new(["player"] * seats, options or Options(), seed.to_bytes(32, "big"))


def test_tt_1_cities_are_adjacent_only_by_the_45_roads() -> None:
    """TT-1, R-25."""
    roads = {frozenset(road) for road in BOX["roads"]}
    assert len(CITIES) == 22
    assert len(roads) == 45
    for a in CITIES:
        for b in CITIES:
            assert bool(NEIGHBOURS[CITY[a]] >> CITY[b] & 1) == (frozenset((a, b)) in roads and a != b)
    assert not NEIGHBOURS[CITY["basel"]] >> CITY["kempten"] & 1


def test_tt_2_each_city_belongs_to_one_of_9_provinces() -> None:
    assert len(PROVINCES) == 9
    assert sum(cities.bit_count() for cities in PROVINCE_CITIES) == 22
    assert all(PROVINCE_CITIES[PROVINCE_OF[city]] >> city & 1 for city in range(22))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tt_3_tt_4_tt_12_66_cards_are_dealt_as_6_displayed_and_60_in_the_deck(seats: int) -> None:
    state = deal(seats)
    assert len(state.display) == 6
    assert len(state.deck) == 60
    assert state.discard == []
    assert set(Counter(state.deck + state.display).values()) == {3}
    account(state)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tt_6_tt_13_a_player_begins_with_20_houses_and_nothing_else(seats: int) -> None:
    for player in deal(seats).players:
        assert (player.houses, player.houses_left) == (0, HOUSES)
        assert player.hand == player.route == player.tiles == []
        assert player.carriage == 0


def test_tt_7_tt_11_four_carriages_of_each_value_with_printed_points() -> None:
    """R-3: the points are printed beside the value."""
    assert CARRIAGE_POINTS == {0: 0, 3: 2, 4: 3, 5: 5, 6: 7, 7: 10}
    assert deal(2).carriages == list(CARRIAGE_COUNTS) == [4] * 5


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tt_8_tt_10_all_30_tiles_lie_on_10_stacks_highest_on_top(seats: int) -> None:
    assert len(STACKS) == 10
    assert len(TILES) == 30
    assert all(list(values) == sorted(values, reverse=True) for values in STACK_VALUES)
    assert [stack.values for stack in GAME.view(deal(seats), None).stacks] == [list(values) for values in STACK_VALUES]


def test_tt_14_the_first_player_is_drawn_and_begins() -> None:
    states = [deal(4, seed) for seed in range(40)]
    assert {state.first for state in states} == {0, 1, 2, 3}
    assert all(state.seat == state.first for state in states)
    assert all(state.official == POSTMASTER for state in states)


def test_the_same_seed_deals_the_same_game() -> None:
    """Section 14, invariant 9."""
    assert deal(3, 5) == deal(3, 5)
    assert deal(3, 5) != deal(3, 6)


@pytest.mark.parametrize("seats", [[], ["player"], ["player"] * 5, ["player", "lu_yu"]])
def test_other_seats_are_refused(seats: list[str]) -> None:
    with pytest.raises(BadOptions):
        GAME.new(seats, Options(), bytes(32))


def test_the_map_can_be_drawn_from_the_components() -> None:
    assert all(0 < city["x"] < 1 and 0 < city["y"] < 1 for city in BOX["cities"])
    assert BOX["map"]["aspect_ratio"] > 1
