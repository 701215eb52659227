"""What the campaign of random games plays, and where every piece of the box must be."""

from typing import Any

from services.games.tea_garden.components import (
    ACTION_CARDS,
    BASE_BOX,
    END_SPOTS,
    FAR,
    NEAR,
    PAGODAS,
    REGION_HEX,
    REGION_PROVINCE,
    REGION_SPACES,
    RIVER_END,
    START_CARDS,
    SUPPLY_WORKERS,
    TILE_IDS,
    WITH_PU_ERH,
    Box,
)
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.pu_erh.components import (
    BASIC_TOKENS,
    CAKE,
    DECREE_IDS,
    DECREE_SIDE,
    HALL_IDS,
    MESSENGERS,
    PREMIUM_TOKENS,
    PU_ERH_IDS,
    WAITING,
    halls_shown,
)
from services.games.tea_garden.pu_erh.decrees import newly_met
from services.games.tea_garden.state import DECREE_SPACE, OVER, PLACE_CUP, PLACE_TOKEN, Court, LuYu, Player, State

SOLO = ["player", "lu_yu"]
LEVELS = ("easy", "medium", "hard", "master")
CASES: list[tuple[list[str], dict[str, Any]]] = [
    *((["player"] * seats, {}) for seats in (2, 3, 4)),
    *((SOLO, {"difficulty": level}) for level in LEVELS),
    *((["player"] * seats, {"pu_erh": True}) for seats in (2, 3, 4)),
    *((SOLO, {"difficulty": level, "pu_erh": True}) for level in LEVELS),
]
PLAYTHROUGHS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    **{f"{seats}-players": (["player"] * seats, {}, seats) for seats in (2, 3, 4)},
    **{
        f"lu-yu-{number + 1:02}-{LEVELS[number % 4]}": (SOLO, {"difficulty": LEVELS[number % 4]}, 100 + number)
        for number in range(20)
    },
    **{f"pu-erh-{seats}-players": (["player"] * seats, {"pu_erh": True}, 200 + seats) for seats in (2, 3, 4)},
    "pu-erh-lu-yu-master": (SOLO, {"difficulty": "master", "pu_erh": True}, 205),
}


def box(s: State) -> Box:
    return WITH_PU_ERH if s.court.decrees else BASE_BOX


def account(s: State) -> None:
    """Every piece of the box is where it may be."""
    account_cards(s)
    caravans = s.caravan_row + s.caravan_deck + s.box_caravans + [one for p in s.players for one in p.caravans]
    assert sorted(one for one in caravans if one >= 0) == list(box(s).caravans)
    tiles = [tile for stack in s.cup_stacks for tile in stack] + s.box_tiles
    tiles += [tile for p in s.players for row in p.cups for tile in row]
    tiles += [s.subject] if s.question == PLACE_CUP else []
    assert sorted(tiles) == list(range(len(TILE_IDS)))
    on_map = [token for token in s.tokens if token >= 0]
    assert len(set(on_map)) == len(on_map) == sum(REGION_HEX) and set(on_map) <= set(box(s).tokens)
    spots = s.spots + [p.spot for p in s.players if p.boat == RIVER_END]
    assert sorted(spots, reverse=True) == list(END_SPOTS)
    assert s.room == sum(1 << region for region, spaces in enumerate(s.spaces) if -1 in spaces)
    for seat, p in enumerate(s.players):
        account_player(s, seat, p)
    if s.lu_yu is not None:
        account_lu_yu(s, s.lu_yu)
    if s.court.decrees:
        account_court(s, s.court)
    else:
        assert s.court == Court()
        assert not any(p.messengers or p.waiting or p.decrees or p.sets for p in s.players)


def account_cards(s: State) -> None:
    held = [own for p in s.players for own in (p.hand, p.deck, p.discard, *p.stacks)]
    shared = [s.action_row, s.action_deck, s.box_cards, s.removed, s.emperor_row, s.emperor_deck]
    lu_yu = [s.lu_yu.cards] if s.lu_yu is not None else []
    cards = sorted(card for pile in held + shared + lu_yu for card in pile if card >= 0)
    decks = len(s.players) - (s.lu_yu is not None)
    start = [card for card in cards if card in START_CARDS]
    assert start == sorted(list(START_CARDS) * decks)
    assert [card for card in cards if card not in START_CARDS] == [*ACTION_CARDS, *box(s).emperor_cards]


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
    laid = len(p.stacks) if s.lu_yu is None or seat != s.lu_yu.seat else len(s.lu_yu.laid)
    assert laid <= p.turn_spaces == box(s).turn_spaces


def account_lu_yu(s: State, lu: LuYu) -> None:
    cards = [*lu.deck, *lu.laid, *lu.box, *(card for pile in lu.piles for card in pile)]
    assert sorted(cards) == list(range(len(solo.IDS)))
    assert lu.fresh >= 0 and lu.fermented >= 0
    assert all(solo.BACKS[card].side == side for side, pile in enumerate(lu.piles, 1) for card in pile)
    p = s.players[lu.seat]
    assert not (p.hand or p.deck or p.discard or p.stacks or any(p.leaves) or any(p.scrolls))
    assert s.court.decrees or not p.vp


def account_court(s: State, court: Court) -> None:
    assert sorted(court.halls + court.hall_deck + court.past_halls) == list(range(len(HALL_IDS)))
    shown = halls_shown(len(s.players))
    assert len(court.halls) == len(court.spaces) == (0 if s.question == OVER else shown)
    assert len(court.past_halls) == shown * (s.round - (s.question != OVER))
    held = [token for p in s.players for own in p.sets for token in own]
    held += [s.subject] if s.question == PLACE_TOKEN else []
    piles = [court.basic_row, court.basic_deck, court.premium_row, court.premium_deck, held]
    assert sorted(token for pile in piles for token in pile if token >= 0) == list(range(len(PU_ERH_IDS)))
    assert all(token in BASIC_TOKENS for token in court.basic_row + court.basic_deck if token >= 0)
    assert all(token in PREMIUM_TOKENS for token in court.premium_row + court.premium_deck if token >= 0)
    assert len({DECREE_IDS[decree] for decree in court.decrees}) == len(court.decrees)
    assert [DECREE_SIDE[decree] for decree in court.decrees] == ["brown", "brown", "red", "red"]
    for seat, p in enumerate(s.players):
        away = sum(spaces.count(seat) for spaces in court.spaces)
        assert p.messengers >= 0 and p.messengers + p.waiting + away == MESSENGERS + WAITING
        fulfilled = p.decrees.bit_count()
        assert p.waiting == max(0, WAITING - fulfilled)
        assert fulfilled == sum((honours + beside).count(seat) for honours, beside in workers(court))
        assert all(1 <= len(own) <= CAKE for own in p.sets)
        assert newly_met(s, p) < 0 or s.question == DECREE_SPACE or pending(s, seat)
    assert all(-1 not in honours for honours, beside in workers(court) if beside)


def workers(court: Court) -> list[tuple[list[int], list[int]]]:
    """On the spaces of each decree, and beside them."""
    return list(zip(court.honours, court.beside, strict=True))


def pending(s: State, seat: int) -> bool:
    """A seat in the middle of a step may meet a decree that is checked at the step's end."""
    return s.seat == seat and s.question == PLACE_CUP
