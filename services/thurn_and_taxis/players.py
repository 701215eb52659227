"""How good a position is for a seat."""

from services.thurn_and_taxis.scoring import score
from services.thurn_and_taxis.state import State


def evaluate(state: State, seat: int) -> float:
    return score(state.players[seat])
