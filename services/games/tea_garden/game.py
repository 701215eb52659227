"""Tea Garden as a Game."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

from services.engine.dice import Dice
from services.engine.game import Event, Game, IllegalAction, Info, Outcome
from services.games.tea_garden import evaluation, redeal, scoring
from services.games.tea_garden import state as states
from services.games.tea_garden.actions.handlers import DOERS, LISTERS
from services.games.tea_garden.deal import AUTOMA, check, deal
from services.games.tea_garden.state import LU_YU, OVER, TURN_START, State
from services.games.tea_garden.turn import allowed
from services.games.tea_garden.view import view
from teahouse.games.tea_garden.v1 import structs


class TeaGarden(Game[State]):
    """Tea Garden for 2 to 4 players, or one player against Lu Yu."""

    info: ClassVar[Info] = Info(
        id="tea_garden",
        title={"en": "Tea Garden", "pl": "Herbaciany Ogród"},
        min_seats=2,
        max_seats=4,
        automas=(AUTOMA,),
    )
    structs: ClassVar[ModuleType] = structs
    state_type: ClassVar[type] = State
    rules: ClassVar[int] = 2  # docs/games/tea-garden.md says what changed
    # A turn is a dozen decisions, nearly all of it certain, and the rest of the hand is known for the next one.
    sequel: ClassVar[int] = 200

    def new(self, seats: Sequence[str], options: Any, seed: bytes) -> State:
        check(seats, options)
        self.info.check_seats(seats)
        return deal(seats, options, seed)

    def seats(self, state: State) -> int:
        return len(state.players)

    def actor(self, state: State) -> int | None:
        return None if state.question == OVER else state.seat

    def turn_over(self, state: State, seat: int) -> bool:
        """When all others have passed, a seat's next turn follows its last."""
        return state.seat != seat or (state.question == TURN_START and not state.freed) or state.question == OVER

    def legal(self, state: State) -> list[Any]:
        if state.question == OVER:
            return []
        p = state.players[state.seat]
        actions = LISTERS[state.question](state, p)
        if state.laid or state.question == LU_YU:
            return actions
        return [action for action in actions if allowed(state, p, action)]

    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        if state.question == OVER:
            raise IllegalAction("the game is over")
        p = state.players[state.seat]
        if not state.laid and state.question != LU_YU and not allowed(state, p, action):
            raise IllegalAction("after a free action you must lay cards, and then you could not")
        story: list[Event] | None = [] if tell else None
        DOERS[type(action)](state, p, action, story)
        return story or []

    def clone(self, state: State) -> State:
        return states.clone(state)

    def view(self, state: State, seat: int | None) -> Any:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        return redeal.redeal(state, seat, dice)

    def evaluate(self, state: State, seat: int) -> float:
        return evaluation.evaluate(state, seat)


GAME = TeaGarden()
