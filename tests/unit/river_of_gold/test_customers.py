"""What each of the 30 customers does: RG-60 to RG-68."""

import pytest

from services.games.river_of_gold.actions.build import cost
from services.games.river_of_gold.components import (
    COST,
    CUSTOMER,
    JOURNEY,
    MARKER_OPPONENT,
    MARKER_OWN,
    ORDER,
    SELL,
    SPACE,
    TAKE_GOOD,
    UPGRADE,
)
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.scoring import card_points, lines
from services.games.river_of_gold.state import DISCARD, PENDING, State
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import act, finish, goods, hand, position, put, refused, served, vp

ORDERS = {
    "artisan": ["002", "002", "200", "200", "020", "020"],
    "elder": ["212", "221", "212", "221", "212", "212"],
    "merchant": ["003", "030", "300", "210", "021", "120"],
    "monk": ["121", "320", "211", "113", "121", "122"],
    "noble": ["112", "202", "211", "220", "022", "121"],
}
REGION = pytest.mark.parametrize("region", range(1, 7))


def delivered(kind: str, region: int, seats: int = 3) -> State:
    """A position right after the delivery, with exactly the goods of the order."""
    state = position(seats=seats, die=region)
    hand(state, 0, f"{kind}_{region}")
    state.players[0].goods = [int(n) for n in ORDERS[kind][region - 1]]
    act(state, a.Deliver(f"{kind}_{region}"))
    return state


def track_good(region: int) -> list[int]:
    """The good at position 2 (RG-69)."""
    return [[0, 0, 1], [0, 1, 0], [1, 0, 0]][(region - 1) % 3]


@pytest.mark.parametrize("kind", ORDERS)
@REGION
def test_orders(kind: str, region: int) -> None:
    assert ORDER[CUSTOMER[f"{kind}_{region}"]] == tuple(map(int, ORDERS[kind][region - 1]))


@REGION
def test_artisan(region: int) -> None:
    """artisan_1 to artisan_6: +2 influence, a discount of 2 in the region, 1 VP per 3 goods at the end (RG-66)."""
    state = delivered("artisan", region)
    player = state.players[0]
    assert player.influence[region - 1] == 2 and sum(player.influence) == 2
    assert player.goods == track_good(region)
    for space, printed in enumerate(box_costs()):
        here = space // 5 == region - 1
        assert cost(player, space) == (max(printed - 2, 0) if here else printed)
        assert cost(state.players[1], space) == printed
    player.goods = [3, 4, 1]
    assert card_points(player, CUSTOMER[f"artisan_{region}"]) == 2


def box_costs() -> list[int]:
    return list(COST)


@REGION
def test_elder(region: int) -> None:
    """elder_1 to elder_6: no reward on delivery, doubled region scoring at the end (RG-68)."""
    state = delivered("elder", region)
    player = state.players[0]
    assert player.influence == [0] * 6 and player.goods == [0, 0, 0] and vp(player) == 0
    state.scoring_tiles = [1] * 6  # 9 / 5
    for other in state.players:
        other.influence = [3] * 6
    player.influence = [4] * 6
    labels = {line.label: line.points for line in lines(state)[0]}
    assert labels[f"elder_{region}"] == 9
    assert [labels[f"region_{n}"] for n in range(1, 7)] == [9] * 6
    assert sum(label.startswith("elder") for label in labels) == 1


def journey(state: State) -> None:
    """Seat 0 sails from W14 to W01, where four spaces are empty: 4 koku."""
    state.turn = state.actor = 0
    state.phase = 3
    state.players[0].ships, state.players[0].die = [14, 8], 1
    act(state, a.Sail(1, 0))


@REGION
def test_merchant_on_delivery_and_at_the_end(region: int) -> None:
    """merchant_1 to merchant_6: +3 influence; 1 VP per 5 koku at the end (RG-65, RG-68)."""
    state = delivered("merchant", region)
    player = state.players[0]
    assert player.influence[region - 1] == 3 and player.goods == track_good(region)
    player.koku = 14
    assert card_points(player, CUSTOMER[f"merchant_{region}"]) == 2


