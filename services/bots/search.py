"""Information-set Monte Carlo tree search over the Game protocol: one player for all games.

Every iteration deals anew what the seat cannot know, walks down a tree of actions that all these deals share, adds the
actions of one more decision to it, plays on to the horizon by a cheap policy, and counts what the game's evaluation
says there for everybody who decided on the way. An action is compared only over the deals in which it was possible
(the availability counts of Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Each seat
seeks its own best, so it does not matter how many there are. Chance is in the deals and their dice.

Before that the own turn is planned. Games whose turns are long (`Game.sequel`) compare the ends of the plan by the
seat's next turn, in new deals, and have no other iterations.
"""

from collections.abc import Callable, MutableSequence, Sequence
from heapq import heappop, heappush, nlargest
from math import log, sqrt
from random import Random
from typing import Any, TypeVar

from services.bots.levels import Budget
from services.engine.dice import Dice
from services.engine.game import Game

T = TypeVar("T")
# How eagerly actions that look worse are tried, in standard deviations of what the search has seen.
EXPLORATION = 0.7
# What is hoped for at first sight counts like so many visits: little in the middle of a turn, where evaluations mean
# little, more at its end.
FIRST_LOOK = (1.0, 3.0)
# A game that is won counts for more than the lead that won it: so many standard deviations.
WON = 2.0
# How much looking for the promising ways through the own turn may take, before the dealing begins: positions for each
# iteration that follows, or a part of the time.
PLANNED, PLANNING = 8, 0.4
# First steps that are compared by what follows the turn, and positions looked at for that instead of an iteration.
ENDS, FURTHER = 6, 12


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

    __slots__ = ("beyond", "children", "ended", "hope", "seen", "total", "tried", "visits")

    def __init__(self, hope: float = 0.0, ended: bool = False) -> None:
        self.children: dict[Any, Node] = {}
        # Whether the hope comes from the end of a chain.
        self.hope, self.ended = hope, ended
        self.seen = self.visits = 0
        self.total = 0.0
        # How often an action after this one was taken, and how much more than hoped for that brought in all, for both
        # kinds of hope: the turns up to the horizon bring something whatever is done now.
        self.tried, self.beyond = [0, 0], [0.0, 0.0]

    def surplus(self) -> tuple[float, float]:
        """What an action after this one brings on average beyond its hope, in the middle of a turn and at its end."""
        (middle, end), (more, most) = self.tried, self.beyond
        if not end:
            most, end = more, middle
        elif not middle:
            more, middle = most, end
        return (more / middle, most / end) if end else (0.0, 0.0)


# A node of the own turn and the way that led to it.
Way = tuple[Node, "Way | None"]
# A step of a plan: its rank, its number, the position it leads to, and the way there.
Step = tuple[float, int, Any, Way]


def ended(value: float, way: Way) -> Node:
    """Notes a value at the end of a chain for every step that leads to it, and returns the first of them."""
    node, before = way
    while before is not None:
        if not node.ended or value > node.hope:
            node.hope, node.ended = value, True
        first = node
        node, before = before
    return first


def likely(game: Game[Any], state: Any, legal: list[Any], seat: int) -> Any:
    """What the seat would do at first sight.

    To end the turn changes the evaluation in the same way now and later. So an action that does not end it is good if
    it makes the position better, not if it is better than one whose turn is over.
    """
    best, most = legal[0], float("-inf")
    end, most_at_end = None, float("-inf")
    for action in legal:
        after = game.clone(state)
        game.apply(after, action, tell=False)
        value = game.evaluate(after, seat)
        if game.turn_over(after, seat):
            if value > most_at_end:
                end, most_at_end = action, value
        elif value > most:
            best, most = action, value
    return best if end is None or most > game.evaluate(state, seat) else end


