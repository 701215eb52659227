"""Terms and setup: RG-1 to RG-25, with the data they rest on."""

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from services.engine.game import BadOptions
from services.games.river_of_gold import components as box
from services.games.river_of_gold import deal
from services.games.river_of_gold.actions.rewards import COUNTS
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import EMPTY, MAIN, NOBODY
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import SEED, act, finish, position, put, vp

SEATS = pytest.mark.parametrize("seats", [2, 3, 4])


def test_the_box_has_every_piece() -> None:
    """49 buildings, 30 customers, 6 scoring tiles, 6 masteries and 8 patrons."""
    counts = box.BOX["counts"]
    tiles = box.STARTING_TILES + box.IMPERIAL_MARKETS + box.ERA_TILES[0] + box.ERA_TILES[1]
    assert len(tiles) == counts["building_tiles"] == 49
    assert len(box.TILES) == counts["building_tile_designs"] == 46
    assert len(box.CUSTOMERS) == counts["customers"] == 30
    assert len(box.SCORING_TILES) == len(box.MASTERIES) == 6
    assert len(box.PATRONS) == 8
    assert [box.CUSTOMERS.index(f"{kind}_{n}") for kind in box.CUSTOMER_TYPES for n in range(1, 7)] == list(range(30))


def test_every_piece_has_a_name_in_both_languages() -> None:
    texts = json.loads((Path(box.__file__).parent / "texts.json").read_text(encoding="utf-8"))
    names = [f"tile.{name}" for name in box.TILES] + [f"customer.{name}" for name in box.CUSTOMERS]
    names += [f"mastery.{name}" for name in box.MASTERIES] + [f"patron.{name}" for name in box.PATRONS]
    names += [f"choice.{name}" for name in box.CHOICES] + [f"region.{n}" for n in range(1, 7)]
    for language in ("en", "pl"):
        assert all(texts[language].get(name) for name in names)


@SEATS
def test_rg_1_turn_order_is_clockwise_from_a_random_first_player(seats: int) -> None:
    firsts = {deal.new(seats, "none", bytes([n] * 32)).first for n in range(40)}
    assert firsts == set(range(seats))
    state = deal.new(seats, "none", SEED)
    for n in range(2 * seats):
        assert state.turn == GAME.actor(state) == (state.first + n) % seats
        act(state, a.Sail(1, 0))
        while state.turn == (state.first + n) % seats:
            GAME.apply(state, GAME.legal(state)[0])


def test_rg_2_vp_are_never_lost_and_unlimited() -> None:
    """Q-34: the count goes on beyond the printed track."""
    state = position(die=1)
    state.players[0].won[0] = 99
    put(state, "S05", "start_shrine")
    act(state, a.Sail(1, 0))
    assert vp(state.players[0]) == 101


def test_rg_6_a_face_is_a_region_and_a_number_of_steps() -> None:
    state = position(die=3)
    state.players[0].koku = 25
    act(state, a.Sail(1, 0))
    assert state.players[0].ships[0] == 4
    state = position(die=3)
    state.players[0].koku = 25
    spaces = {action.space for action in GAME.legal(state) if isinstance(action, a.Build)}
    assert spaces == {"S11", "S12", "S13", "S14", "S15"}


def test_rg_7_shore_and_river() -> None:
    assert [len(spaces) for spaces in box.REGION_SPACES] == [5] * 6
    assert [len(spaces) for spaces in box.VISITED[1:]] == [4] * 14
    touching = Counter(space for spaces in box.VISITED for space in spaces)
    assert all(touching[space] == box.ADJACENT_RIVER[space] in (1, 2, 3) for space in range(30))
    for river, spaces in enumerate(box.VISITED):
        assert {box.SPACE_REGION[space] for space in spaces} == set(box.RIVER_REGIONS[river])


def test_rg_8_passing_by_gives_nothing() -> None:
    state = position(die=6)
    put(state, "S06", "start_shrine")  # beside W03 and W04 only
    act(state, a.Sail(1, 0))
    assert vp(state.players[0]) == 0


@pytest.mark.parametrize("tile", ["imperial_market_rice", "e1_market_2"])
def test_rg_9_an_imperial_market_is_a_market(tile: str) -> None:
    assert box.TILE_TYPE[box.TILE[tile]] == box.MARKET


def test_rg_10_starting_tiles_have_no_owner() -> None:
    state = deal.new(2, "none", SEED)
    assert all(seat == NOBODY for seat in state.marker + state.second)
    assert all(box.OWNER[tile] == () for tile in box.STARTING_TILES + box.IMPERIAL_MARKETS)


