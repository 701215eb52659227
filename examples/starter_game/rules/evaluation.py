"""How good a position is, for the bots: the lead over the best of the others, if the game ended now.

A value in capitals is a weight: `make arena … WEIGHTS='{"IN_HAND": 0.3}'` plays with another one.
"""

from services.games.starter_game.components import VALUE
from services.games.starter_game.scoring import scores
from services.games.starter_game.state import NONE, State

# What a chosen card promises, of its value.
IN_HAND = 0.5


def evaluate(state: State, seat: int) -> float:
    points: list[float] = list(scores(state))
    if state.chosen != NONE:
        points[state.seat] += IN_HAND * VALUE[state.chosen]
    return points[seat] - max(points[:seat] + points[seat + 1 :])
