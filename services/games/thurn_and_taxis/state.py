"""A position. Cards are city indices, sets of cities are bit masks; see components.py."""

from typing import Final

from msgspec import Struct

from services.engine.dice import Dice

# Decisions (`State.phase`).
TAKE_FIRST: Final = 0
TAKE_SECOND: Final = 1
PLAY_FIRST: Final = 2
START_ANEW: Final = 3
AFTER_PLAY: Final = 4
PLACE_HOUSES: Final = 5
CARTWRIGHT_DECISION: Final = 6
DISCARD: Final = 7
GAME_OVER: Final = 8
PHASES: Final = (
    "take_first",
    "take_second",
    "play_first",
    "start_anew",
    "after_play",
    "place_houses",
    "cartwright",
    "discard",
    "game_over",
)

# Officials (`State.official`).
NO_OFFICIAL: Final = 0
POSTMASTER: Final = 1
ADMINISTRATOR: Final = 2
POSTAL_CARRIER: Final = 3
CARTWRIGHT: Final = 4
OFFICIALS: Final = (None, "postmaster", "administrator", "postal_carrier", "cartwright")

# Why the game ends (`State.ending`).
NOT_ENDING: Final = 0
BY_HOUSES: Final = 1
BY_CARRIAGE: Final = 2
BY_DEADLOCK: Final = 3
ENDINGS: Final = ("", "houses", "carriage", "deadlock")

NOBODY: Final = -1


class Player(Struct, array_like=True, gc=False):
    """What lies in front of a player."""

    # Sorted.
    hand: list[int]
    # Cards of the hand that everybody saw its owner take from the display.
    seen: list[int]
    # Left to right.
    route: list[int]
    tiles: list[int]
    # Cities with a house.
    houses: int
    houses_left: int
    # Value of the highest carriage; 0 = none.
    carriage: int


class State(Struct, array_like=True, gc=False):
    """A game under way."""

    dice: Dice
    requires_baiern: bool
    players: list[Player]
    # Top card last.
    deck: list[int]
    # Top card last.
    discard: list[int]
    # Indexed by slot; GAP where there is no card.
    display: list[int]
    # How many tiles are left, by stack.
    stacks: list[int]
    # How many carriages are left, by kind.
    carriages: list[int]
    first: int
    seat: int
    phase: int = TAKE_FIRST
    official: int = NO_OFFICIAL
    round: int = 1
    # Whether anybody took, played or closed in this round (R-7 d).
    stirred: bool = False
    # Cities that got a house in the present closing.
    placed: list[int] = []
    ending: int = NOT_ENDING
    # The seat that holds the game end tile.
    ended_by: int = NOBODY


def clone(state: State) -> State:
    return State(
        state.dice.clone(),
        state.requires_baiern,
        [
            Player(p.hand[:], p.seen[:], p.route[:], p.tiles[:], p.houses, p.houses_left, p.carriage)
            for p in state.players
        ],
        state.deck[:],
        state.discard[:],
        state.display[:],
        state.stacks[:],
        state.carriages[:],
        state.first,
        state.seat,
        state.phase,
        state.official,
        state.round,
        state.stirred,
        state.placed[:],
        state.ending,
        state.ended_by,
    )
