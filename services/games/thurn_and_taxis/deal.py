"""Setting up a game (TT-10 … TT-14)."""

from services.engine.dice import Dice
from services.games.thurn_and_taxis.actions.steps import begin_turn
from services.games.thurn_and_taxis.components import (
    CARRIAGE_COUNTS,
    CITIES,
    COPIES,
    DISPLAY_SIZE,
    HOUSES,
    STACK_VALUES,
)
from services.games.thurn_and_taxis.state import Player, State


def deal(seats: int, requires_baiern: bool, seed: bytes) -> State:
    dice = Dice(seed)
    deck = [city for city in range(len(CITIES)) for _ in range(COPIES)]
    dice.shuffle(deck)
    display = [deck.pop() for _ in range(DISPLAY_SIZE)]
    first = dice.below(seats)
    state = State(
        dice=dice,
        requires_baiern=requires_baiern,
        players=[Player([], [], [], [], 0, HOUSES, 0) for _ in range(seats)],
        deck=deck,
        discard=[],
        display=display,
        stacks=[len(values) for values in STACK_VALUES],
        carriages=list(CARRIAGE_COUNTS),
        first=first,
        seat=first,
    )
    begin_turn(state, None)
    return state
