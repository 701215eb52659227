"""The games of the campaign, and where every piece of the box must be (section 14 of the rules)."""

from typing import Any

from services.thurn_and_taxis.components import (
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
from services.thurn_and_taxis.state import DISCARD, GAME_OVER, NOBODY, POSTMASTER, TAKE_SECOND, Player, State

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
    tiles = [tile for player in state.players for tile in player.tiles]
    for first, values, left in zip(FIRST_TILE, STACK_VALUES, state.stacks, strict=True):
        tiles += range(first + len(values) - left, first + len(values))
    assert sorted(tiles) == ALL_TILES, "a tile is lost, doubled or not taken from the top"
    for player in state.players:
        limited = [LIMITED[tile] for tile in player.tiles if tile in LIMITED]
        assert len(set(limited)) == len(limited), "two tiles of a stack that gives one"
    holders = [seat for seat, player in enumerate(state.players) if FIRST_TILE[GAME_END] in player.tiles]
    assert holders == ([] if state.ended_by == NOBODY else [state.ended_by])


def account_for_carriages(state: State) -> None:
    for kind, value in enumerate(CARRIAGE_VALUES):
        held = sum(player.carriage >= value for player in state.players)
        assert held + state.carriages[kind] == CARRIAGE_COUNTS[kind]


def account_for_player(player: Player) -> None:
    assert player.houses.bit_count() + player.houses_left == HOUSES
    assert player.carriage in (0, *CARRIAGE_VALUES)
    assert player.hand == sorted(player.hand)
    if player.seen:
        assert all(player.seen.count(card) <= player.hand.count(card) for card in player.seen)
    assert len(set(player.route)) == len(player.route)
    assert all(NEIGHBOURS[a] >> b & 1 for a, b in zip(player.route, player.route[1:], strict=False))
