"""Positions for the tests, written with the names on the components."""

from itertools import count
from typing import Any

import pytest

from services.engine import registry
from services.engine.dice import Dice
from services.engine.game import Event, IllegalAction
from services.games.river_of_gold import deal
from services.games.river_of_gold.actions.build import own
from services.games.river_of_gold.components import (
    CUSTOMER,
    IMPERIAL_MARKETS,
    IMPERIAL_SPACES,
    PATRON,
    PATRON_CLAN,
    SPACE,
    TILE,
)
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import EMPTY, MAIN, WRAP_UP, Player, State
from teahouse.games.river_of_gold.v1 import structs

SEED = bytes(range(32))
GOODS = ("silk", "rice", "porcelain")


def position(seats: int = 3, die: int = 1) -> State:
    """Seat 0 is to act, nobody holds anything, ships are on W01 and W08.

    Only the imperial markets stand on the shore: porcelain on S06, rice on S17, silk on S29.
    """
    state = deal.new(seats, "none", SEED)
    state.first = state.turn = state.actor = 0
    state.phase = MAIN
    state.shore = [EMPTY] * len(state.shore)
    for space, tile in zip(IMPERIAL_SPACES, IMPERIAL_MARKETS, strict=True):
        state.shore[space] = tile
    for player in state.players:
        state.deck += player.hand
        player.hand = []
        player.koku = player.favor = 0
        player.goods = [0, 0, 0]
        player.ships = [1, 8]
        player.die = die
    state.deck.sort()
    return state


def goods(player: Player, silk: int = 0, rice: int = 0, porcelain: int = 0) -> None:
    player.goods = [silk, rice, porcelain]


def put(state: State, space: str, tile: str, *owners: int) -> None:
    """Lays a tile with its markers, the builder's first."""
    at = SPACE[space]
    state.shore[at] = TILE[tile]
    for stack in (state.era1, state.era2, state.removed):
        if TILE[tile] in stack:
            stack.remove(TILE[tile])
    state.marker[at], state.second[at] = (*owners, -1, -1)[:2]
    for seat in set(owners):
        own(state.players[seat], at, TILE[tile])


def row(state: State, *tiles: str) -> None:
    """Slots 1 to 4."""
    state.row = [TILE[tile] if tile else EMPTY for tile in tiles]


def hand(state: State, seat: int, *cards: str) -> None:
    for name in cards:
        state.deck.remove(CUSTOMER[name])
        state.players[seat].hand.append(CUSTOMER[name])


def served(state: State, seat: int, *cards: str) -> None:
    """Customers that the seat has delivered to already."""
    for name in cards:
        state.deck.remove(CUSTOMER[name])
        state.players[seat].delivered |= 1 << CUSTOMER[name]


def patron(state: State, seat: int, name: str) -> Player:
    player = state.players[seat]
    player.patron = PATRON[name]
    player.clan = PATRON_CLAN[player.patron]
    if name == "patron_scorpion_governor":
        state.governor = seat
    return player


def act(state: State, action: Any) -> list[Event]:
    assert action in GAME.legal(state), f"{action} is not among {GAME.legal(state)}"
    return GAME.apply(state, action)


def finish(state: State) -> list[Event]:
    """Ends the turn if the machine waits for last exchanges."""
    return act(state, structs.EndTurn()) if state.phase == WRAP_UP else []


def refused(state: State, action: Any) -> str:
    """The reason why an action is illegal; the position stays untouched."""
    codec = registry.codec("river_of_gold")
    before = codec.encode(state)
    assert action not in GAME.legal(state)
    with pytest.raises(IllegalAction) as error:
        GAME.apply(state, action)
    assert codec.encode(state) == before
    return str(error.value)


def vp(player: Player) -> int:
    return sum(player.won)


def kinds(events: list[Event]) -> list[str]:
    return [type(event.public).__name__ for event in events]


def dice_rolling(*faces: int) -> Dice:
    """Dice whose next rolls are these faces."""
    for number in count():
        dice = Dice(number.to_bytes(32, "big"))
        if all(dice.below(6) + 1 == face for face in faces):
            return Dice(dice.seed)
    raise AssertionError
