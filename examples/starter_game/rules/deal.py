"""Setting up a game (SG-1, SG-2)."""

from services.engine.dice import Dice
from services.games.starter_game.components import CARDS, HAND
from services.games.starter_game.state import Player, State
from services.games.starter_game.turn import begin_turn


def deal(seats: int, rounds: int, seed: bytes) -> State:
    dice = Dice(seed)
    deck = list(range(len(CARDS)))
    dice.shuffle(deck)
    players = [Player(sorted(deck.pop() for _ in range(HAND)), [], []) for _ in range(seats)]
    state = State(dice, rounds, players, deck, seat=dice.below(seats))
    begin_turn(state, None)
    return state
