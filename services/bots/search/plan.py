"""The own turn as a chain of decisions, followed to its ends, and what comes after them."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from services.bots.search.tree import FIRST_LOOK, Node, act, leads
from services.engine.dice import Dice
from services.engine.game import Game

# A node of the own turn and the way that led to it.
Way = tuple[Node, "Way | None"]
# A step of a plan: its rank, its number, the position it leads to, and the way there.
Step = tuple[float, int, Any, Way]
# Ranks a step before others, whatever they are worth.
FIRST = 1e6
# The ends of the turn by what they are worth: those that come to the same differ, if at all, in the order of steps.
Ends = dict[float, Step]
# Whether more than so many positions may be looked at.
GoOn = Callable[[int], bool]


def plan(game: Game[Any], seat: int, root: Node, dealt: Any, go_on: GoOn) -> Ends:
    """Follows the seat's chains of decisions to where they end, the most promising first.

    A chain is worth what its end is worth; in the middle of a turn evaluations mean little, and compare only what
    follows the same step. So each chain is followed by what looks best after every step until it ends, before another
    is taken up. Where turns are short, every first step is followed to an end before anything else.
    """
    ways: list[Step] = []
    onwards: Step | None = (0.0, 0, dealt, (root, None))
    ends: Ends = {}
    looked = 0
    while (onwards or ways) and go_on(looked):
        _, _, position, way = onwards or heappop(ways)
        children = way[0].children
        ahead = FIRST if way[1] is None and not game.sequel else 0.0
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
                ended(value, (node, way))
                ends.setdefault(round(value, 6), (value, looked, after, (node, way)))
            else:
                further.append((-value - ahead, looked, after, (node, way)))
        onwards = min(further, default=None)
        for other in further:
            if other is not onwards:
                heappush(ways, other)
    return ends


def steps(way: Way) -> list[Any]:
    """The actions of a way, the first one first."""
    taken: list[Any] = []
    node, before = way
    while before is not None:
        taken.append(next(action for action, child in before[0].children.items() if child is node))
        node, before = before
    return taken[::-1]


def ended(value: float, way: Way) -> None:
    """Notes a value at the end of a chain for every step that leads to it."""
    node, before = way
    while before is not None:
        if not node.ended or value > node.hope:
            node.hope, node.ended, node.trust = value, True, FIRST_LOOK[True]
        node, before = before


def sequel(game: Game[Any], seat: int, end: Any, dice: Dice) -> float:
    """What the best end of the seat's next turn is worth, in a new deal, when the others act at first sight."""
    state = game.redeal(end, seat, dice)
    while (actor := game.actor(state)) not in (None, seat):
        act(game, state, actor)
    ends = plan(game, seat, Node(), state, lambda looked: looked < game.sequel)
    return max(ends, default=leads(game, state)[seat])
