"""How good a position looks: the evaluation for the bots."""

from services.river_of_gold.scoring import scores
from services.river_of_gold.state import State


def evaluate(state: State, seat: int) -> float:
    return float(scores(state)[seat])
