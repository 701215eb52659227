"""The state machine (RG-26): what is legal now, and what an action does."""

from collections.abc import Callable
from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold import cleanup
from services.games.river_of_gold.actions import build, catalogue, deliver, exchanges, pending, sail
from services.games.river_of_gold.actions.exchanges import can_exchange
from services.games.river_of_gold.actions.patrons import legal_patrons, take_patron
from services.games.river_of_gold.state import MAIN, OVER, PENDING, ROLL, WRAP_UP, State
from teahouse.games.river_of_gold.v1 import structs

Act = Callable[[State, int, int, Story], None]


def legal_main(state: State) -> list[Any]:
    player = state.players[state.turn]
    found = [catalogue.DIE_UP, catalogue.DIE_DOWN] if player.favor else []
    return (
        found
        + exchanges.exchanges(player)
        + build.builds(state, player)
        + sail.sails(player)
        + deliver.deliveries(player)
    )


def legal_discards(state: State) -> list[Any]:
    return [catalogue.DISCARD_CARD[card] for card in state.players[state.turn].hand]


def legal_selling(state: State) -> list[Any]:
    player = state.players[state.turn]
    return pending.legal_sales(player) + exchanges.exchanges(player)


def legal_wrap_up(state: State) -> list[Any]:
    return [catalogue.END_TURN, *exchanges.exchanges(state.players[state.turn])]


def legal_first_die(state: State) -> list[Any]:
    return [*catalogue.SET_DIE, catalogue.ROLL_DIE] if state.players[state.turn].favor else [catalogue.ROLL_DIE]


def legal_roll(state: State) -> list[Any]:
    return legal_first_die(state) + exchanges.exchanges(state.players[state.turn])


# By phase.
LEGAL: tuple[Callable[[State], list[Any]], ...] = (
    legal_patrons,
    legal_patrons,
    legal_first_die,
    legal_main,
    pending.legal_pending,
    legal_discards,
    legal_selling,
    legal_wrap_up,
    pending.legal_others,
    legal_roll,
    lambda state: [],
)


def legal(state: State) -> list[Any]:
    return LEGAL[state.phase](state)


def _main(act: Act) -> Act:
    """Carries out one of the three actions of a turn, and what follows from it."""

    def take(state: State, a: int, b: int, story: Story) -> None:
        if state.phase != MAIN:
            raise IllegalAction("the action of this turn is already taken")
        act(state, a, b, story)
        pending.resume(state, story)

    return take


def _exchange(act: Act) -> Act:
    """Makes an exchange, then takes the following steps that leave no choice."""

    def take(state: State, a: int, b: int, story: Story) -> None:
        act(state, a, b, story)
        if state.phase in (PENDING, WRAP_UP):
            pending.resume(state, story)
        elif state.phase == ROLL:
            player = state.players[state.turn]
            if not player.favor and not can_exchange(player):
                cleanup.roll_die(state, 0, 0, story)

    return take


ACTS: dict[type, Act] = {
    structs.TakePatron: take_patron,
    structs.ChangeDie: exchanges.change_die,
    structs.ExchangeGoods: _exchange(exchanges.exchange_goods),
    structs.ExchangeFavor: _exchange(exchanges.exchange_favor),
    structs.Build: _main(build.build),
    structs.Sail: _main(sail.sail),
    structs.Deliver: _main(deliver.deliver),
    structs.TakeGood: pending.take_good,
    structs.TakeJourney: pending.take_journey,
    structs.Sell: pending.sell,
    structs.StopSelling: pending.stop_selling,
    structs.PlaceMarker: pending.place_marker,
    structs.UpgradeShip: pending.upgrade_ship,
    structs.Draw: pending.draw_customers,
    structs.Discard: pending.discard,
    structs.Lapse: pending.lapse,
    structs.EndTurn: cleanup.finish_turn,
    structs.SetDie: cleanup.set_die,
    structs.Roll: cleanup.roll_die,
}


def apply(state: State, action: Any, tell: bool) -> list[Event]:
    if state.phase == OVER:
        raise IllegalAction("the game is over")
    numbers = catalogue.NUMBERS.get(action)
    if numbers is None:
        raise IllegalAction(f"there is no such move: {action}")
    if not tell:
        ACTS[type(action)](state, *numbers, None)
        return []
    story: list[Event] = []
    ACTS[type(action)](state, *numbers, story)
    return story