def test_merchant_1_rg_60() -> None:
    """+1 influence in every region with an own building; second markers count (Q-32)."""
    state = position()
    served(state, 0, "merchant_1")
    put(state, "S08", "e1_port_1", 0)
    put(state, "S10", "e1_port_2", 0)
    put(state, "S30", "e1_port_5", 1, 0)
    journey(state)
    assert state.players[0].influence == [0, 1, 0, 0, 0, 1]


def test_merchant_2_rg_60() -> None:
    """1 VP per delivered customer."""
    state = position()
    served(state, 0, "merchant_2", "monk_1", "elder_1")
    journey(state)
    assert vp(state.players[0]) == 3


def test_merchant_3_rg_60() -> None:
    """1 good of choice, beside the journey's own reward."""
    state = position()
    served(state, 0, "merchant_3")
    journey(state)
    player = state.players[0]
    assert (player.pending[TAKE_GOOD], player.pending[JOURNEY]) == (1, 1)
    act(state, a.TakeGood("rice"))
    act(state, a.TakeJourney("rice"))
    assert player.goods == [0, 2, 0]


def test_merchant_4_rg_60() -> None:
    """Sells any number of goods for 5 koku each; at 25 koku the excess is lost (Q-36)."""
    state = position()
    served(state, 0, "merchant_4")
    player = state.players[0]
    goods(player, silk=1, rice=1)
    player.koku = 15
    journey(state)
    assert player.pending[SELL] == 1 and player.koku == 19
    act(state, a.TakeJourney("porcelain"))
    act(state, a.Sell("silk"))
    act(state, a.Sell("porcelain"))
    assert (player.koku, player.goods) == (25, [0, 1, 0])
    act(state, a.StopSelling())
    assert player.pending[SELL] == 0 and player.goods == [0, 1, 0]


def test_merchant_4_may_sell_nothing() -> None:
    state = position()
    served(state, 0, "merchant_4")
    goods(state.players[0], silk=1)
    journey(state)
    act(state, a.StopSelling())
    assert state.players[0].goods == [1, 0, 0] and a.TakeJourney("koku") in GAME.legal(state)


def test_merchant_5_rg_60() -> None:
    """1 favor."""
    state = position()
    served(state, 0, "merchant_5")
    journey(state)
    assert state.players[0].favor == 1


def test_merchant_6_rg_60() -> None:
    """3 koku."""
    state = position()
    served(state, 0, "merchant_6")
    journey(state)
    assert state.players[0].koku == 4 + 3


@pytest.mark.parametrize("region", [1, 3, 5])
def test_monk_own(region: int) -> None:
    """monk_1, monk_3, monk_5: limit +1, favor +2, second marker on an own building (RG-64, RG-68)."""
    state = position(die=region)
    player = state.players[0]
    put(state, "S01", "e1_port_5", 0)
    put(state, "S30", "e1_port_1", 1)
    put(state, "S02", "e1_port_6", 0, 0)
    hand(state, 0, f"monk_{region}")
    player.goods = [int(n) for n in ORDERS["monk"][region - 1]]
    player.favor = 1
    act(state, a.Deliver(f"monk_{region}"))
    assert (player.favor_limit, player.favor) == (4, 3)
    assert player.influence == [0] * 6 and player.pending[MARKER_OWN] == 1
    assert [action for action in GAME.legal(state) if isinstance(action, a.PlaceMarker)] == [a.PlaceMarker("S01")]
    assert "own" in refused(state, a.PlaceMarker("S30"))
    act(state, a.PlaceMarker("S01"))
    assert state.second[SPACE["S01"]] == 0 and player.built == [2, 0, 0, 0]
    assert vp(player) == 0 and card_points(player, CUSTOMER[f"monk_{region}"]) == 0


