"""Thurn and Taxis behind the protocol of all games."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

from services.engine.dice import Dice
from services.engine.game import Event, Game, Info, Outcome
from services.games.thurn_and_taxis import deal, evaluation, first_sight, redeal, scoring, turn
from services.games.thurn_and_taxis import view as views
from services.games.thurn_and_taxis.components import BOX, MAX_SEATS, MIN_SEATS
from services.games.thurn_and_taxis.state import GAME_OVER, State, clone
from teahouse.games.thurn_and_taxis.v1 import structs as contract


class ThurnAndTaxis(Game[State]):
    info = Info(
        id="thurn_and_taxis",
        title={"en": BOX["game"]["title_en"], "pl": BOX["game"]["title_pl"]},
        min_seats=MIN_SEATS,
        max_seats=MAX_SEATS,
    )
    structs: ClassVar[ModuleType] = contract
    state_type = State
    tree: ClassVar[int] = 3

    def new(self, seats: Sequence[str], options: contract.Options, seed: bytes) -> State:
        self.info.check_seats(seats)
        return deal.deal(len(seats), options.all_provinces_requires_baiern, seed)

    def seats(self, state: State) -> int:
        return len(state.players)

    def actor(self, state: State) -> int | None:
        return None if state.phase == GAME_OVER else state.seat

    def legal(self, state: State) -> list[Any]:
        return turn.legal(state)

    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        return turn.apply(state, action, tell)

    def clone(self, state: State) -> State:
        return clone(state)

    def view(self, state: State, seat: int | None) -> contract.View:
        return views.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        return redeal.redeal(state, seat, dice)

    def evaluate(self, state: State, seat: int) -> float:
        return evaluation.evaluate(state, seat)

    def first_sight(self, state: State, legal: list[Any], seat: int) -> Sequence[Any]:
        return first_sight.first_sight(state) or super().first_sight(state, first_sight.worth_a_look(legal), seat)


GAME = ThurnAndTaxis()
