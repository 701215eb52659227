"""Starter Game behind the protocol of all games."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

from services.engine.dice import Dice
from services.engine.game import Event, Game, Info, Outcome
from services.games.starter_game import evaluation, redeal, scoring, turn
from services.games.starter_game import state as states
from services.games.starter_game import view as views
from services.games.starter_game.components import BOX
from services.games.starter_game.deal import deal
from services.games.starter_game.state import OVER, State
from teahouse.games.starter_game.v1 import structs as contract


class StarterGame(Game[State]):
    info: ClassVar[Info] = Info(
        "starter_game", {"en": BOX["game"]["title_en"], "pl": BOX["game"]["title_pl"]}, min_seats=2, max_seats=4
    )
    structs: ClassVar[ModuleType] = contract
    state_type: ClassVar[type] = State

    def new(self, seats: Sequence[str], options: contract.Options, seed: bytes) -> State:
        self.info.check_seats(seats)
        return deal(len(seats), options.rounds, seed)

    def seats(self, state: State) -> int:
        return len(state.players)

    def actor(self, state: State) -> int | None:
        return None if state.phase == OVER else state.seat

    def legal(self, state: State) -> list[Any]:
        return turn.legal(state)

    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        return turn.apply(state, action, tell)

    def clone(self, state: State) -> State:
        return states.clone(state)

    def view(self, state: State, seat: int | None) -> contract.View:
        return views.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        return redeal.redeal(state, seat, dice)

    def evaluate(self, state: State, seat: int) -> float:
        return evaluation.evaluate(state, seat)


GAME = StarterGame()
