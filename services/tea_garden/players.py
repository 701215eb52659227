"""How good a position is, for the bots."""

from services.tea_garden.scoring import final_lines
from services.tea_garden.state import State


def evaluate(s: State, seat: int) -> float:
    return float(sum(line.points for line in final_lines(s)[seat]))
