"""Whole turns against each other, all in the same luck, then in another: as long as the next action is in doubt."""

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from math import sqrt
from typing import Any, NamedTuple

from services.bots.search.stopping import expected_loss

# What a way promises counts like so many trials.
PROMISED = 3.0
# Ways are compared after each round of trials that makes an eighth more of them.
SELDOM = 8


class Terms(NamedTuple):
    """So many of the most promising ways are compared; after so many trials one may drop out that is so many standard
    errors behind the best."""

    compared: int
    enough: int
    clearly: float

    def times(self, width: int) -> "Terms":
        return self._replace(compared=self.compared * width)


class Way:
    """A chain of actions, what it promises, the position at its end if that is known, and what its trials brought."""

    def __init__(self, promise: float, chain: Sequence[Any], end: Any = None) -> None:
        self.promise, self.chain, self.end = promise, chain, end
        self.brought: list[float] = []

    def worth(self) -> float:
        return (sum(self.brought) + PROMISED * self.promise) / (len(self.brought) + PROMISED)

    def luck(self, best: "Way") -> float:
        """The standard deviation of how much worse than the best it was, from trial to trial.

        Where thought was interrupted one may have seen a trial more than the other.
        """
        worse = [other - own for own, other in zip(self.brought, best.brought, strict=False)]
        n = len(worse)
        mean = sum(worse) / n
        return sqrt(sum([(value - mean) ** 2 for value in worse]) / (n - 1))


class Race:
    """The ways through a turn that are still in it, best first."""

    def __init__(self, ways: Iterable[Way], terms: Terms, little: float = 0.0) -> None:
        self.terms, self.little = terms, little
        self.left = nlargest(terms.compared, ways, key=lambda way: way.promise)
        # After so many trials of each way they are compared, and whether the next action is in doubt.
        self.due, self.doubt = terms.enough, True

    def run(self, trial: Callable[[Way, Any], float], luck: Callable[[], Any], go_on: Callable[[int], bool]) -> None:
        """Tries every way with the same luck, again and again; what was not tried in all ways does not count."""
        tried, self.doubt = 0, True
        while self.doubt and any(way.chain[0] != self.best() for way in self.left):
            same, brought = luck(), []
            for way in self.left:
                if not go_on(tried):
                    return
                brought.append(trial(way, same))
                tried += 1
            for way, value in zip(self.left, brought, strict=True):
                way.brought.append(value)
            self.left.sort(key=Way.worth, reverse=True)
            n = len(self.left[0].brought)
            if n >= self.due:
                self.due = n + max(1, n // SELDOM)
                self._compare()

    def _compare(self) -> None:
        """Drops what is behind beyond all luck; there is doubt while ending it is likely to lose more than a little."""
        best, next_action = self.left[0], self.best()
        most, root = best.worth(), sqrt(len(best.brought))
        left, usual = [best], 0.0
        loss: dict[Any, float] = {}
        for way in self.left[1:]:
            lag, luck = most - way.worth(), way.luck(best)
            if lag <= self.terms.clearly * luck / root:
                left.append(way)
                usual = max(usual, luck)
                if way.chain[0] != next_action:  # The first is the best that begins with that action.
                    loss.setdefault(way.chain[0], expected_loss(lag, luck / root))
        self.left, self.doubt = left, sum(loss.values()) > self.little * usual

    def going(self, legal: list[Any]) -> bool:
        """Whether one of these actions is the next of the turn."""
        return bool(self.left and self.left[0].chain) and self.best() in legal

    def best(self) -> Any:
        """The action that the best way begins with."""
        return self.left[0].chain[0]

    def promise(self) -> float:
        """The most that a way promises."""
        return max(way.promise for way in self.left)

    def follow(self, action: Any) -> None:
        """Keeps the ways that begin with that action, which has been taken."""
        self.left = [way for way in self.left if way.chain and way.chain[0] == action]
        for way in self.left:
            way.chain = way.chain[1:]
