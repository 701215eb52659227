"""Whole turns against each other, all in the same luck, then in another: as long as the next action is in doubt."""

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from math import sqrt
from typing import Any, NamedTuple

# What a way promises counts like so many trials.
PROMISED = 3.0


class Terms(NamedTuple):
    """So many of the most promising ways are compared; after so many trials one may drop out that is so many standard
    errors behind the best."""

    compared: int
    enough: int
    clearly: float


class Way:
    """A chain of actions, what it promises, the position at its end if that is known, and what its trials brought."""

    def __init__(self, promise: float, chain: Sequence[Any], end: Any = None) -> None:
        self.promise, self.chain, self.end = promise, chain, end
        self.brought: list[float] = []

    def worth(self) -> float:
        return (sum(self.brought) + PROMISED * self.promise) / (len(self.brought) + PROMISED)

    def behind(self, best: "Way", terms: Terms) -> bool:
        """Whether it was worse than the best, trial by trial, beyond all luck.

        Where thought was interrupted one may have seen a trial more than the other.
        """
        worse = [other - own for own, other in zip(self.brought, best.brought, strict=False)]
        n = len(worse)
        if n < terms.enough:
            return False
        mean = sum(worse) / n
        error = sqrt(sum((value - mean) ** 2 for value in worse) / (n * (n - 1)))
        return best.worth() - self.worth() > terms.clearly * error


class Race:
    """The ways through a turn that are still in it, best first."""

    def __init__(self, ways: Iterable[Way], terms: Terms) -> None:
        self.terms = terms
        self.left = nlargest(terms.compared, ways, key=lambda way: way.promise)

    def run(self, trial: Callable[[Way, Any], float], luck: Callable[[], Any], go_on: Callable[[int], bool]) -> None:
        """Tries every way with the same luck, again and again; what was not tried in all ways does not count."""
        tried = 0
        while any(way.chain[0] != self.best() for way in self.left):
            same, brought = luck(), []
            for way in self.left:
                if not go_on(tried):
                    return
                brought.append(trial(way, same))
                tried += 1
            for way, value in zip(self.left, brought, strict=True):
                way.brought.append(value)
            self.left.sort(key=Way.worth, reverse=True)
            best = self.left[0]
            self.left = [way for way in self.left if way is best or not way.behind(best, self.terms)]

    def going(self, legal: list[Any]) -> bool:
        """Whether one of these actions is the next of the turn."""
        return bool(self.left and self.left[0].chain) and self.best() in legal

    def best(self) -> Any:
        """The action that the best way begins with."""
        return self.left[0].chain[0]

    def follow(self, action: Any) -> None:
        """Keeps the ways that begin with that action, which has been taken."""
        self.left = [way for way in self.left if way.chain and way.chain[0] == action]
        for way in self.left:
            way.chain = way.chain[1:]
