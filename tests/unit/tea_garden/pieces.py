"""What the campaign of random games plays, and where every piece of the box must be."""

from typing import Any

from services.tea_garden import lu_yu_cards as solo
from services.tea_garden.components import (
    ACTION_CARDS,
    CARAVAN_IDS,
    EMPEROR_CARDS,
    END_SPOTS,
    FAR,
    NEAR,
    PAGODAS,
    REGION_PROVINCE,
    REGION_SPACES,
    RIVER_END,
    START_CARDS,
    SUPPLY_WORKERS,
    TILE_IDS,
    TOKEN_IDS,
)
from services.tea_garden.state import PLACE_CUP, LuYu, Player, State

SOLO = ["player", "lu_yu"]
LEVELS = ("easy", "medium", "hard", "master")
CASES: list[tuple[list[str], dict[str, Any]]] = [
    *((["player"] * seats, {}) for seats in (2, 3, 4)),
    *((SOLO, {"difficulty": level}) for level in LEVELS),
]
PLAYTHROUGHS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    **{f"{seats}-players": (["player"] * seats, {}, seats) for seats in (2, 3, 4)},
    **{
        f"lu-yu-{number + 1:02}-{LEVELS[number % 4]}": (SOLO, {"difficulty": LEVELS[number % 4]}, 100 + number)
        for number in range(20)
    },
}


def account(s: State) -> None:
    """Every piece of the box is where it may be."""
    account_cards(s)
    caravans = s.caravan_row + s.caravan_deck + s.box_caravans + [one for p in s.players for one in p.caravans]
    assert sorted(one for one in caravans if one >= 0) == list(range(len(CARAVAN_IDS)))
    tiles = [tile for stack in s.cup_stacks for tile in stack] + s.box_tiles
    tiles += [tile for p in s.players for row in p.cups for tile in row]
    tiles += [s.subject] if s.question == PLACE_CUP else []
    assert sorted(tiles) == list(range(len(TILE_IDS)))
    on_map = [token for token in s.tokens if token >= 0]
    assert len(set(on_map)) == len(on_map) == len(TOKEN_IDS) - 3
    spots = s.spots + [p.spot for p in s.players if p.boat == RIVER_END]
    assert sorted(spots, reverse=True) == list(END_SPOTS)
    assert s.room == sum(1 << region for region, spaces in enumerate(s.spaces) if -1 in spaces)
    for seat, p in enumerate(s.players):
        account_player(s, seat, p)
    if s.lu_yu is not None:
        account_lu_yu(s, s.lu_yu)


def account_cards(s: State) -> None:
    held = [own for p in s.players for own in (p.hand, p.deck, p.discard, *p.stacks)]
    shared = [s.action_row, s.action_deck, s.box_cards, s.removed, s.emperor_row, s.emperor_deck]
    lu_yu = [s.lu_yu.cards] if s.lu_yu is not None else []
    cards = sorted(card for pile in held + shared + lu_yu for card in pile if card >= 0)
    decks = len(s.players) - (s.lu_yu is not None)
    start = [card for card in cards if card in START_CARDS]
    assert start == sorted(list(START_CARDS) * decks)
    assert [card for card in cards if card not in START_CARDS] == [*ACTION_CARDS, *EMPEROR_CARDS]


def account_player(s: State, seat: int, p: Player) -> None:
    assert all(count >= 0 for count in (*p.leaves, *p.scrolls, p.tokens, p.vp, p.centre))
    assert p.centre + p.workers == SUPPLY_WORKERS
    assert len(p.gardens) + len(p.pagodas) == len(PAGODAS) + 1
    occupied = [region for region in range(len(REGION_SPACES)) if seat in s.spaces[region]]
    assert sorted(p.gardens) == occupied
    assert all(s.spaces[region].count(seat) == 1 for region in occupied)
    own = near = far = provinces = 0
    for region in p.gardens:
        own, near, far = own | 1 << region, near | NEAR[region], far | FAR[region]
        provinces |= 1 << REGION_PROVINCE[region]
    assert (p.own, p.near, p.far, p.provinces) == (own, near, far, provinces)
    assert [len(row) - 1 for row in p.cups] == [len(markers) for markers in p.markers]
    assert all(count >= 0 for markers in p.markers for count in markers)


def account_lu_yu(s: State, lu: LuYu) -> None:
    cards = [*lu.deck, *lu.laid, *lu.box, *(card for pile in lu.piles for card in pile)]
    assert sorted(cards) == list(range(len(solo.IDS)))
    assert lu.fresh >= 0 and lu.fermented >= 0
    assert all(solo.BACKS[card].side == side for side, pile in enumerate(lu.piles, 1) for card in pile)
    p = s.players[lu.seat]
    assert not (p.hand or p.deck or p.discard or p.stacks or any(p.leaves) or any(p.scrolls) or p.vp)
