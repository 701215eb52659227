"""The own turn as a chain of decisions: followed to its ends, which are then compared by what comes after them."""

from collections.abc import Callable
from heapq import heappop, heappush, nlargest
from math import sqrt
from random import Random
from statistics import stdev
from typing import Any

from services.bots.tree import FIRST_LOOK, Node, Swift, leads, likely
from services.engine.dice import Dice
from services.engine.game import Game

# First steps that are compared by what follows the turn. What the plan hoped for counts like so many sequels.
COMPARED, HOPED = 6, 3.0
# After so many deals a step may drop out, if it is so many standard errors behind.
ENOUGH, CLEARLY = 4, 2.0
# A node of the own turn and the way that led to it.
Way = tuple[Node, "Way | None"]
# A step of a plan: its rank, its number, the position it leads to, and the way there.
Step = tuple[float, int, Any, Way]
# The best end that follows each first step.
Ends = dict[Node, Step]
# Whether more than so many positions may be looked at.
GoOn = Callable[[int], bool]


def plan(game: Game[Any], seat: int, root: Node, dealt: Any, go_on: GoOn) -> Ends:
    """Follows the seat's chains of decisions to where they end, the most promising first.

    A chain is worth what its end is worth; in the middle of a turn evaluations mean little, and compare only what
    follows the same step. So each chain is followed by what looks best after every step until it ends, before another
    is taken up.
    """
    ways: list[Step] = []
    onwards: Step | None = (0.0, 0, dealt, (root, None))
    ends: Ends = {}
    looked = 0
    while (onwards or ways) and go_on(looked):
        _, _, position, way = onwards or heappop(ways)
        children = way[0].children
        further: list[Step] = []
        for action in game.legal(position):
            looked += 1
            after = game.clone(position)
            game.apply(after, action, tell=False)
            value = leads(game, after)[seat]
            node = children.get(action)
            if node is None:
                node = children[action] = Node(value)
            if game.turn_over(after, seat):
                first = ended(value, (node, way))
                if first not in ends or value > ends[first][0]:
                    ends[first] = (value, looked, after, (node, way))
            else:
                further.append((-value, looked, after, (node, way)))
        onwards = min(further, default=None)
        for other in further:
            if other is not onwards:
                heappush(ways, other)
    return ends


def ended(value: float, way: Way) -> Node:
    """Notes a value at the end of a chain for every step that leads to it, and returns the first of them."""
    node, before = way
    while before is not None:
        if not node.ended or value > node.hope:
            node.hope, node.ended, node.trust = value, True, FIRST_LOOK[True]
        first = node
        node, before = before
    return first


def compare(game: Game[Any], seat: int, ends: Ends, dice: Dice, go_on: GoOn) -> None:
    """Compares first steps by what follows their best ends, all in the same luck, then in another.

    One that is clearly behind the best drops out; the best gets the visits.
    """
    left = nlargest(COMPARED, ends.items(), key=lambda one: one[1][0])
    seen: dict[Node, list[float]] = {node: [] for node, _ in left}
    number = 0
    while len(left) > 1:
        luck = dice.word()
        for node, end in left:
            if not go_on(number * game.sequel):
                return
            seen[node].append(sequel(game, seat, end[2], luck))
            number += 1
        best, (hope, *_) = max(left, key=lambda one: HOPED * one[1][0] + sum(seen[one[0]]))
        for node, _ in left:
            node.visits = 0
        best.visits = number
        left = [(node, end) for node, end in left if node is best or not behind(seen[node], end[0], seen[best], hope)]


def behind(values: list[float], hope: float, best: list[float], best_hope: float) -> bool:
    """Whether what followed one step was worse than what followed the best, deal by deal, beyond all luck."""
    if len(values) < ENOUGH:
        return False
    worse = [other - value for value, other in zip(values, best, strict=True)]
    lead = (sum(worse) + HOPED * (best_hope - hope)) / (len(worse) + HOPED)
    return lead > CLEARLY * stdev(worse) / sqrt(len(worse))


def sequel(game: Game[Any], seat: int, end: Any, luck: int) -> float:
    """What the best end of the seat's next turn is worth, in a new deal, when the others do what is likely."""
    state = game.redeal(end, seat, Swift(b"", 0, Random(luck)))
    while (actor := game.actor(state)) not in (None, seat):
        legal = game.legal(state)
        game.apply(state, legal[0] if len(legal) == 1 else likely(game, state, legal, actor), tell=False)
    ends = plan(game, seat, Node(), state, lambda looked: looked < game.sequel)
    return max((end[0] for end in ends.values()), default=leads(game, state)[seat])
