"""Hanamikoji: Geisha's Road as a Game."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

from services.engine.dice import Dice
from services.engine.game import Event, Game, Info, Outcome
from services.games.geishas_road import evaluation, first_sight, redeal, scoring, turn, view
from services.games.geishas_road import state as states
from services.games.geishas_road.actions import legal
from services.games.geishas_road.components import BOX, MODES
from services.games.geishas_road.deal import new_game
from services.games.geishas_road.state import NONE, State
from teahouse.games.geishas_road.v1 import structs


class GeishasRoad(Game[State]):
    info: ClassVar[Info] = Info(
        "geishas_road", {"en": BOX["game"]["title_en"], "pl": BOX["game"]["title_pl"]}, min_seats=2, max_seats=2
    )
    structs: ClassVar[ModuleType] = structs
    state_type: ClassVar[type] = State
    # A whole round, so its totals are exact.
    horizon: ClassVar[int] = 8

    def new(self, seats: Sequence[str], options: Any, seed: bytes) -> State:
        self.info.check_seats(seats)
        state = new_game(MODES.index(options.mode), options.destiny, options.starting_seat, seed)
        turn.start_turn(state, None)
        return state

    def seats(self, state: State) -> int:
        return 2

    def actor(self, state: State) -> int | None:
        return None if state.actor == NONE else state.actor

    def settled(self, state: State) -> bool:
        return state.turn == 1 and state.phase == states.USE

    def legal(self, state: State) -> list[Any]:
        return legal.legal(state)

    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        return turn.apply(state, action, tell)

    def clone(self, state: State) -> State:
        return states.clone(state)

    def view(self, state: State, seat: int | None) -> Any:
        return view.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        return redeal.redeal(state, seat, dice)

    def evaluate(self, state: State, seat: int) -> float:
        return evaluation.evaluate(state, seat)

    def first_sight(self, state: State, legal: list[Any], seat: int) -> Sequence[Any]:
        return first_sight.first_sight(state, seat) or super().first_sight(state, legal, seat)

    def turns(self, state: State, seat: int) -> Sequence[tuple[float, Sequence[Any]]]:
        return first_sight.turns(state, seat)


GAME = GeishasRoad()
