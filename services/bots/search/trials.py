"""Information-set Monte Carlo tree search over the Game protocol: one for all games.

Every iteration takes a deal of what the seat cannot know, walks down a tree of actions that all these deals share, adds
the actions of one more decision to it, plays on to the horizon at first sight, and counts what the game's evaluation
says there. An action is compared only over the deals in which it was possible (the availability counts of Cowling,
Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Each seat seeks its own best, so it does not
matter how many there are. Chance is in the deals and their dice.

Luck differs more from deal to deal than actions do within one. So the first trial of every action gets the first deal,
the second the second, and so on, and what counts is how much better it went than first sight did in the same deal.
"""

from collections.abc import Callable
from math import log, sqrt
from typing import Any, NamedTuple

from services.bots.search.plan import GoOn, plan
from services.bots.search.stopping import expected_loss, noise
from services.bots.search.tree import FIRST_LOOK, Node, leads, play_on
from services.engine.dice import Dice
from services.engine.game import Game
from services.platform.pool.levels import Budget

# How eagerly actions that look worse are tried, in standard deviations of what the search has seen.
EXPLORATION = 0.7
# After so many values their spread is trusted; after so many deals search begins.
ENOUGH, FIRST_DEALS = 10, 4
# How much looking for the promising ways through the own turn may take, before the dealing begins: positions for each
# iteration that follows, or a part of the time.
PLANNED, PLANNING = 4, 0.1
# After so many iterations it is asked whether the best action is clear.
OFTEN = 8


class Seen:
    """Values that were seen: how many, their mean, and the sum of their squared distances from it."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count += 1
        off = value - self.mean
        self.mean += off / self.count
        self.squares += off * (value - self.mean)

    def spread(self) -> float:
        """Their standard deviation."""
        return sqrt(self.squares / self.count) if self.count else 0.0


class Deal(NamedTuple):
    """A position dealt anew, and what first sight makes of it for each seat."""

    state: Any
    first_sight: list[float]


# A step through the tree: from where, to where, and whose it was.
Step = tuple[Node, Node, int]


class Trials:
    """Tries the actions of one seat, and remembers what came of it as long as that seat keeps the decision."""

    def __init__(self, game: Game[Any], seat: int, dice: Dice) -> None:
        self.game, self.seat, self.dice = game, seat, dice
        self.root = Node()
        # What may be lost by ending thought, in standard deviations of what was seen; how many turns are looked ahead.
        self.little, self.horizon = 0.0, game.horizon
        # Seconds that an iteration takes.
        self.pace = 0.0
        self.deals: list[Deal] = []
        # What each action brought in these deals, one after the other.
        self.values: dict[Any, list[float]] = {}
        self.iterations = 0
        # What first sight brought in the deals, and how much better actions did that did not come to the same.
        self.plain, self.better = Seen(), Seen()

    def think(self, state: Any, legal: list[Any], budget: Budget, clock: Callable[[], float]) -> None:
        """What was thought about these actions before counts; the rest is not thought when it could not change much."""
        self.deals, self.values = [], {action: [] for action in legal}
        self.little, self.horizon = budget.little, self.game.horizon + budget.further
        kept = self._keep(legal)
        if budget.iterations is not None:
            self._think_so_often(state, legal, budget.iterations - int(kept))
        elif budget.seconds is not None:
            began = clock()
            self._think_until(state, legal, began, began + budget.seconds - kept * self.pace, clock)

    def best(self, legal: list[Any]) -> Any:
        """The best action as far as it has thought."""
        return max(legal, key=self._standing)

    def took(self, action: Any) -> None:
        self.root = self.root.children.get(action) or Node()

    def _keep(self, legal: list[Any]) -> float:
        """Keeps what was thought about these actions, if all of them were foreseen; returns how many visits that is."""
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
        """Follows the ways through the own turn, in one deal. What was thought about a turn needs no new plan."""
        if not self.root.children:
            plan(self.game, self.seat, self.root, self.game.redeal(start, self.seat, self.dice), go_on)

    def _ahead(self) -> float:
        """By how many visits the best action leads."""
        best = second = 0.0
        for node in self.root.children.values():
            visits = node.visits + node.trust
            if visits > second:
                best, second = max(best, visits), min(best, visits)
        return best - second

    def _clear(self, legal: list[Any]) -> bool:
        """Whether the best action is clear, or so near to the others that it does not matter."""
        if self.better.count < ENOUGH or len(self.root.children) < len(legal):
            return False
        return self._doubt(legal) < self.little * self.better.spread()

    def _doubt(self, legal: list[Any]) -> float:
        """What is likely to be lost if thinking ends now."""
        root, usual, surplus = self.root, self.better.spread() ** 2, self.root.surplus()
        best = max(legal, key=self._standing)
        most = root.children[best].worth(surplus)
        doubt = 0.0
        for action in legal:
            if action is not best:
                node = root.children[action]
                error = sqrt(noise(self.values[best], self.values[action], usual) / (node.visits + node.trust))
                doubt += expected_loss(most - node.worth(surplus), error)
        return doubt

    def _standing(self, action: Any) -> tuple[float, float]:
        node = self.root.children.get(action)
        return (node.visits + node.trust, node.worth(self.root.surplus())) if node else (-1.0, 0.0)

    def _deal(self, start: Any, number: int) -> Deal:
        """The deal of that number: one of those already dealt, or the next."""
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
        """Takes that action and plays on to the horizon; returns the steps through the tree."""
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
        """Adds the actions that were not possible before."""
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
