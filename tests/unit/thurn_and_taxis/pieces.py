"""The games of the campaign, and where every piece of the box must be (section 14 of the rules)."""

from functools import lru_cache
from itertools import pairwise
from typing import Any

from services.games.thurn_and_taxis.components import (
    CARRIAGE_COUNTS,
    CARRIAGE_VALUES,
    CITIES,
    COPIES,
    DISPLAY_SIZE,
    FIRST_TILE,
    GAME_END,
    GAP,
    HOUSES,
    NEIGHBOURS,
    STACK_KINDS,
    STACK_VALUES,
    TILES,
)
from services.games.thurn_and_taxis.state import DISCARD, GAME_OVER, NOBODY, POSTMASTER, TAKE_SECOND, Player, State

# What has not changed since the last action has been looked at already.
cache = lru_cache(10_000)

CASES: list[tuple[list[str], dict[str, Any]]] = [
    (["player"] * 2, {}),
    (["player"] * 3, {}),
    (["player"] * 4, {}),
    (["player"] * 2, {"all_provinces_requires_baiern": False}),
]

PLAYTHROUGHS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    "2-seats": (["player"] * 2, {}, 119),
    "3-seats": (["player"] * 3, {}, 277),
    "4-seats": (["player"] * 4, {"all_provinces_requires_baiern": False}, 336),
}

ALL_CARDS = sorted(list(range(len(CITIES))) * COPIES)

ALL_TILES = list(range(len(TILES)))
# Stack of each tile of which a player may have one.
LIMITED = {tile: stack for tile, (stack, *_) in enumerate(TILES) if STACK_KINDS[stack] != "length"}


def account(state: State) -> None:
    account_for_cards(state)
    account_for_tiles(state)
    account_for_carriages(state)
    for player in state.players:
        account_for_player(player)
    if state.phase == TAKE_SECOND:
        assert state.official == POSTMASTER
    if state.phase == GAME_OVER:
        assert (state.seat + 1) % len(state.players) == state.first, "unequal turns"


def account_for_cards(state: State) -> None:
    cards = state.deck + state.discard + [card for card in state.display if card != GAP]
    for player in state.players:
        cards += player.hand + player.route
    assert sorted(cards) == ALL_CARDS, "a card is lost or doubled"
    assert len(state.display) == DISPLAY_SIZE
    if state.phase != DISCARD:
        assert state.deck or not state.discard, "the deck was not formed anew at once"
    if GAP in state.display:
        assert not state.deck, "a gap in the display although the deck has cards"


def account_for_tiles(state: State) -> None:
    held = tuple(tuple(player.tiles) for player in state.players)
    assert all_tiles(tuple(state.stacks), held), "a tile is lost, doubled or not taken from the top"
    assert one_of_each(held), "two tiles of a stack that gives one"
    holders = [seat for seat, tiles in enumerate(held) if FIRST_TILE[GAME_END] in tiles]
    assert holders == ([] if state.ended_by == NOBODY else [state.ended_by])


@cache
def all_tiles(stacks: tuple[int, ...], held: tuple[tuple[int, ...], ...]) -> bool:
    tiles = [tile for own in held for tile in own]
    for first, values, left in zip(FIRST_TILE, STACK_VALUES, stacks, strict=True):
        tiles += range(first + len(values) - left, first + len(values))
    return sorted(tiles) == ALL_TILES


@cache
def one_of_each(held: tuple[tuple[int, ...], ...]) -> bool:
    limited = [[LIMITED[tile] for tile in own if tile in LIMITED] for own in held]
    return all(len(set(stacks)) == len(stacks) for stacks in limited)


def account_for_carriages(state: State) -> None:
    assert all_carriages(tuple(state.carriages), tuple(player.carriage for player in state.players))


@cache
def all_carriages(left: tuple[int, ...], held: tuple[int, ...]) -> bool:
    return all(
        sum(own >= value for own in held) + there == count
        for value, there, count in zip(CARRIAGE_VALUES, left, CARRIAGE_COUNTS, strict=True)
    )


def account_for_player(player: Player) -> None:
    assert player.houses.bit_count() + player.houses_left == HOUSES
    assert player.carriage == 0 or player.carriage in CARRIAGE_VALUES
    assert in_order(tuple(player.hand), tuple(player.seen))
    assert is_route(tuple(player.route)), "a city twice, or no road"


@cache
def in_order(hand: tuple[int, ...], seen: tuple[int, ...]) -> bool:
    return list(hand) == sorted(hand) and all(seen.count(card) <= hand.count(card) for card in seen)


@cache
def is_route(cities: tuple[int, ...]) -> bool:
    roads = all(NEIGHBOURS[a] >> b & 1 for a, b in pairwise(cities))
    return roads and len(set(cities)) == len(cities)
