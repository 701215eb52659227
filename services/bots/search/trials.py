"""Information-set Monte Carlo tree search over the Game protocol, for single actions.

Each iteration deals what the seat cannot know, walks down one tree of actions that all deals share, adds the actions of
one more decision, plays on at first sight to the horizon, and takes the game's evaluation there. An action is judged
only by the deals in which it was possible (availability counts: Cowling, Powley and Whitehouse, "Information Set Monte
Carlo Tree Search", 2012). Every seat maximises its own lead, so any number of seats works.

Luck differs more from deal to deal than actions do within one. So the n-th trial of every action gets the n-th deal,
and the value of a trial is how much better it went than first sight in the same deal.
"""

from collections.abc import Callable, Iterator
from math import log, sqrt
from typing import Any, NamedTuple

from services.bots.search.plan import GoOn, plan
from services.bots.search.stopping import expected_loss, may_stop, noise
from services.bots.search.tree import FIRST_LOOK, Node, leads, play_on
from services.engine.dice import Dice
from services.engine.game import Game
from services.platform.pool.levels import Budget

# The weight of exploration, in standard deviations of the values seen.
EXPLORATION = 0.7
# ENOUGH: values from which on their spread is trusted. FIRST_DEALS: deals made before the first iteration.
ENOUGH, FIRST_DEALS = 10, 4
# What the plan of the turn may take before the first iteration: positions for each iteration, or a share of the time.
PLANNED, PLANNING = 4, 0.1
# Every so many iterations the search asks whether the best action is clear.
OFTEN = 8


