"""Planning a turn: follows its chains of decisions to their ends, and looks at the turn after it."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from services.bots.search.tree import FIRST_LOOK, Node, act, leads
from services.engine.dice import Dice
from services.engine.game import Game

# A node of the turn, and the way that led to it.
Way = tuple[Node, "Way | None"]
# A step of a plan: its rank (the least is taken first), a number that breaks ties, the position, the way to it.
Step = tuple[float, int, Any, Way]
# Puts a step before all others, whatever they are worth.
FIRST = 1e6
# The ends of a turn by their value. Ends of the same value rarely differ in more than the order of steps: one is kept.
Ends = dict[float, Step]
# Whether the search may go on, after so many positions or trials.
GoOn = Callable[[int], bool]


def plan(game: Game[Any], seat: int, root: Node, dealt: Any, go_on: GoOn) -> Ends:
    """Follows the seat's chains of decisions to the end of its turn, the most promising first.

    An evaluation in the middle of a turn says little; it only compares actions that follow the same step. So a chain is
    followed to its end, by the best evaluation after each step, before another is begun. Where turns are short, each
    first action gets a chain of its own before anything else.
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
    """The actions of a way, in order."""
    taken: list[Any] = []
    node, before = way
    while before is not None:
        taken.append(next(action for action, child in before[0].children.items() if child is node))
        node, before = before
    return taken[::-1]


def ended(value: float, way: Way) -> None:
    """Gives every step of a chain the value of its end as its hope, if that is the best end so far."""
    node, before = way
    while before is not None:
        if not node.ended or value > node.hope:
            node.hope, node.ended, node.trust = value, True, FIRST_LOOK[True]
        node, before = before


def sequel(game: Game[Any], seat: int, end: Any, dice: Dice) -> float:
    """The value of the best end of the seat's next turn, in a new deal; the others act at first sight."""
    state = game.redeal(end, seat, dice)
    while (actor := game.actor(state)) not in (None, seat):
        act(game, state, actor)
    ends = plan(game, seat, Node(), state, lambda looked: looked < game.sequel)
    return max(ends, default=leads(game, state)[seat])