class Search:
    """Thinks for one seat, and remembers what it thought as long as that seat keeps the decision."""

    def __init__(self, game: Game[Any], seat: int, seed: int) -> None:
        self.game, self.seat = game, seat
        self.dice = Swift(b"", 0, Random(seed))
        self.root = Node()
        # Seconds that an iteration takes.
        self.pace = 0.0
        # How many values were seen, their mean, and the sum of their squared distances from it.
        self.iterations, self.mean, self.squares = 0, 0.0, 0.0

    def think(self, state: Any, budget: Budget, clock: Callable[[], float]) -> None:
        """About that position, which follows the one answered before. May be interrupted at any moment.

        What was thought about it before counts, and the rest is not thought when it could not change the answer.
        """
        legal, known = self.game.legal(state), self.root.children
        if len(legal) == 1:
            return
        if self.game.sequel:
            self.root = Node()
        # What other deals would have allowed does not matter any more; what none of them allowed is still to be tried.
        self.root.children = {action: known[action] for action in legal if action in known}
        all_known = len(self.root.children) == len(legal)
        kept = sum(node.visits for node in self.root.children.values()) if all_known else 0
        if budget.iterations is not None:
            self._think_so_often(state, budget.iterations - kept)
        elif budget.seconds is not None:
            began = clock()
            self._think_until(state, began, began + budget.seconds - kept * self.pace, clock)

    def _think_so_often(self, state: Any, iterations: int) -> None:
        seats, dealt = self.game.seats(state), self.game.redeal(state, self.seat, self.dice)
        ends = self._plan(self.root, dealt, seats, lambda looked: looked < PLANNED * iterations)
        if self.game.sequel:
            self._compare(ends, seats, lambda looked: looked < FURTHER * iterations)
            return
        for left in range(iterations, 0, -1):
            if self._ahead() > left:
                return
            self._iterate(state, seats)

    def _think_until(self, state: Any, began: float, end: float, clock: Callable[[], float]) -> None:
        seats, planned = self.game.seats(state), began + PLANNING * (end - began)
        dealt = self.game.redeal(state, self.seat, self.dice)
        ends = self._plan(self.root, dealt, seats, lambda looked: clock() < planned)
        if self.game.sequel:
            self._compare(ends, seats, lambda looked: clock() < end)
            return
        began, done = clock(), 0
        while (now := clock()) < end and not (done and self._ahead() * self.pace > end - now):
            self._iterate(state, seats)
            done += 1
            self.pace = (clock() - began) / done

    def answer(self, state: Any) -> Any:
        """The best action as far as it has thought."""
        action = max(self.game.legal(state), key=self._standing)
        self.root = self.root.children.get(action) or Node()
        return action

    def _plan(self, root: Node, dealt: Any, seats: int, go_on: Callable[[int], bool]) -> dict[Node, Step]:
        """Follows the own chains of decisions to where they end, the most promising first; returns the best end after
        each first step.

        A chain is worth what its end is worth; in the middle of a turn evaluations mean little, and compare only what
        follows the same step. So each chain is followed by what looks best after every step until it ends, before
        another is taken up. `go_on` says whether more than so many positions may be looked at.
        """
        game, me = self.game, self.seat
        ways: list[Step] = []
        onwards: Step | None = (0.0, 0, dealt, (root, None))
        ends: dict[Node, Step] = {}
        looked = 0
        while (onwards or ways) and go_on(looked):
            _, _, position, way = onwards or heappop(ways)
            children = way[0].children
            further: list[Step] = []
            for action in game.legal(position):
                looked += 1
                after = game.clone(position)
                game.apply(after, action, tell=False)
                value = self._values(after, seats)[me]
                node = children.get(action)
                if node is None:
                    node = children[action] = Node(value)
                if game.turn_over(after, me):
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

    def _compare(self, ends: dict[Node, Step], seats: int, go_on: Callable[[int], bool]) -> None:
        """Compares first steps by what follows their best ends, all in the same luck, then in another.

        What the plan hoped for counts as well. The best step gets the visits.
        """
        best = nlargest(ENDS, ends.items(), key=lambda one: one[1][0])
        worth = [FIRST_LOOK[True] * end[0] for _, end in best]
        number = 0
        while len(best) > 1:
            luck = self.dice.word()
            for at, (_, end) in enumerate(best):
                if not go_on(number * self.game.sequel):
                    return
                worth[at] += self._sequel(end[2], seats, luck)
                number += 1
            for node, _ in best:
                node.visits = 0
            best[worth.index(max(worth))][0].visits = number

    def _sequel(self, end: Any, seats: int, luck: int) -> float:
        """What the best end of the seat's next turn is worth, in a new deal, when the others do what is likely."""
        game, me = self.game, self.seat
        state = game.redeal(end, me, Swift(b"", 0, Random(luck)))
        while (seat := game.actor(state)) not in (None, me):
            legal = game.legal(state)
            game.apply(state, legal[0] if len(legal) == 1 else likely(game, state, legal, seat), tell=False)
        ends = self._plan(Node(), state, seats, lambda looked: looked < game.sequel)
        return max((end[0] for end in ends.values()), default=self._values(state, seats)[me])

    def _ahead(self) -> int:
        """By how many visits the best action leads."""
        best = second = 0
        for node in self.root.children.values():
            if node.visits > second:
                best, second = max(best, node.visits), min(best, node.visits)
        return best - second

    def _standing(self, action: Any) -> tuple[int, bool, float]:
        node = self.root.children.get(action)
        return (node.visits, node.ended, node.hope + self.root.surplus()[node.ended]) if node else (-1, False, 0.0)

    def _iterate(self, start: Any, seats: int) -> None:
        game = self.game
        state = game.redeal(start, self.seat, self.dice)
        taken = self._descend(state, seats)
        values = self._values(state, seats)
        for before, node, seat in taken:
            node.visits += 1
            node.total += values[seat]
            before.tried[node.ended] += 1
            before.beyond[node.ended] += values[seat] - node.hope
        self.iterations += 1
        value = values[self.seat]
        off = value - self.mean
        self.mean += off / self.iterations
        self.squares += off * (value - self.mean)

    def _descend(self, state: Any, seats: int) -> list[tuple[Node, Node, int]]:
        """Plays on to the horizon; returns the steps through the tree: from where, to where, and whose they were."""
        game, node, inside = self.game, self.root, True
        taken: list[tuple[Node, Node, int]] = []
        turns = 0
        while turns < game.horizon and (seat := game.actor(state)) is not None:
            legal = game.legal(state)
            if not inside:
                action = legal[0] if len(legal) == 1 else likely(game, state, legal, seat)
            elif len(legal) == 1:
                action = legal[0]
                node = node.children.setdefault(action, Node(self.mean))
            else:
                inside = bool(node.children)
                self._look(state, node.children, legal, seat, seats)
                action = self._select(node, legal)
                taken.append((node, node.children[action], seat))
                node = node.children[action]
            game.apply(state, action, tell=False)
            turns += game.turn_over(state, seat)
        return taken

    def _look(self, state: Any, children: dict[Any, Node], legal: list[Any], seat: int, seats: int) -> None:
        """Adds the actions that were not possible before."""
        game = self.game
        for action in legal:
            if action not in children:
                after = game.clone(state)
                game.apply(after, action, tell=False)
                children[action] = Node(self._values(after, seats)[seat], game.turn_over(after, seat))

    def _select(self, parent: Node, legal: list[Any]) -> Any:
        eager, beyond = EXPLORATION * (self._spread() or 1.0), parent.surplus()
        best, most = legal[0], float("-inf")
        for action in legal:
            node = parent.children[action]
            node.seen += 1
            weight = FIRST_LOOK[node.ended]
            visits = node.visits + weight
            worth = (node.total + weight * (node.hope + beyond[node.ended])) / visits
            promise = worth + eager * sqrt(log(node.seen + 1) / visits)
            if promise > most:
                best, most = action, promise
        return best

    def _values(self, state: Any, seats: int) -> list[float]:
        """For each seat: how far it is ahead of the best of the others."""
        values = self.game.evaluate_all(state)
        if seats == 2:
            lead = values[0] - values[1]
            leads = [lead, -lead]
        else:
            leads = [value - max(values[:seat] + values[seat + 1 :]) for seat, value in enumerate(values)]
        if self.game.actor(state) is None:
            outcome = self.game.outcome(state)
            assert outcome
            won = WON * (self._spread() or max(map(abs, leads)))
            leads = [lead + (won if place == 1 else -won) for lead, place in zip(leads, outcome.places, strict=True)]
        return leads

    def _spread(self) -> float:
        """The standard deviation of what was seen."""
        return sqrt(self.squares / self.iterations) if self.iterations else 0.0