class Seen:
    """A running mean and variance: the count of values, their mean, and the sum of squared distances from it."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count += 1
        off = value - self.mean
        self.mean += off / self.count
        self.squares += off * (value - self.mean)

    def spread(self) -> float:
        """The standard deviation."""
        return sqrt(self.squares / self.count) if self.count else 0.0


class Deal(NamedTuple):
    """A redealt position, and the lead of each seat after playing on from it at first sight."""

    state: Any
    first_sight: list[float]


# A step through the tree: from, to, and the seat that took it.
Step = tuple[Node, Node, int]


class Trials:
    """Tries the actions of one seat, and keeps the results for as long as that seat has the decision."""

    def __init__(self, game: Game[Any], seat: int, dice: Dice) -> None:
        self.game, self.seat, self.dice = game, seat, dice
        self.root = Node()
        # What stopping may cost, in standard deviations of the values seen; and the turns that are looked ahead.
        self.little, self.horizon = 0.0, game.horizon
        # Seconds that an iteration takes.
        self.pace = 0.0
        self.deals: list[Deal] = []
        # The values of each action in these deals, in order.
        self.values: dict[Any, list[float]] = {}
        self.iterations = 0
        # The leads after first sight; and the values of trials that went differently from first sight.
        self.plain, self.better = Seen(), Seen()

    def think(self, state: Any, legal: list[Any], budget: Budget, clock: Callable[[], float]) -> None:
        """Counts earlier visits to these actions towards the budget, and stops early where more would change little."""
        self.deals, self.values = [], {action: [] for action in legal}
        self.little, self.horizon = budget.little, self.game.horizon + budget.further
        kept = self._keep(legal)
        if budget.iterations is not None:
            self._think_so_often(state, legal, budget.iterations - int(kept))
        elif budget.seconds is not None:
            began = clock()
            self._think_until(state, legal, began, began + budget.seconds - kept * self.pace, clock)

    def best(self, legal: list[Any]) -> Any:
        """The best action found so far."""
        return max(legal, key=self._standing)

    def took(self, action: Any) -> None:
        self.root = self.root.children.get(action) or Node()

    def _keep(self, legal: list[Any]) -> float:
        """Keeps the part of the tree below these actions if it has all of them. Returns the visits that it holds."""
        children = {action: self.root.children[action] for action in legal if action in self.root.children}
        if len(children) < len(legal):
            self.root = Node()
            return 0.0
        self.root.children = children
        self.root.settle()
        return sum(node.trust - FIRST_LOOK[node.ended] for node in children.values())

    def _think_so_often(self, state: Any, legal: list[Any], iterations: int) -> None:
        self._plan(state, lambda looked: looked < PLANNED * iterations)
        for done in range(iterations):
            if self._ahead() > iterations - done or (done % OFTEN == 0 and self._clear(legal)):
                return
            self._iterate(state, legal)

    def _think_until(self, state: Any, legal: list[Any], began: float, end: float, clock: Callable[[], float]) -> None:
        planned = began + PLANNING * (end - began)
        self._plan(state, lambda looked: clock() < planned)
        began, done = clock(), 0
        while (now := clock()) < end and not (done and self._ahead() * self.pace > end - now):
            if done % OFTEN == 0 and self._clear(legal):
                return
            self._iterate(state, legal)
            done += 1
            self.pace = (clock() - began) / done

    def _plan(self, start: Any, go_on: GoOn) -> None:
        """Plans the turn in one deal, unless the tree still knows it from the decision before."""
        if not self.root.children:
            plan(self.game, self.seat, self.root, self.game.redeal(start, self.seat, self.dice), go_on)

    def _ahead(self) -> float:
        """By how many visits the most visited action leads."""
        best = second = 0.0
        for node in self.root.children.values():
            visits = node.visits + node.trust
            if visits > second:
                best, second = max(best, visits), min(best, visits)
        return best - second

    def _clear(self, legal: list[Any]) -> bool:
        """Whether the best action is clear, or so close to the others that it does not matter."""
        if self.better.count < ENOUGH or len(self.root.children) < len(legal):
            return False
        spread = self.better.spread()
        return spread > 0 and may_stop(self._losses(legal, spread**2), spread, self.little)

    def _losses(self, legal: list[Any], usual: float) -> Iterator[float]:
        """What is expected to be lost to each other action if thinking ends now."""
        root, surplus = self.root, self.root.surplus()
        best = max(legal, key=self._standing)
        most = root.children[best].worth(surplus)
        for action in legal:
            if action is not best:
                node = root.children[action]
                error = sqrt(noise(self.values[best], self.values[action], usual) / (node.visits + node.trust))
                yield expected_loss(most - node.worth(surplus), error)

    def _standing(self, action: Any) -> tuple[float, float]:
        node = self.root.children.get(action)
        return (node.visits + node.trust, node.worth(self.root.surplus())) if node else (-1.0, 0.0)

    def _deal(self, start: Any, number: int) -> Deal:
        """The deal of that number, made now if it is the next."""
        if number == len(self.deals):
            state = self.game.redeal(start, self.seat, self.dice)
            after = self.game.clone(state)
            play_on(self.game, after, self.horizon)
            values = leads(self.game, after)
            self.plain.add(values[self.seat])
            self.deals.append(Deal(state, values))
        return self.deals[number]

    def _iterate(self, start: Any, legal: list[Any]) -> None:
        game, root = self.game, self.root
        while len(self.deals) < FIRST_DEALS:
            self._look(self._deal(start, len(self.deals)).state, root.children, legal, self.seat)
        action = self._select(root, legal)
        deal = self._deal(start, root.children[action].visits)
        state = game.clone(deal.state)
        taken = self._descend(state, action)
        values = leads(game, state)
        for before, node, seat in taken:
            value = values[seat] - deal.first_sight[seat]
            node.visits += 1
            node.total += value
            before.tried[node.ended] += 1
            before.beyond[node.ended] += value - node.hope
        self.iterations += 1
        self.values[action].append(values[self.seat] - deal.first_sight[self.seat])
        if value := values[self.seat] - deal.first_sight[self.seat]:
            self.better.add(value)

    def _descend(self, state: Any, action: Any) -> list[Step]:
        """Takes that action, walks down the tree and plays on to the horizon. Returns the steps through the tree."""
        game, seat, node = self.game, self.seat, self.root.children[action]
        taken = [(self.root, node, seat)]
        game.apply(state, action, tell=False)
        turns, inside = int(game.turn_over(state, seat)), True
        while inside and turns < game.tree and (actor := game.actor(state)) is not None:
            legal, seat = game.legal(state), actor
            if len(legal) == 1:
                action = legal[0]
                node = node.children.setdefault(action, Node(node.hope))
            else:
                inside = bool(node.children)
                self._look(state, node.children, legal, seat)
                action = self._select(node, legal)
                taken.append((node, node.children[action], seat))
                node = node.children[action]
            game.apply(state, action, tell=False)
            turns += game.turn_over(state, seat)
        if not game.settled(state):
            play_on(game, state, self.horizon - turns)
        return taken

    def _look(self, state: Any, children: dict[Any, Node], legal: list[Any], seat: int) -> None:
        """Adds the legal actions that the tree does not have yet."""
        game = self.game
        for action in legal:
            if action not in children:
                after = game.clone(state)
                game.apply(after, action, tell=False)
                children[action] = Node(leads(game, after)[seat], game.turn_over(after, seat))

    def _select(self, parent: Node, legal: list[Any]) -> Any:
        seen = self.better if self.better.count >= ENOUGH else self.plain
        eager, surplus = EXPLORATION * (seen.spread() or 1.0), parent.surplus()
        best, most = legal[0], float("-inf")
        for action in legal:
            node = parent.children[action]
            node.seen += 1
            promise = node.worth(surplus) + eager * sqrt(log(node.seen + 1) / (node.visits + node.trust))
            if promise > most:
                best, most = action, promise
        return best
