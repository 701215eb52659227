"""The levels of bots that think. They differ in their budget for a decision, not in their code."""

from typing import NamedTuple


class Budget(NamedTuple):
    """What one decision may take: seconds, or a number of iterations where play must be repeatable."""

    seconds: float | None = None
    iterations: int | None = None
    # Thinking ends when it is expected to gain less than this, in standard deviations of the values seen.
    little: float = 0.1
    # How many times as many whole turns are compared.
    width: int = 1
    # How many turns beyond the game's horizon are played out.
    further: int = 0


BUDGETS = {
    "easy": Budget(seconds=0.1),
    "medium": Budget(seconds=0.5),
    "hard": Budget(seconds=2.0, little=0.05, width=2, further=2),
}


def budget(level: str) -> Budget | None:
    """The budget of a level; None if it plays at once. "medium:400" (arena, tests) has 400 iterations, not seconds."""
    name, counted, iterations = level.partition(":")
    known = BUDGETS.get(name)
    return known._replace(seconds=None, iterations=int(iterations)) if known and counted else known


def thinking(level: str) -> float:
    """Seconds that a decision of that level may take; 0 if it plays at once."""
    known = BUDGETS.get(level)
    return known.seconds or 0.0 if known else 0.0
