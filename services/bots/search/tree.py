"""What plans, races and trials are made of: the tree of actions, fast dice, playing on at first sight, leads."""

from collections.abc import MutableSequence, Sequence
from random import Random
from typing import Any, TypeVar

from services.engine.dice import Dice
from services.engine.game import Game

T = TypeVar("T")
# A hope counts like this many visits: less in the middle of a turn, where an evaluation says little, than at its end.
FIRST_LOOK = (0.5, 1.0)


class FastDice(Dice):
    """Dice for redeals, several times faster than those of a game. Nobody has to be able to check them."""

    source: Random = Random(0)

    def word(self) -> int:
        return self.source.getrandbits(32)

    def below(self, n: int) -> int:
        return int(self.source.random() * n)

    def choice(self, items: Sequence[T]) -> T:
        return items[int(self.source.random() * len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        self.source.shuffle(items)


class Node:
    """An action in the tree: how often it was possible and taken, and what it was worth to the seat that took it."""

    __slots__ = ("beyond", "children", "ended", "hope", "seen", "total", "tried", "trust", "visits")

    def __init__(self, hope: float = 0.0, ended: bool = False) -> None:
        self.children: dict[Any, Node] = {}
        # `ended`: the hope was seen at the end of a turn. `trust`: how many visits the hope counts for.
        self.hope, self.ended, self.trust = hope, ended, FIRST_LOOK[ended]
        self.seen = self.visits = 0
        self.total = 0.0
        # How often the actions after this one were taken, and by how much in all they exceeded their hopes; apart for
        # hopes of the middle and of the end of a turn. Hopes are evaluations, values are differences from first sight.
        self.tried, self.beyond = [0, 0], [0.0, 0.0]

    def surplus(self) -> tuple[float, float]:
        """By how much an action after this one exceeds its hope on average, in the middle of a turn and at its end."""
        (middle, end), (more, most) = self.tried, self.beyond
        if not end:
            most, end = more, middle
        elif not middle:
            more, middle = most, end
        return (more / middle, most / end) if end else (0.0, 0.0)

    def worth(self, surplus: tuple[float, float]) -> float:
        """The mean of the hope and the values seen."""
        return (self.total + self.trust * (self.hope + surplus[self.ended])) / (self.visits + self.trust)

    def settle(self) -> None:
        """Turns the values seen into hopes, because later values are compared with first sight in another position."""
        surplus = self.surplus()
        for node in self.children.values():
            node.hope = node.worth(surplus)
            node.trust += node.visits
            node.visits, node.total = 0, 0.0
            node.settle()
        self.tried, self.beyond = [0, 0], [0.0, 0.0]


def act(game: Game[Any], state: Any, seat: int) -> None:
    """Lets the seat act at first sight. Changes the state."""
    legal = game.legal(state)
    for action in legal if len(legal) == 1 else game.first_sight(state, legal, seat):
        game.apply(state, action, tell=False)


def play_on(game: Game[Any], state: Any, turns: int) -> None:
    """Plays that many turns at first sight, or until a part of the game has ended. Changes the state."""
    while turns > 0 and (seat := game.actor(state)) is not None:
        act(game, state, seat)
        turns -= game.turn_over(state, seat)
        if game.settled(state):
            return


def leads(game: Game[Any], state: Any) -> list[float]:
    """How far each seat is ahead of the best of the others."""
    values = game.evaluate_all(state)
    if len(values) == 2:
        lead = values[0] - values[1]
        return [lead, -lead]
    return [value - max(values[:seat] + values[seat + 1 :]) for seat, value in enumerate(values)]
