"""Bots that search: one player for all games, over the Game protocol.

Where a game can tell whole turns apart they race against each other (race.py): those that it names itself, or, where
turns are long, those that a plan finds. Everywhere else single actions are tried in a tree (trials.py).
"""

from collections.abc import Callable
from functools import partial
from heapq import nlargest
from random import Random
from typing import Any

from services.bots.search.plan import GoOn, plan, sequel, steps
from services.bots.search.race import Race, Terms, Way
from services.bots.search.tree import Node, Swift, leads, play_on
from services.bots.search.trials import Trials
from services.engine.game import Game
from services.platform.pool.levels import Budget

# Turns that a game names are many and quickly tried; a sequel is a plan of its own.
NAMED, PLANNED = Terms(compared=16, enough=6, clearly=2.5), Terms(compared=6, enough=4, clearly=2.0)
# What a plan of a long turn may take: a part of the time, or positions for each iteration; and how many positions are
# looked at to compare its ends, instead of an iteration.
PLANNING, POSITIONS, FURTHER = 0.4, 8, 12
# The part of that for another plan in the middle of the turn, and how much more it must promise to be taken up.
AGAIN, MORE = 0.25, 0.01


class Search:
    """Thinks for one seat, and remembers what it thought as long as that seat keeps the decision."""

    def __init__(self, game: Game[Any], seat: int, seed: int) -> None:
        self.game, self.seat = game, seat
        self.dice = Swift(b"", 0, Random(seed))
        self.trials = Trials(game, seat, self.dice)
        self.race: Race | None = None
        self.raced = 0
        self.horizon = game.horizon

    @property
    def iterations(self) -> int:
        return self.trials.iterations + self.raced

    def think(self, state: Any, budget: Budget, clock: Callable[[], float]) -> None:
        """About that position, which follows the one answered before. May be interrupted at any moment.

        A race goes on with the next decision of the turn.
        """
        legal = self.game.legal(state)
        if len(legal) == 1:
            return
        until = partial(allowed, budget, clock, clock())
        self.horizon = self.game.horizon + budget.further
        if not (self.race and self.race.going(legal)):
            self.race = self._begin(state, budget, until(PLANNING, POSITIONS))
        elif self.game.sequel:
            self.race = self._plan_again(self.race, state, budget, until(AGAIN * PLANNING, AGAIN * POSITIONS))
        if self.race:
            self._run(self.race, state, until)
        elif not self.game.sequel:
            self.trials.think(state, legal, budget, clock)

    def answer(self, state: Any) -> Any:
        """The best action as far as it has thought."""
        legal = self.game.legal(state)
        if self.race and self.race.going(legal):
            action = self.race.best()
            self.race.follow(action)
        else:
            self.race = None
            action = self.trials.best(legal)
        self.trials.took(action)
        return action

    def _begin(self, state: Any, budget: Budget, go_on: GoOn) -> Race | None:
        """A race of the turns that are possible now, if whole turns can be compared."""
        if not self.game.sequel:
            named = [Way(*way) for way in self.game.turns(state, self.seat)]
            return Race(named, NAMED.times(budget.width), budget.little) if named else None
        root = self.trials.root = Node()
        ends = plan(self.game, self.seat, root, self.game.redeal(state, self.seat, self.dice), go_on)
        terms = PLANNED.times(budget.width)
        best = [ends[value] for value in nlargest(terms.compared, ends)]
        return Race([Way(value, steps(way), end) for value, _, end, way in best], terms) if best else None

    def _plan_again(self, race: Race, state: Any, budget: Budget, go_on: GoOn) -> Race:
        """From nearer to the end of the turn a plan sees more: if it finds a better end, a new race begins."""
        found = self._begin(state, budget, go_on)
        return found if found and found.promise() > race.promise() + MORE else race

    def _run(self, race: Race, state: Any, until: Callable[[float, float], GoOn]) -> None:
        if self.game.sequel:
            race.run(self._sequel, self.dice.word, until(1.0, FURTHER / self.game.sequel))
        else:
            race.run(self._outcome, lambda: self.game.redeal(state, self.seat, self.dice), until(1.0, 1.0))

    def _sequel(self, way: Way, luck: int) -> float:
        """What the best next turn after the end of this one is worth."""
        self.raced += 1
        return sequel(self.game, self.seat, way.end, Swift(b"", 0, Random(luck)))

    def _outcome(self, way: Way, dealt: Any) -> float:
        """What the turn has come to at the horizon."""
        self.raced += 1
        game, seat, state = self.game, self.seat, self.game.clone(dealt)
        for action in way.chain:
            game.apply(state, action, tell=False)
        if not game.settled(state):
            play_on(game, state, self.horizon - game.turn_over(state, seat))
        return leads(game, state)[seat]


def allowed(budget: Budget, clock: Callable[[], float], began: float, part: float, each: float) -> GoOn:
    """Whether there is more to be spent: that part of the seconds, or so much for each iteration."""
    if budget.iterations is not None:
        most = each * budget.iterations
        return lambda spent: spent < most
    end = began + part * (budget.seconds or 0.0)
    return lambda spent: clock() < end
