"""A position. Cards are the indices of components.py. Nothing here decides anything."""

from msgspec import Struct

from services.engine.dice import Dice

# Which decision is due.
CHOOSE, LAY, OVER = range(3)
NONE = -1


class Player(Struct, array_like=True, gc=False):
    # Ascending: the order in which cards were drawn is nobody's business.
    hand: list[int]
    # Cards laid face up and face down.
    shown: list[int]
    hidden: list[int]


class State(Struct, array_like=True, gc=False):
    dice: Dice
    rounds: int
    players: list[Player]
    # The top card is the last one.
    deck: list[int]
    seat: int
    phase: int = CHOOSE
    # The card that is to be laid; until then it stays in the hand.
    chosen: int = NONE


def clone(state: State) -> State:
    return State(
        state.dice.clone(),
        state.rounds,
        [Player(player.hand[:], player.shown[:], player.hidden[:]) for player in state.players],
        state.deck[:],
        state.seat,
        state.phase,
        state.chosen,
    )
