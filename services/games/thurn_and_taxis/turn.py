"""The state machine: what is legal now, and what an action does."""

from collections.abc import Callable
from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.thurn_and_taxis.actions import closing, playing, taking
from services.games.thurn_and_taxis.state import GAME_OVER, State
from teahouse.games.thurn_and_taxis.v1 import structs

# Indexed by phase.
LEGAL: tuple[Callable[[State], list[Any]], ...] = (
    taking.legal_take,
    taking.legal_take,
    playing.legal_play,
    playing.legal_start,
    playing.legal_after_play,
    closing.legal_houses,
    closing.legal_cartwright,
    closing.legal_discard,
    lambda state: [],
)

# Indexed by kind of action.
DO: dict[type, Callable[[State, Any, Story], None]] = {
    structs.UseAdministrator: taking.use_administrator,
    structs.TakeDisplay: taking.take_display,
    structs.TakeDeck: taking.take_deck,
    structs.PostmasterTakeDisplay: taking.postmaster_take_display,
    structs.PostmasterTakeDeck: taking.postmaster_take_deck,
    structs.Start: playing.start,
    structs.Extend: playing.extend,
    structs.Abandon: playing.abandon,
    structs.CarrierExtend: playing.carrier_extend,
    structs.EndTurn: playing.pass_on,
    structs.Close: closing.close,
    structs.PlaceHouse: closing.place_house,
    structs.FinishHouses: closing.finish_houses,
    structs.UseCartwright: closing.use_cartwright,
    structs.DeclineCartwright: closing.decline_cartwright,
    structs.Discard: closing.discard,
}


def legal(state: State) -> list[Any]:
    return LEGAL[state.phase](state)


def apply(state: State, action: Any, tell: bool) -> list[Event]:
    if state.phase == GAME_OVER:
        raise IllegalAction("The game is over.")
    events: list[Event] = []
    DO[type(action)](state, action, events if tell else None)
    return events
