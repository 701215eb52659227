"""What all thinking about a turn is made of: a tree of actions, luck, first sight, and who is ahead."""

from collections.abc import MutableSequence, Sequence
from random import Random
from typing import Any, TypeVar

from services.engine.dice import Dice
from services.engine.game import Game

T = TypeVar("T")
# What is hoped for at first sight counts like so many visits: little in the middle of a turn, where evaluations mean
# little, more at its end.
FIRST_LOOK = (0.5, 1.0)


class Swift(Dice):
    """Dice for dealing anew, several times faster than those of a game. They need not be proved to anybody."""

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
    """An action of the tree: how often it was possible and taken, and what that was worth to its taker."""

    __slots__ = ("beyond", "children", "ended", "hope", "seen", "total", "tried", "trust", "visits")

    def __init__(self, hope: float = 0.0, ended: bool = False) -> None:
        self.children: dict[Any, Node] = {}
        # Whether the hope comes from the end of a chain; it counts like so many visits.
        self.hope, self.ended, self.trust = hope, ended, FIRST_LOOK[ended]
        self.seen = self.visits = 0
        self.total = 0.0
        # How often an action after this one was taken, and how much more than hoped for that brought in all, for both
        # kinds of hope: hopes are evaluations, values are differences from first sight.
        self.tried, self.beyond = [0, 0], [0.0, 0.0]

    def surplus(self) -> tuple[float, float]:
        """What an action after this one brings on average beyond its hope, in the middle of a turn and at its end."""
        (middle, end), (more, most) = self.tried, self.beyond
        if not end:
            most, end = more, middle
        elif not middle:
            more, middle = most, end
        return (more / middle, most / end) if end else (0.0, 0.0)

    def worth(self, surplus: tuple[float, float]) -> float:
        """What was hoped for and what was seen, together."""
        return (self.total + self.trust * (self.hope + surplus[self.ended])) / (self.visits + self.trust)

    def settle(self) -> None:
        """What was seen becomes hope: what will be seen later is compared with first sight in another position."""
        surplus = self.surplus()
        for node in self.children.values():
            node.hope = node.worth(surplus)
            node.trust += node.visits
            node.visits, node.total = 0, 0.0
            node.settle()
        self.tried, self.beyond = [0, 0], [0.0, 0.0]


def act(game: Game[Any], state: Any, seat: int) -> None:
    """The seat acts at first sight, in place."""
    legal = game.legal(state)
    for action in legal if len(legal) == 1 else game.first_sight(state, legal, seat):
        game.apply(state, action, tell=False)


def play_on(game: Game[Any], state: Any, turns: int) -> None:
    """So many turns, or to where a part of the game has ended, at first sight."""
    while turns > 0 and (seat := game.actor(state)) is not None:
        act(game, state, seat)
        turns -= game.turn_over(state, seat)
        if game.settled(state):
            return


def leads(game: Game[Any], state: Any) -> list[float]:
    """For each seat: how far it is ahead of the best of the others."""
    values = game.evaluate_all(state)
    if len(values) == 2:
        lead = values[0] - values[1]
        return [lead, -lead]
    return [value - max(values[:seat] + values[seat + 1 :]) for seat, value in enumerate(values)]
