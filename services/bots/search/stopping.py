"""Whether more thought could matter: what is likely to be lost by taking the leading action now."""

from collections.abc import Sequence
from math import erfc, exp, pi, sqrt

# What is known of the noise beforehand counts like so many differences.
PRIOR = 2.0


def expected_loss(lead: float, error: float) -> float:
    """How much better the other action is on average, counting only the cases in which it is better.

    The lead was seen with that standard error. A clear lead loses nothing, and neither does a choice between equals.
    """
    if error <= 0:
        return max(0.0, -lead)
    z = lead / error
    return error * exp(-z * z / 2) / sqrt(2 * pi) - lead * erfc(z / sqrt(2)) / 2


def noise(values: Sequence[float], others: Sequence[float], usual: float) -> float:
    """The variance of the difference of two actions from deal to deal, when the usual one is known."""
    differences = [value - other for value, other in zip(values, others, strict=False)]
    n = len(differences)
    if not n:
        return usual
    mean = sum(differences) / n
    squares = sum([(difference - mean) ** 2 for difference in differences])
    return (squares + PRIOR * usual) / (n - 1 + PRIOR)
