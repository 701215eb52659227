"""The players: `choose(level, game, state, seat, dice)` names one legal action; a `Mind` does so for a whole turn.

A player only ever sees a redealt position: what is hidden from its seat is random there, so it cannot cheat. All
chance comes from the dice it is given, so the same position and dice give the same action (of a level that counts its
iterations; one that looks at the clock does what it has time for).
"""

import time
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from services.bots.search.player import Search
from services.engine.dice import Dice
from services.engine.game import Game
from services.platform.pool.levels import budget

# How many positions `greedy` looks at for one decision.
GREEDY_POSITIONS = 300

Player = Callable[[Game[Any], Any, int, Dice], Any]


def play_random(game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    return dice.choice(game.legal(state))


def play_greedy(game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    """The first step of the own chain of decisions that ends in the best position by the game's evaluation.

    A turn is a chain of small decisions, so looking one decision ahead would see nothing. This looks ahead until the
    turn is over, the most promising chains first.
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
    """An automa is driven by the rules: they leave it one action at a time."""
    return game.legal(state)[0]


PLAYERS: dict[str, Player] = {"random": play_random, "greedy": play_greedy, "automa": play_automa}


class Mind:
    """The player of one seat for as long as it keeps the decision: what it has thought about its turn it keeps.

    `clock` measures the budget: the time of day for a worker, the time of the processor for a tournament that shares
    its machine.
    """

    def __init__(
        self, level: str, game: Game[Any], seat: int, dice: Dice, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.game, self.seat, self.dice, self.clock = game, seat, dice, clock
        self.budget = budget(level)
        self.play = None if self.budget else PLAYERS[level]
        self.search: Search | None = None

    def think(self, state: Any) -> None:
        """Takes the time of the level; may be interrupted at any moment."""
        if self.budget:
            self.search = self.search or Search(self.game, self.seat, self.dice.word())
            self.search.think(state, self.budget, self.clock)

    def answer(self, state: Any) -> Any:
        """The best action as far as it has thought."""
        if self.play:
            return self.play(self.game, state, self.seat, self.dice)
        assert self.search
        return self.search.answer(state)

    def choose(self, state: Any) -> Any:
        self.think(state)
        return self.answer(state)


def choose(level: str, game: Game[Any], state: Any, seat: int, dice: Dice) -> Any:
    return Mind(level, game, seat, dice).choose(state)