def test_rg_11_delivered_customers_of_all_types_count() -> None:
    state = position()
    state.players[0].delivered = sum(1 << kind * 6 for kind in range(5))
    assert COUNTS["delivered_customer"](state.players[0]) == 5


def test_rg_12_ships_may_share_a_space() -> None:
    """Q-3: own and others' ships."""
    state = position(die=6)
    state.players[0].ships = [1, 7]
    state.players[1].ships = [7, 7]
    act(state, a.Sail(1, 0))
    assert state.players[0].ships == [7, 7]


@pytest.mark.parametrize(
    ("seats", "places", "slots"), [(2, (3,), (5,)), (3, (7, 3), (7, 5, 3)), (4, (7, 3), (7, 5, 3))]
)
def test_rg_13_sides(seats: int, places: tuple[int, ...], slots: tuple[int, ...]) -> None:
    assert box.PLACES[seats][0] == places
    assert box.MASTERY_SLOTS[seats][0] == slots


@SEATS
def test_rg_14_rg_15_scoring_tiles_and_masteries(seats: int) -> None:
    state = deal.new(seats, "none", SEED)
    assert sorted(state.scoring_tiles) == list(range(6))
    assert len(set(state.masteries)) == 3
    assert len({tuple(deal.new(seats, "none", bytes([n] * 32)).masteries) for n in range(30)}) > 10


@SEATS
def test_rg_16_the_customer_deck(seats: int) -> None:
    state = deal.new(seats, "none", SEED)
    assert len(state.deck) == 30 - 2 * seats and state.discards == []


@SEATS
def test_rg_17_rg_18_rg_19_rg_20_the_tiles(seats: int) -> None:
    state = deal.new(seats, "none", SEED)
    starting, era1, era2, free = {2: (6, 8, 9, 21), 3: (3, 10, 11, 24), 4: (0, 12, 13, 27)}[seats]
    assert {state.shore[box.SPACE[name]] for name in ("S06", "S17", "S29")} == set(box.IMPERIAL_MARKETS)
    laid = [space for space, tile in enumerate(state.shore) if tile in box.STARTING_TILES]
    marked = {2: "S03 S07 S11 S14 S22 S23", 3: "S03 S11 S22", 4: ""}[seats].split()
    assert laid == [box.SPACE[name] for name in marked] and len(laid) == starting
    assert (len(state.era1), len(state.era2)) == (era1, era2)
    assert state.shore.count(EMPTY) == free
    assert len(state.row) == 4 and set(state.row) <= set(box.ERA_TILES[0])
    if seats == 4:  # marked spaces without a tile are ordinary spaces
        assert box.COST[box.SPACE["S03"]] == 8


@SEATS
def test_rg_21_different_clans(seats: int) -> None:
    clans = [player.clan for player in deal.new(seats, "none", SEED).players]
    assert len(set(clans)) == seats and min(clans) >= 0


@SEATS
def test_rg_22_rg_23_what_a_player_starts_with(seats: int) -> None:
    state = deal.new(seats, "none", SEED)
    for position_, seat in enumerate((state.first + n) % seats for n in range(seats)):
        player = state.players[seat]
        assert player.influence == [0] * 6 and vp(player) == 0
        assert (player.koku, player.favor, player.favor_limit) == (7 + position_, 2, 3)
        assert player.goods == [1, 1, 1] and len(player.hand) == 2 and player.royal == -1


def test_rg_24_rg_25_placement_and_first_die() -> None:
    """Q-1: the die is rolled once more after the ships are placed."""
    uppers, middles, dice = set(), set(), set()
    for n in range(60):
        for player in deal.new(4, "none", bytes([n] * 32)).players:
            uppers.add(player.ships[0])
            middles.add(player.ships[1])
            dice.add(player.die)
            assert player.koku <= 10 and player.influence == [0] * 6
    assert (uppers, middles, dice) == (set(range(2, 8)), set(range(9, 15)), set(range(1, 7)))


def test_seats_and_options_are_checked() -> None:
    for seats in (["player"], ["player"] * 5, ["player", "lu_yu"]):
        with pytest.raises(BadOptions):
            GAME.new(seats, a.Options(), SEED)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"patrons": "all"}', type=a.Options)


def test_rg_29_rewards_are_paid_without_interruption() -> None:
    """Nobody else has a decision between a sail and its rewards."""
    state = position(die=1)
    put(state, "S05", "e1_port_5", 1)
    events = act(state, a.Sail(1, 0))
    assert vp(state.players[1]) == 1 and len(events) > 2
    finish(state)
    assert state.phase == MAIN
