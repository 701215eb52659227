"""Where every piece of the box must be, and which games the campaign plays."""

from collections import Counter

from services.games.river_of_gold.components import (
    CUSTOMERS,
    ENGINEER,
    ERA_COUNTS,
    ERA_TILES,
    GOVERNOR,
    IMPERIAL_MARKETS,
    IMPERIAL_SPACES,
    MASTERY_SLOTS,
    SPACE_REGION,
    STARTING_SPACES,
    STARTING_TILES,
    STORMS,
    TILE_TYPE,
)
from services.games.river_of_gold.state import DISCARD, DRAFT, EMPTY, NOBODY, OVER, PENDING, PICK, SELLING, State

PATRON_OPTIONS: tuple[dict[str, str], ...] = ({}, {"patrons": "draft"}, {}, {"patrons": "pick"})
# Half of the games are played with patrons, by both ways of choosing them.
CASES = [(["player"] * seats, options) for options in PATRON_OPTIONS for seats in (2, 3, 4)]
PLAYTHROUGHS = {
    "two": (["player"] * 2, {}, 1),
    "three": (["player"] * 3, {}, 2),
    "four-patrons": (["player"] * 4, {"patrons": "draft"}, 3),
    "two-pick": (["player"] * 2, {"patrons": "pick"}, 4),
}


def account(state: State) -> None:
    _tiles(state)
    _customers(state)
    _markers(state)
    _limits(state)
    _others(state)


def _tiles(state: State) -> None:
    seats = len(state.players)
    row = [tile for tile in state.row if tile != EMPTY]
    built = [tile for space, tile in enumerate(state.shore) if tile != EMPTY and state.marker[space] != NOBODY]
    everywhere = built + row + state.era1 + state.era2 + state.removed + state.discarded_tiles
    assert Counter(everywhere) == Counter(ERA_TILES[0] + ERA_TILES[1]), "era tiles are missing or doubled"
    assert len(everywhere) - len(state.removed) == sum(ERA_COUNTS[seats])
    assert {state.shore[space] for space in IMPERIAL_SPACES} == set(IMPERIAL_MARKETS)
    unowned = [space for space, tile in enumerate(state.shore) if tile != EMPTY and state.marker[space] == NOBODY]
    assert set(unowned) == {*IMPERIAL_SPACES, *STARTING_SPACES[seats]}
    starting = Counter(state.shore[space] for space in STARTING_SPACES[seats])
    assert starting <= Counter(STARTING_TILES)
    assert state.gap >= 0 or (state.row[-1] != EMPTY and (state.row[0] != EMPTY or not state.era2))
    if state.ended_by == NOBODY and state.gap < 0:
        assert len(row) == 4


def _customers(state: State) -> None:
    hands = [card for player in state.players for card in player.hand]
    delivered = [card for player in state.players for card in range(len(CUSTOMERS)) if player.delivered >> card & 1]
    everywhere = hands + delivered + state.deck + state.discards
    assert sorted(everywhere) == list(range(len(CUSTOMERS))), "customers are missing or doubled"
    for seat, player in enumerate(state.players):
        size = 0 if state.phase in (DRAFT, PICK) else 3 if player.patron == STORMS else 2
        busy = seat == state.turn and state.phase in (PENDING, DISCARD, SELLING)
        assert len(player.hand) <= size + (1 if busy else 0), "too many customers in a hand"
        assert busy or len(player.hand) == size or not state.deck + state.discards or player.delivered


def _markers(state: State) -> None:
    for seat, player in enumerate(state.players):
        own = [space for space in range(30) if seat in (state.marker[space], state.second[space])]
        types = Counter(TILE_TYPE[state.shore[space]] for space in own)
        assert player.built == [types[kind] for kind in range(4)]
        assert player.lands == sum(1 << region for region in {SPACE_REGION[space] for space in own})
    for first, second, tile in zip(state.marker, state.second, state.shore, strict=True):
        assert first == NOBODY or tile != EMPTY, "a marker without a building"
        assert second == NOBODY or first != NOBODY, "a second marker without a first"
    monks = sum((player.delivered >> 18 & 63).bit_count() for player in state.players)
    assert sum(seat != NOBODY for seat in state.second) <= monks


def _limits(state: State) -> None:
    for player in state.players:
        assert 0 <= player.koku <= 25
        assert all(0 <= n <= 6 for n in player.goods)
        assert 0 <= player.favor <= player.favor_limit
        assert 3 <= player.favor_limit <= 6
        assert all(0 <= at <= 18 for at in player.influence)
        assert all(n >= 0 for n in player.pending + player.won)
        if state.phase not in (DRAFT, PICK):
            assert len(player.ships) == 2
        assert all(1 <= at <= 14 for at in player.ships)
        assert 0 <= player.die <= 6
        nobles = player.delivered >> 24
        assert (player.royal >= 0) == bool(nobles) or player.pending[5]


def _others(state: State) -> None:
    seats = len(state.players)
    assert len(set(state.masteries)) == 3
    for mastery, claims in zip(state.masteries, state.claims, strict=True):
        assert len(set(claims)) == len(claims) <= len(MASTERY_SLOTS[seats][mastery])
    assert sorted(state.scoring_tiles) == list(range(6))
    patrons = [player.patron for player in state.players if player.patron >= 0]
    assert len(set(patrons)) == len(patrons)
    clans = [player.clan for player in state.players if player.clan >= 0]
    assert len(set(clans)) == len(clans)
    if state.phase not in (DRAFT, PICK):
        assert (state.governor >= 0) == (GOVERNOR in patrons)
        assert ENGINEER not in patrons or patrons.count(ENGINEER) == 1
    if state.phase == OVER:
        assert not state.era1 and not state.era2
        assert all(not any(player.pending) for player in state.players)
