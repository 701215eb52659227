"""Positions for the tests, built from the ids of components.json, and a way to play on from them."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from services.engine.dice import Dice
from services.games.thurn_and_taxis.components import (
    CARRIAGE_COUNTS,
    CARRIAGE_VALUES,
    CITIES,
    CITY,
    COPIES,
    DISPLAY_SIZE,
    FIRST_TILE,
    GAP,
    HOUSES,
    STACK_VALUES,
    STACKS,
    TILES,
    mask,
)
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import TAKE_FIRST, Player, State
from teahouse.games.thurn_and_taxis.v1 import structs
from tests.unit.thurn_and_taxis.pieces import account


def seat(
    hand: Iterable[str] = (),
    route: Sequence[str] = (),
    houses: Iterable[str] = (),
    carriage: int = 0,
) -> Player:
    standing = mask(CITY[name] for name in houses)
    return Player(
        hand=sorted(CITY[name] for name in hand),
        seen=[],
        route=[CITY[name] for name in route],
        tiles=[],
        houses=standing,
        houses_left=HOUSES - standing.bit_count(),
        carriage=carriage,
    )


def position(
    *players: Player,
    display: Sequence[str] | None = None,
    deck: Sequence[str] | None = None,
    discard: Sequence[str] = (),
    keeper: int = 1,
    phase: int = TAKE_FIRST,
    official: int = 0,
    actor: int = 0,
    first: int = 0,
    taken: dict[str, int] | None = None,
    requires_baiern: bool = True,
) -> State:
    """A position in which all 66 cards and 30 tiles exist.

    `display` and `deck` are given by city, "" being a gap, the top card of the deck first. Without a deck, all other
    cards are the deck; with one, the player `keeper` holds them. `taken` tiles have left the game with the last player.
    """
    seats = list(players) if len(players) > 1 else [*players, seat()]
    bag = [city for city in range(len(CITIES)) for _ in range(COPIES)]
    for player in seats:
        for card in player.hand + player.route:
            bag.remove(card)
    for name in [*discard, *(display or ()), *(deck or ())]:
        if name:
            bag.remove(CITY[name])
    if display is None:
        shown = [bag.pop(7 * slot % len(bag)) for slot in range(DISPLAY_SIZE)]
    else:
        shown = [CITY[name] if name else GAP for name in display]
    if deck is None:
        pile = bag
    else:
        pile = [CITY[name] for name in reversed(deck)]
        seats[keeper].hand = sorted(seats[keeper].hand + bag)
    state = State(
        dice=Dice(bytes(32)),
        requires_baiern=requires_baiern,
        players=seats,
        deck=pile,
        discard=[CITY[name] for name in discard],
        display=shown,
        stacks=[len(values) for values in STACK_VALUES],
        carriages=[
            count - sum(player.carriage >= value for player in seats)
            for value, count in zip(CARRIAGE_VALUES, CARRIAGE_COUNTS, strict=True)
        ],
        first=first,
        seat=actor,
        phase=phase,
        official=official,
    )
    for stack, count in (taken or {}).items():
        give_tiles(state, STACKS.index(stack), count)
    account(state)
    return state


def give_tiles(state: State, stack: int, count: int) -> None:
    """Gives the top tiles of a stack to the players after the actor, one each in turn."""
    for turn in range(count):
        tile = FIRST_TILE[stack] + len(STACK_VALUES[stack]) - state.stacks[stack]
        state.stacks[stack] -= 1
        state.players[(state.seat + 1 + turn % (len(state.players) - 1)) % len(state.players)].tiles.append(tile)


def play(state: State, *actions: Struct) -> list[Any]:
    """Plays actions that must be legal; returns the public events of all of them."""
    told: list[Any] = []
    for action in actions:
        assert action in GAME.legal(state), f"{action} is not legal: {GAME.legal(state)}"
        told += [event.public for event in GAME.apply(state, action)]
        account(state)
    return told


def kinds(state: State) -> set[str]:
    names = {kind: name for name, kind in structs.ACTIONS.items()}
    return {names[type(action)] for action in GAME.legal(state)}


def legal(state: State, kind: type) -> list[Any]:
    return [action for action in GAME.legal(state) if type(action) is kind]


def cities(cards: Iterable[int]) -> list[str]:
    return [CITIES[card] for card in cards]


def houses(player: Player) -> set[str]:
    return {name for city, name in enumerate(CITIES) if player.houses >> city & 1}


def tiles(player: Player) -> list[tuple[str, int]]:
    return [(STACKS[TILES[tile][0]], TILES[tile][1]) for tile in player.tiles]


def told(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if type(event) is kind]
