"""When a bot stops before its budget is over: when taking the leading action now is expected to lose little.

`Trials` and `Race` ask; they also stop when the leader cannot be caught up, and when a single action is left.
"""

from collections.abc import Iterable, Sequence
from math import erfc, exp, pi, sqrt

# The usual noise counts like this many differences seen.
PRIOR = 2.0


def may_stop(losses: Iterable[float], usual: float, little: float) -> bool:
    """Whether all other actions together are expected to cost little, measured by the `usual` spread of the values."""
    return sum(losses) <= little * usual


def expected_loss(lead: float, error: float) -> float:
    """How much better the other action is on average, counting only the cases in which it is better.

    `error` is the standard error of the lead. A clear lead loses nothing, and neither does a choice between equals.
    """
    if error <= 0:
        return max(0.0, -lead)
    z = lead / error
    return error * exp(-z * z / 2) / sqrt(2 * pi) - lead * erfc(z / sqrt(2)) / 2


def noise(values: Sequence[float], others: Sequence[float], usual: float) -> float:
    """The variance of the difference between two actions from deal to deal; `usual` is what is assumed beforehand."""
    differences = [value - other for value, other in zip(values, others, strict=False)]
    n = len(differences)
    if not n:
        return usual
    mean = sum(differences) / n
    squares = sum([(difference - mean) ** 2 for difference in differences])
    return (squares + PRIOR * usual) / (n - 1 + PRIOR)
