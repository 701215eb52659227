"""The worked examples WE-1 to WE-17 of the rulebook."""

from services.games.river_of_gold import deal
from services.games.river_of_gold.actions.build import cost
from services.games.river_of_gold.actions.pending import marker_targets
from services.games.river_of_gold.cleanup import claim_masteries
from services.games.river_of_gold.components import CUSTOMER, MASTERIES, SPACE, TILE
from services.games.river_of_gold.scoring import card_points, customer_points, lines, region_shares
from services.games.river_of_gold.state import DISCARD, MAIN
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import (
    act,
    dice_rolling,
    finish,
    goods,
    hand,
    position,
    put,
    refused,
    row,
    served,
    vp,
)


def test_we_1_ship_placement() -> None:
    """RG-24: the ships start on W01 and W08, the start space is not counted."""
    state = deal.new(2, "pick", bytes(32))
    state.first, state.dice = 0, dice_rolling(3, 5)
    deal.set_up_players(state, None)
    assert state.players[0].ships == [4, 13]


def test_we_2_favor() -> None:
    """RG-33: favor shifts the die, which wraps."""
    state = position(die=2)
    player = state.players[0]
    player.favor = 2
    act(state, a.ChangeDie(-1))
    assert (player.die, player.favor) == (1, 1)
    act(state, a.ChangeDie(-1))
    assert (player.die, player.favor) == (6, 0)
    refused(state, a.ChangeDie(-1))


def test_we_3_build() -> None:
    """RG-36 to RG-40: the whole building action with its cleanup."""
    state = position(die=4)
    crane = state.players[0]
    crane.koku, crane.favor = 10, 1
    goods(crane, porcelain=1)
    row(state, "e1_port_1", "e1_port_2", "e1_port_3", "e1_shrine_5")
    state.era1 = [TILE["e1_manor_6"], TILE["e1_port_6"]]
    act(state, a.Build("S16", "e1_shrine_5"))
    assert crane.koku == 1
    assert crane.favor == 2
    assert state.shore[SPACE["S16"]] == TILE["e1_shrine_5"]
    assert (state.marker[SPACE["S16"]], state.second[SPACE["S16"]]) == (0, -1)
    assert crane.influence[3] == 2
    assert crane.goods == [0, 0, 2]
    assert vp(crane) == 0
    finish(state)
    assert state.row == [TILE[name] for name in ("e1_port_6", "e1_port_1", "e1_port_2", "e1_port_3")]


def test_we_4_sail() -> None:
    """RG-47, RG-49: visitor rewards for the sailor, owner rewards for all owners."""
    state = position(die=2)
    crab, scorpion, mantis = state.players
    put(state, "S18", "e1_market_3", 1)
    put(state, "S21", "e1_market_2", 2)
    put(state, "S23", "e1_shrine_1", 0)
    crab.koku, scorpion.koku, mantis.favor = 5, 3, 1
    act(state, a.Sail(2, 0))
    assert crab.ships == [1, 10]
    assert (crab.koku, crab.goods, vp(crab)) == (6, [0, 1, 2], 2)
    assert (scorpion.koku, vp(scorpion)) == (4, 1)
    assert (mantis.favor, vp(mantis)) == (2, 1)


def test_we_5_delivery() -> None:
    """RG-57: goods, influence, the merchant's ability, and the refilled hand."""
    state = position(die=6)
    crane = state.players[0]
    hand(state, 0, "merchant_6", "artisan_1")
    goods(crane, silk=1, rice=2, porcelain=1)
    crane.koku, crane.favor = 4, 3
    act(state, a.Deliver("merchant_6"))
    assert crane.goods == [1, 0, 1]
    assert crane.influence[5] == 3
    assert crane.delivered == 1 << CUSTOMER["merchant_6"]
    assert state.phase == DISCARD
    assert CUSTOMER["artisan_1"] in crane.hand and len(crane.hand) == 3
    act(state, a.Discard("artisan_1"))
    assert len(crane.hand) == 2
    assert state.discards == [CUSTOMER["artisan_1"]]
    state.turn = state.actor = 0
    crane.ships, crane.die, crane.koku = [14, 8], 1, 0
    state.phase = MAIN
    act(state, a.Sail(1, 0))
    act(state, a.TakeJourney("koku"))
    assert crane.koku == 4 + 3 + 3  # four empty spaces around W01
    crane.koku = 14
    assert card_points(crane, CUSTOMER["merchant_6"]) == 2


def test_we_6_mastery() -> None:
    """RG-83: the first claim takes the slot of 7, the next the slot of 5."""
    state = position(die=6)
    void = MASTERIES.index("mastery_void")
    state.masteries = [void, *(card for card in range(6) if card != void)][:3]
    crane, other = state.players[:2]
    crane.influence = [1, 2, 1, 4, 1, 0]
    claim_masteries(state, None)
    assert state.claims[0] == []
    crane.koku = 25
    crane.favor = 3
    row(state, "e1_port_1", "e1_port_5", "e1_port_3", "e1_port_4")
    act(state, a.Build("S30", "e1_port_1"))
    assert crane.influence[5] == 1
    finish(state)
    assert state.claims[0] == [0] and vp(crane) == 7
    other.influence = [1] * 6
    claim_masteries(state, None)
    assert state.claims[0] == [0, 1] and vp(other) == 5


