"""The levels of bots that think: budgets for one decision, not different code."""

from typing import NamedTuple


class Budget(NamedTuple):
    """How long one decision may take: seconds, or iterations for play that can be repeated exactly."""

    seconds: float | None = None
    iterations: int | None = None
    # Thought ends when what it could still gain is likely to be less, in standard deviations of what search has seen.
    little: float = 0.1
    # So many times as many whole turns are compared.
    width: int = 1
    # So many turns are looked further ahead than the game's horizon.
    further: int = 0


BUDGETS = {
    "easy": Budget(seconds=0.1),
    "medium": Budget(seconds=0.5),
    "hard": Budget(seconds=2.0, little=0.05, width=2, further=2),
}


def budget(level: str) -> Budget | None:
    """None: the level plays at once. For the arena and tests "medium:400" has 400 iterations instead of its seconds."""
    name, counted, iterations = level.partition(":")
    known = BUDGETS.get(name)
    return known._replace(seconds=None, iterations=int(iterations)) if known and counted else known


def thinking(level: str) -> float:
    """Seconds that one decision of that level takes."""
    known = BUDGETS.get(level)
    return known.seconds or 0.0 if known else 0.0
