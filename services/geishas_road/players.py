"""How good a position is, for the bots."""

from services.geishas_road.state import State


def evaluate(state: State, seat: int) -> float:
    return 0.0
