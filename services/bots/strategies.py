"""How bots choose: `choose(level, game, state, seat, dice)` returns a legal action; a `Bot` does so for a whole turn.

The position has been dealt again for the bot's seat: what that seat must not know is random, so a bot cannot cheat. All
chance comes from the given dice, so the same position and dice give the same action. Levels with a budget in seconds
are the exception: they do what they have time for.
"""

import time
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from services.bots.search.search import Search
from services.engine.dice import Dice
from services.engine.game import Game
from services.platform.pool.levels import budget

# Positions that `greedy` looks at for one decision.
GREEDY_POSITIONS = 300

Strategy = Callable[[Game[Any], Any, int, Dice], Any]


def play_random(game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    return dice.choice(game.legal(state))


def play_greedy(game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    """The first action of the best chain of decisions: the one that ends the turn in the best position.

    A turn is a chain of small decisions, and looking one decision ahead shows little. So this follows chains to the end
    of the turn, the most promising first, and compares the game's evaluation there.
    """
    legal = game.legal(state)
    if len(legal) == 1:
        return legal[0]
    open_chains: list[tuple[float, int, Any, Any]] = []
    best_value, best_first = float("-inf"), legal[0]
    looked = 0

    def look(position: Any, action: Any, first: Any) -> None:
        nonlocal best_value, best_first, looked
        looked += 1
        child = game.clone(position)
        game.apply(child, action, tell=False)
        value = game.evaluate(child, seat)
        if not game.turn_over(child, seat):
            heappush(open_chains, (-value, looked, child, first))
        elif value > best_value:
            best_value, best_first = value, first

    for action in legal:
        look(state, action, action)
    while open_chains and looked < GREEDY_POSITIONS:
        _, _, position, first = heappop(open_chains)
        for action in game.legal(position):
            look(position, action, first)
    if best_value == float("-inf") and open_chains:
        return open_chains[0][3]
    return best_first


def play_automa(game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    """The rules drive an automa: they leave it one legal action at a time."""
    return game.legal(state)[0]


STRATEGIES: dict[str, Strategy] = {"random": play_random, "greedy": play_greedy, "automa": play_automa}


class Bot:
    """Plays one seat for as long as it keeps the decision, and keeps what it found out about the turn.

    `clock` measures the budget: real time in a worker, processor time in a tournament that shares its machine.
    """

    def __init__(
        self, level: str, game: Game[Any], seat: int, dice: Dice, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.level, self.game, self.seat, self.dice, self.clock = level, game, seat, dice, clock
        self.budget = budget(level)
        self.play = None if self.budget else STRATEGIES[level]
        self.search: Search | None = None

    def think(self, state: Any) -> None:
        """Thinks within the budget of the level. May be interrupted at any moment."""
        if self.budget:
            self.search = self.search or Search(self.game, self.seat, self.dice.word())
            self.search.think(state, self.budget, self.clock)

    def answer(self, state: Any) -> Any:
        """The best action found so far."""
        if self.play:
            return self.play(self.game, state, self.seat, self.dice)
        assert self.search
        return self.search.answer(state)

    def choose(self, state: Any) -> Any:
        self.think(state)
        return self.answer(state)


def choose(level: str, game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    return Bot(level, game, seat, dice).choose(state)
