"""Information-set Monte Carlo tree search over the Game protocol: one player for all games.

Every iteration takes a deal of what the seat cannot know, walks down a tree of actions that all these deals share, adds
the actions of one more decision to it, plays on to the horizon by a cheap policy, and counts what the game's evaluation
says there. An action is compared only over the deals in which it was possible (the availability counts of Cowling,
Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Each seat seeks its own best, so it does not
matter how many there are. Chance is in the deals and their dice.

Luck differs more from deal to deal than actions do within one. So the first trial of every action gets the first deal,
the second the second, and so on, and what counts is how much better it went than first sight did in the same deal.
"""

from collections.abc import Callable
from math import log, sqrt
from random import Random
from typing import Any, NamedTuple

from services.bots.levels import Budget
from services.bots.plan import Ends, GoOn, compare, plan
from services.bots.tree import FIRST_LOOK, Node, Swift, leads, likely
from services.engine.game import Game

# How eagerly actions that look worse are tried, in standard deviations of what the search has seen.
EXPLORATION = 0.7
# After so many values their spread is trusted; after so many deals search begins.
ENOUGH, FIRST_DEALS = 10, 4
# How much looking for the promising ways through the own turn may take, before the dealing begins: positions for each
# iteration that follows, or a part of the time.
PLANNED, PLANNING = 8, 0.4
# Positions looked at to compare the ends of turns, instead of an iteration.
FURTHER = 12


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


class Search:
    """Thinks for one seat, and remembers what it thought as long as that seat keeps the decision."""

    def __init__(self, game: Game[Any], seat: int, seed: int) -> None:
        self.game, self.seat = game, seat
        self.dice = Swift(b"", 0, Random(seed))
        self.root = Node()
        # Seconds that an iteration takes.
        self.pace = 0.0
        self.deals: list[Deal] = []
        self.iterations = 0
        # What first sight brought in the deals, and how much better actions did that did not come to the same.
        self.plain, self.better = Seen(), Seen()

    def think(self, state: Any, budget: Budget, clock: Callable[[], float]) -> None:
        """About that position, which follows the one answered before. May be interrupted at any moment.

        What was thought about it before counts, and the rest is not thought when it could not change the answer.
        """
        legal = self.game.legal(state)
        if len(legal) == 1:
            return
        self.deals = []
        kept = self._keep(legal)
        if budget.iterations is not None:
            self._think_so_often(state, legal, budget.iterations - int(kept))
        elif budget.seconds is not None:
            began = clock()
            self._think_until(state, legal, began, began + budget.seconds - kept * self.pace, clock)

    def _keep(self, legal: list[Any]) -> float:
        """Keeps what was thought about these actions, if all of them were foreseen; returns how many visits that is.

        Nothing where turns are planned to their end: the plan is made anew after every step.
        """
        children = {action: self.root.children[action] for action in legal if action in self.root.children}
        if self.game.sequel or len(children) < len(legal):
            self.root = Node()
            return 0.0
        self.root.children = children
        self.root.settle()
        return sum(node.trust - FIRST_LOOK[node.ended] for node in children.values())

    def _think_so_often(self, state: Any, legal: list[Any], iterations: int) -> None:
        ends = self._plan(state, lambda looked: looked < PLANNED * iterations)
        if self.game.sequel:
            compare(self.game, self.seat, ends, self.dice, lambda looked: looked < FURTHER * iterations)
            return
        for left in range(iterations, 0, -1):
            if self._ahead() > left:
                return
            self._iterate(state, legal)

    def _think_until(self, state: Any, legal: list[Any], began: float, end: float, clock: Callable[[], float]) -> None:
        planned = began + PLANNING * (end - began)
        ends = self._plan(state, lambda looked: clock() < planned)
        if self.game.sequel:
            compare(self.game, self.seat, ends, self.dice, lambda looked: clock() < end)
            return
        began, done = clock(), 0
        while (now := clock()) < end and not (done and self._ahead() * self.pace > end - now):
            self._iterate(state, legal)
            done += 1
            self.pace = (clock() - began) / done

    def answer(self, state: Any) -> Any:
        """The best action as far as it has thought."""
        action = max(self.game.legal(state), key=self._standing)
        self.root = self.root.children.get(action) or Node()
        return action

    def _plan(self, start: Any, go_on: GoOn) -> Ends:
        """The ways through the own turn, in one deal. What was thought about a turn needs no new plan."""
        if self.root.children:
            return {}
        dealt = self.game.redeal(start, self.seat, self.dice)
        return plan(self.game, self.seat, self.root, dealt, go_on)

    def _ahead(self) -> float:
        """By how many visits the best action leads."""
        best = second = 0.0
        for node in self.root.children.values():
            visits = node.visits + node.trust
            if visits > second:
                best, second = max(best, visits), min(best, visits)
        return best - second

    def _standing(self, action: Any) -> tuple[float, float]:
        node = self.root.children.get(action)
        return (node.visits + node.trust, node.worth(self.root.surplus())) if node else (-1.0, 0.0)

    def _deal(self, start: Any, number: int) -> Deal:
        """The deal of that number: one of those already dealt, or the next."""
        if number == len(self.deals):
            state = self.game.redeal(start, self.seat, self.dice)
            after = self.game.clone(state)
            self._play_on(after, 0)
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
        self._play_on(state, turns)
        return taken

    def _play_on(self, state: Any, turns: int) -> None:
        """To the horizon, at first sight."""
        game = self.game
        while turns < game.horizon and (seat := game.actor(state)) is not None:
            legal = game.legal(state)
            game.apply(state, legal[0] if len(legal) == 1 else likely(game, state, legal, seat), tell=False)
            turns += game.turn_over(state, seat)

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
