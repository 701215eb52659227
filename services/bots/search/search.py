"""Decides what is searched: whole turns or single actions. It knows nothing of a game but the Game protocol.

Whole turns are compared in a race (race.py): the turns that the game lists, or, where turns are long, those that a plan
finds (plan.py). In all other games single actions are tried in a tree (trials.py).
"""

from collections.abc import Callable
from functools import partial
from heapq import nlargest
from random import Random
from typing import Any

from services.bots.search.plan import GoOn, plan, sequel, steps
from services.bots.search.race import Candidate, Race, Terms
from services.bots.search.tree import FastDice, Node, leads, play_on
from services.bots.search.trials import Trials
from services.engine.game import Game
from services.platform.pool.levels import Budget

# A game lists many turns, and trying one is quick. For a planned one each trial is a plan of its own.
LISTED, PLANNED = Terms(compared=16, enough=6, clearly=2.5), Terms(compared=6, enough=4, clearly=2.0)
# What a plan of a long turn may take: a share of the seconds, or positions for each iteration. FURTHER: positions that
# count as one iteration when its ends are compared.
PLANNING, POSITIONS, FURTHER = 0.4, 8, 12
# A new plan in the middle of a turn gets this share of that, and is followed if it promises this much more.
AGAIN, MORE = 0.25, 0.01


class Search:
    """Searches for one seat, and keeps what it found for as long as that seat has the decision."""

    def __init__(self, game: Game[Any], seat: int, seed: int) -> None:
        self.game, self.seat = game, seat
        self.dice = FastDice(b"", 0, Random(seed))
        self.trials = Trials(game, seat, self.dice)
        self.race: Race | None = None
        self.raced = 0
        self.horizon = game.horizon

    @property
    def iterations(self) -> int:
        return self.trials.iterations + self.raced

    def think(self, state: Any, budget: Budget, clock: Callable[[], float]) -> None:
        """Thinks about a position that follows the one answered before. May be interrupted at any moment."""
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
        """The best action found so far."""
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
        """A race between the turns that are possible now; None if the game compares single actions."""
        if not self.game.sequel:
            listed = [Candidate(*turn) for turn in self.game.turns(state, self.seat)]
            return Race(listed, LISTED.times(budget.width), budget.little) if listed else None
        root = self.trials.root = Node()
        ends = plan(self.game, self.seat, root, self.game.redeal(state, self.seat, self.dice), go_on)
        terms = PLANNED.times(budget.width)
        best = [ends[value] for value in nlargest(terms.compared, ends)]
        return Race([Candidate(value, steps(way), end) for value, _, end, way in best], terms) if best else None

    def _plan_again(self, race: Race, state: Any, budget: Budget, go_on: GoOn) -> Race:
        """A plan sees more from nearer to the end of the turn. If it finds a better end, a new race begins."""
        found = self._begin(state, budget, go_on)
        return found if found and found.promise() > race.promise() + MORE else race

    def _run(self, race: Race, state: Any, until: Callable[[float, float], GoOn]) -> None:
        if self.game.sequel:
            race.run(self._sequel, self.dice.word, until(1.0, FURTHER / self.game.sequel))
        else:
            race.run(self._outcome, lambda: self.game.redeal(state, self.seat, self.dice), until(1.0, 1.0))

    def _sequel(self, turn: Candidate, luck: int) -> float:
        """The value of the best turn after this one."""
        self.raced += 1
        return sequel(self.game, self.seat, turn.end, FastDice(b"", 0, Random(luck)))

    def _outcome(self, turn: Candidate, dealt: Any) -> float:
        """What the turn leads to at the horizon, in that deal."""
        self.raced += 1
        game, seat, state = self.game, self.seat, self.game.clone(dealt)
        for action in turn.chain:
            game.apply(state, action, tell=False)
        if not game.settled(state):
            play_on(game, state, self.horizon - game.turn_over(state, seat))
        return leads(game, state)[seat]


def allowed(budget: Budget, clock: Callable[[], float], began: float, part: float, each: float) -> GoOn:
    """Whether the budget allows more: `part` of its seconds, or `each` for every one of its iterations."""
    if budget.iterations is not None:
        most = each * budget.iterations
        return lambda spent: spent < most
    end = began + part * (budget.seconds or 0.0)
    return lambda spent: clock() < end
