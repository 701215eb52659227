"""Compares whole turns: all are tried in the same luck, round after round, until the next action is decided."""

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from math import sqrt
from typing import Any, NamedTuple

from services.bots.search.stopping import expected_loss, may_stop

# A turn's promise counts like this many trials.
PROMISED = 3.0
# Turns are compared each time the number of trials has grown by an eighth.
GROWTH = 8


class Terms(NamedTuple):
    """How many of the most promising turns are compared; from how many trials on one may drop out, and by how many
    standard errors it must be behind."""

    compared: int
    enough: int
    clearly: float

    def times(self, width: int) -> "Terms":
        return self._replace(compared=self.compared * width)


class Candidate:
    """A turn: what it promises, its actions, the position at its end (if planned), and the values of its trials."""

    def __init__(self, promise: float, chain: Sequence[Any], end: Any = None) -> None:
        self.promise, self.chain, self.end = promise, chain, end
        self.values: list[float] = []

    def worth(self) -> float:
        return (sum(self.values) + PROMISED * self.promise) / (len(self.values) + PROMISED)

    def luck(self, best: "Candidate") -> float:
        """The standard deviation of how far it was behind the best, from trial to trial.

        An interrupted search may have tried one of the two once more.
        """
        worse = [other - own for own, other in zip(self.values, best.values, strict=False)]
        n = len(worse)
        mean = sum(worse) / n
        return sqrt(sum([(value - mean) ** 2 for value in worse]) / (n - 1))


# Plays a turn in the given luck and returns what it is worth.
Trial = Callable[[Candidate, Any], float]


class Race:
    """The turns that may still be the best, best first."""

    def __init__(self, turns: Iterable[Candidate], terms: Terms, little: float = 0.0) -> None:
        self.terms, self.little = terms, little
        self.left = nlargest(terms.compared, turns, key=lambda turn: turn.promise)
        # The number of trials at which they are compared next, and whether the next action is still undecided.
        self.due, self.undecided = terms.enough, True

    def run(self, trial: Trial, luck: Callable[[], Any], go_on: Callable[[int], bool]) -> None:
        """Tries every turn with the same luck, round after round. A round that is not finished does not count."""
        tried, self.undecided = 0, True
        while self.undecided and any(turn.chain[0] != self.best() for turn in self.left):
            same, values = luck(), []
            for turn in self.left:
                if not go_on(tried):
                    return
                values.append(trial(turn, same))
                tried += 1
            for turn, value in zip(self.left, values, strict=True):
                turn.values.append(value)
            self.left.sort(key=Candidate.worth, reverse=True)
            n = len(self.left[0].values)
            if n >= self.due:
                self.due = n + max(1, n // GROWTH)
                self._compare()

    def _compare(self) -> None:
        """Drops turns that are clearly behind. It is decided when stopping is expected to lose little."""
        best, next_action = self.left[0], self.best()
        most, root = best.worth(), sqrt(len(best.values))
        left, usual = [best], 0.0
        loss: dict[Any, float] = {}
        for turn in self.left[1:]:
            lag, luck = most - turn.worth(), turn.luck(best)
            if lag <= self.terms.clearly * luck / root:
                left.append(turn)
                usual = max(usual, luck)
                if turn.chain[0] != next_action:  # the first of an action is its best
                    loss.setdefault(turn.chain[0], expected_loss(lag, luck / root))
        self.left, self.undecided = left, not may_stop(loss.values(), usual, self.little)

    def going(self, legal: list[Any]) -> bool:
        """Whether the best turn goes on with one of these actions."""
        return bool(self.left and self.left[0].chain) and self.best() in legal

    def best(self) -> Any:
        """The action that the best turn begins with."""
        return self.left[0].chain[0]

    def promise(self) -> float:
        """The most that any of them promises."""
        return max(turn.promise for turn in self.left)

    def follow(self, action: Any) -> None:
        """Keeps the turns that begin with the action taken, without it."""
        self.left = [turn for turn in self.left if turn.chain and turn.chain[0] == action]
        for turn in self.left:
            turn.chain = turn.chain[1:]