@pytest.mark.parametrize("region", [2, 4, 6])
def test_monk_opponent(region: int) -> None:
    """monk_2, monk_4, monk_6: the second marker goes on an opponent's building."""
    state = position(die=region)
    player = state.players[0]
    put(state, "S01", "e1_port_5", 0)
    put(state, "S30", "e1_market_1", 1)
    put(state, "S28", "e1_market_4", 2)
    hand(state, 0, f"monk_{region}")
    player.goods = [int(n) for n in ORDERS["monk"][region - 1]]
    act(state, a.Deliver(f"monk_{region}"))
    assert (player.favor_limit, player.favor, player.pending[MARKER_OPPONENT]) == (4, 2, 1)
    targets = [action.space for action in GAME.legal(state) if isinstance(action, a.PlaceMarker)]
    assert targets == ["S28", "S30"]
    act(state, a.PlaceMarker("S30"))
    assert player.built == [1, 1, 0, 0] and player.lands == 0b100001


@REGION
def test_monk_without_a_target_rg_64(region: int) -> None:
    """Q-11: favor is gained all the same; the marker is never placed."""
    state = delivered("monk", region)
    player = state.players[0]
    assert (player.favor, player.favor_limit) == (2, 4)
    assert sum(player.pending) == 0 and state.phase == DISCARD


@REGION
def test_noble_on_delivery_rg_63(region: int) -> None:
    """noble_1 to noble_6: +2 influence; the first one brings the royal ship."""
    state = delivered("noble", region)
    player = state.players[0]
    assert player.influence[region - 1] == 2 and player.goods == track_good(region)
    assert player.pending[UPGRADE] == 1 and state.phase == PENDING
    act(state, a.UpgradeShip(2))
    assert player.royal == 1 and player.ships == [1, 8]
    assert state.phase == DISCARD


def test_a_later_noble_brings_no_ship_rg_63() -> None:
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "noble_4")
    player.royal = 0
    hand(state, 0, "noble_1")
    goods(player, 1, 1, 2)
    act(state, a.Deliver("noble_1"))
    assert player.pending[UPGRADE] == 0 and player.royal == 0 and state.phase == DISCARD


def royal(*nobles: str, space: str = "S05", tile: str = "", owners: tuple[int, ...] = ()) -> State:
    """Seat 0 sails the royal ship from W01 to W02, beside S03, S04, S05 and S07."""
    state = position(seats=2, die=1)
    served(state, 0, *nobles)
    state.players[0].royal = 0
    if tile:
        put(state, space, tile, *owners)
    act(state, a.Sail(1, 0))
    return state


def test_noble_1_rg_61() -> None:
    """Goods from markets may be of any type; 1 VP per own market at the end."""
    state = royal("noble_1", tile="e1_market_1", owners=(0,))
    player = state.players[0]
    assert player.goods == [0, 0, 0] and player.pending[TAKE_GOOD] == 1
    act(state, a.TakeGood("silk"))
    assert player.goods == [1, 0, 0]
    put(state, "S30", "e1_market_2", 0)
    assert card_points(player, CUSTOMER["noble_1"]) == 2


def test_noble_1_leaves_other_buildings_alone() -> None:
    state = royal("noble_1", tile="start_port")
    assert state.players[0].pending[TAKE_GOOD] == 0 and state.players[0].koku == 6


def test_noble_2_rg_61() -> None:
    """+1 koku per empty space visited; 1 VP per own port at the end."""
    state = royal("noble_2")
    assert state.players[0].koku == 8
    put(state, "S30", "e1_port_2", 0)
    assert card_points(state.players[0], CUSTOMER["noble_2"]) == 1


def test_noble_3_rg_61() -> None:
    """+1 influence in each region touching the river space; 1 VP per own manor at the end (Q-17)."""
    state = royal("noble_3")
    player = state.players[0]
    assert player.influence == [1, 1, 0, 0, 0, 0]
    put(state, "S30", "e1_manor_2", 0)
    assert card_points(player, CUSTOMER["noble_3"]) == 1


