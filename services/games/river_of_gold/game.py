"""River of Gold behind the protocol of all games."""

from collections.abc import Sequence
from typing import Any, ClassVar

from services.engine.dice import Dice
from services.engine.game import Event, Game, Info, Outcome
from services.games.river_of_gold import deal, evaluation, redeal, scoring, turn
from services.games.river_of_gold.state import NOBODY, State, clone
from services.games.river_of_gold.view import view
from teahouse.games.river_of_gold.v1 import structs


class RiverOfGold(Game[State]):
    info: ClassVar = Info(
        id="river_of_gold",
        title={"en": "River of Gold", "pl": "Rzeka Złota"},
        min_seats=2,
        max_seats=4,
    )
    structs: ClassVar = structs
    state_type: ClassVar = State

    def new(self, seats: Sequence[str], options: Any, seed: bytes) -> State:
        self.info.check_seats(seats)
        return deal.new(len(seats), options.patrons, seed)

    def seats(self, state: State) -> int:
        return len(state.players)

    def actor(self, state: State) -> int | None:
        return state.actor if state.actor != NOBODY else None

    def legal(self, state: State) -> list[Any]:
        return turn.legal(state)

    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        return turn.apply(state, action, tell)

    def clone(self, state: State) -> State:
        return clone(state)

    def view(self, state: State, seat: int | None) -> structs.View:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        return redeal.redeal(state, seat, dice)

    def evaluate(self, state: State, seat: int) -> float:
        return evaluation.evaluate(state, seat)

    def evaluate_all(self, state: State) -> list[float]:
        return evaluation.evaluate_all(state)

    def first_sight(self, state: State, legal: list[Any], seat: int) -> Sequence[Any]:
        known = evaluation.at_once(state)
        return (known,) if known else super().first_sight(state, evaluation.worth_a_look(legal), seat)


GAME = RiverOfGold()