def test_we_7_monk() -> None:
    """RG-64, RG-73, RG-74: a second marker makes a second owner, a third is never placed."""
    state = position(die=2)
    crane, mantis, crab = state.players
    put(state, "S30", "e1_port_5", 1)
    hand(state, 0, "monk_2")
    goods(crane, silk=3, rice=2)
    act(state, a.Deliver("monk_2"))
    act(state, a.PlaceMarker("S30"))
    assert (state.marker[SPACE["S30"]], state.second[SPACE["S30"]]) == (1, 0)
    state.turn = state.actor = 2
    state.phase = MAIN
    crab.ships, crab.die = [1, 13], 1
    act(state, a.Sail(2, 0))
    assert crab.koku == 1 + 1 + 3  # S26 and S28 are empty
    assert (vp(mantis), vp(crane)) == (1, 1)
    assert SPACE["S30"] not in marker_targets(state)


def test_we_8_merchants_at_journey_end() -> None:
    """RG-60: every delivered merchant acts at each journey's end."""
    state = position(die=1)
    crab = state.players[0]
    served(state, 0, "merchant_5", "merchant_6")
    crab.favor, crab.koku, crab.ships = 1, 2, [14, 8]
    act(state, a.Sail(1, 0))
    # Four empty spaces around W01 bring 4 koku on top.
    assert (crab.koku - 4, crab.favor) == (5, 2)
    act(state, a.TakeJourney("silk"))
    assert (crab.goods[0], crab.favor, crab.koku - 4) == (1, 2, 5)


def test_we_9_merchant_scoring() -> None:
    """RG-67: two merchants each score the koku."""
    state = position()
    served(state, 0, "merchant_1", "merchant_2")
    state.players[0].koku = 12
    assert [card_points(state.players[0], CUSTOMER[f"merchant_{n}"]) for n in (1, 2)] == [2, 2]


def test_we_10_nobles() -> None:
    """RG-48, RG-50: all delivered nobles act when the royal ship sails, none with a standard ship."""
    for ship, koku, points in ((1, 2 + 2 + 3, 2 + 1), (2, 2 + 3, 2)):
        state = position(seats=2, die=1)
        mantis, other = state.players
        served(state, 0, "noble_2", "noble_6")
        mantis.royal = 0
        mantis.ships = [10, 10]
        put(state, "S21", "e1_port_3", 0)
        put(state, "S22", "e1_shrine_6", 1)
        act(state, a.Sail(ship, 0))
        assert mantis.koku == koku
        assert mantis.favor == 1
        assert vp(mantis) == points
        assert vp(other) == 1


def test_we_11_artisan_scoring() -> None:
    """RG-67, RG-96: two artisans each score the goods."""
    state = position()
    served(state, 0, "artisan_1", "artisan_5")
    goods(state.players[0], silk=4, rice=2, porcelain=1)
    labels = {line.label: line.points for line in lines(state)[0]}
    assert (labels["artisan_1"], labels["artisan_5"]) == (2, 2)


def test_we_12_artisan_discount() -> None:
    """RG-37: 2 koku less in the artisan's region, for its owner alone."""
    state = position()
    served(state, 0, "artisan_3")
    scorpion, other = state.players[:2]
    assert (cost(scorpion, SPACE["S12"]), cost(scorpion, SPACE["S14"])) == (10, 3)
    assert cost(scorpion, SPACE["S16"]) == 9
    assert (cost(other, SPACE["S12"]), cost(other, SPACE["S14"])) == (12, 5)


def test_we_13_elder() -> None:
    """RG-94: the elder doubles the own share of the region."""
    state = position()
    served(state, 0, "elder_4")
    state.scoring_tiles[3] = 1  # 9 / 5
    state.players[0].influence[3], state.players[1].influence[3] = 4, 6
    labels = {line.label: line.points for line in lines(state)[0]}
    assert labels["region_4"] + labels["elder_4"] == 10


def test_we_14_region_tie() -> None:
    """RG-92, RG-94: a tie shares the pool, the elder doubles after that."""
    assert region_shares([8, 8, 3], (9, 5)) == [7, 7, 0]
    state = position()
    served(state, 0, "elder_2")
    state.scoring_tiles = [0, 1, 2, 3, 4, 5]
    for player, at in zip(state.players, (8, 8, 3), strict=True):
        player.influence[1] = at
    totals = [sum(line.points for line in part if line.label in ("region_2", "elder_2")) for part in lines(state)]
    assert totals == [14, 7, 0]


def test_we_15_two_players() -> None:
    """RG-93: the second place counts up to 5 positions behind."""
    assert region_shares([14, 9], (8, 4)) == [8, 4]
    assert region_shares([14, 8], (8, 4)) == [8, 0]
    assert region_shares([12, 12], (8, 4)) == [6, 6]


def test_we_16_customer_count() -> None:
    """RG-95"""
    state = position()
    served(state, 0, "monk_1", "monk_2", "monk_3", "monk_4")
    assert customer_points(state.players[0]) == 14
    served(state, 0, "monk_5", "monk_6", "elder_1")
    assert customer_points(state.players[0]) == 27
    assert customer_points(state.players[1]) == 0


def test_we_17_starting_koku() -> None:
    """RG-23: koku by the place in the turn order."""
    state = deal.new(4, "none", bytes(32))
    order = [state.players[(state.first + n) % 4] for n in range(4)]
    assert [player.koku for player in order] == [7, 8, 9, 10]
    for player in order:
        assert (player.favor, player.favor_limit, player.goods, len(player.hand)) == (2, 3, [1, 1, 1], 2)