@pytest.mark.parametrize(("owners", "points"), [((1,), 1), ((0,), 0), ((), 0), ((0, 1), 1)])
def test_noble_4_rg_61(owners: tuple[int, ...], points: int) -> None:
    """+1 VP if an opponent's building was visited; 1 VP per own shrine at the end."""
    state = royal("noble_4", tile="e1_port_1" if owners else "start_port", owners=owners)
    assert vp(state.players[0]) == points
    put(state, "S30", "e1_shrine_2", 0)
    assert card_points(state.players[0], CUSTOMER["noble_4"]) == 1


def test_noble_5_rg_61() -> None:
    """A free shift of the royal ship; 1 VP per building type owned at the end. It may follow favor (RG-43)."""
    state = position(die=1)
    player = state.players[0]
    served(state, 0, "noble_5")
    player.royal, player.favor = 0, 1
    act(state, a.ChangeDie(1))
    act(state, a.Sail(1, 1))
    assert (player.ships[0], player.favor) == (4, 1), "the porcelain market on S06 gives the favor back"
    for space, tile in (("S11", "e1_port_1"), ("S12", "e1_port_2"), ("S13", "e1_manor_1")):
        put(state, space, tile, 0)
    assert card_points(player, CUSTOMER["noble_5"]) == 2


@pytest.mark.parametrize(("owners", "points"), [((1,), 0), ((0,), 1), ((), 0), ((1, 0), 1)])
def test_noble_6_rg_61(owners: tuple[int, ...], points: int) -> None:
    """+1 VP if an own building was visited; 1 VP per region with an own building at the end."""
    state = royal("noble_6", tile="e1_port_1" if owners else "start_port", owners=owners)
    player = state.players[0]
    assert vp(player) == points
    regions = card_points(player, CUSTOMER["noble_6"])
    put(state, "S30", "e1_shrine_2", 0)
    put(state, "S28", "e1_shrine_3", 0)
    assert card_points(player, CUSTOMER["noble_6"]) == regions + 1


def test_rg_62_noble_scoring_counts_own_buildings_alone() -> None:
    state = position()
    served(state, 0, *(f"noble_{n}" for n in range(1, 7)))
    for space, tile in (("S01", "e1_port_1"), ("S08", "e1_market_1"), ("S13", "e1_manor_1"), ("S19", "e1_shrine_1")):
        put(state, space, tile, 0)
    put(state, "S24", "e1_port_2", 1)
    points = [card_points(state.players[0], CUSTOMER[f"noble_{n}"]) for n in range(1, 7)]
    assert points == [1, 1, 1, 1, 4, 4]


def test_q_19_a_noble_acts_from_the_next_sail_and_a_merchant_from_the_next_journey_end() -> None:
    """Q-19: delivering itself brings neither ability."""
    state = delivered("merchant", 6)
    assert state.players[0].koku == 0
    state = delivered("noble", 6)
    assert vp(state.players[0]) == 0


def test_rg_65_the_merchant_marker_is_a_reminder() -> None:
    """Any number of players may have merchants; each has their own abilities."""
    state = position()
    served(state, 0, "merchant_6")
    served(state, 1, "merchant_5")
    journey(state)
    assert (state.players[0].koku, state.players[1].favor) == (7, 0)


def test_rg_67_abilities_are_counted_per_card() -> None:
    state = position()
    served(state, 0, "merchant_1", "merchant_2", "merchant_3")
    state.players[0].koku = 10
    assert sum(line.points for line in lines(state)[0] if line.label.startswith("merchant")) == 6


def test_rg_66_one_artisan_and_one_elder_per_region() -> None:
    state = position()
    served(state, 0, "artisan_1")
    with pytest.raises(ValueError, match="not in list"):
        served(state, 1, "artisan_1")
    finish(state)
