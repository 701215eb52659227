"""Step 2: playing a city card: starting, extending or abandoning the route (section 3.1 of the rules)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.thurn_and_taxis.actions.piles import replenish
from services.games.thurn_and_taxis.actions.steps import come_to_close, end_turn
from services.games.thurn_and_taxis.actions.taking import (
    POSTMASTER_TAKE_DECK,
    POSTMASTER_TAKE_DISPLAY,
    check_official_is_free,
    sources,
)
from services.games.thurn_and_taxis.components import CITIES, CITY, GAP, NEIGHBOURS, SHORTEST_ROUTE
from services.games.thurn_and_taxis.state import AFTER_PLAY, PLAY_FIRST, POSTAL_CARRIER, START_ANEW, Player, State
from teahouse.games.thurn_and_taxis.v1 import structs

START = tuple(structs.Start(name) for name in CITIES)
ABANDON = structs.Abandon()
EXTEND_LEFT = tuple(structs.Extend(name, "left") for name in CITIES)
EXTEND_RIGHT = tuple(structs.Extend(name, "right") for name in CITIES)
CARRIER_LEFT = tuple(structs.CarrierExtend(name, "left") for name in CITIES)
CARRIER_RIGHT = tuple(structs.CarrierExtend(name, "right") for name in CITIES)
CLOSE = structs.Close()
END_TURN = structs.EndTurn()


def legal_play(state: State) -> list[Any]:
    player = state.players[state.seat]
    if player.route:
        actions = _suitable(player, EXTEND_LEFT, EXTEND_RIGHT)
        actions.append(ABANDON)
    else:
        actions = legal_start(state)
    if not state.official:
        actions += sources(state, POSTMASTER_TAKE_DISPLAY, POSTMASTER_TAKE_DECK)
    return actions


def legal_start(state: State) -> list[Any]:
    return [START[city] for city in sorted(set(state.players[state.seat].hand))]


def legal_after_play(state: State) -> list[Any]:
    player = state.players[state.seat]
    actions = _suitable(player, CARRIER_LEFT, CARRIER_RIGHT) if player.hand and not state.official else []
    if len(player.route) >= SHORTEST_ROUTE:
        actions.append(CLOSE)
    actions.append(END_TURN)
    return actions


def _suitable(player: Player, left_actions: tuple[Any, ...], right_actions: tuple[Any, ...]) -> list[Any]:
    """TT-28. On a route of one card, left and right are mirror images, so only right is offered."""
    route = player.route
    left = NEIGHBOURS[route[0]] if len(route) > 1 else 0
    right = NEIGHBOURS[route[-1]]
    either = left | right
    actions = []
    last = GAP
    for city in player.hand:
        if city != last:
            last = city
            if either >> city & 1 and city not in route:
                if left >> city & 1:
                    actions.append(left_actions[city])
                if right >> city & 1:
                    actions.append(right_actions[city])
    return actions


def start(state: State, action: structs.Start, story: Story) -> None:
    player = state.players[state.seat] if state.phase == START_ANEW else _check_play_is_due(state)
    city = _check_in_hand(player, action.city)
    if player.route:
        raise IllegalAction("You have a route: extend it or abandon it.")
    leave_hand(player, city)
    player.route = [city]
    state.stirred = True
    if story is not None:
        story.append(Event(structs.RouteStarted(state.seat, CITIES[city])))
    come_to_close(state, story)


def abandon(state: State, action: structs.Abandon, story: Story) -> None:
    player = _check_play_is_due(state)
    if not player.route:
        raise IllegalAction("You have no route to abandon.")
    abandoned, player.route = player.route, []
    state.discard += abandoned
    state.phase = START_ANEW
    if story is not None:
        story.append(Event(structs.RouteAbandoned(state.seat, [CITIES[card] for card in abandoned])))
    replenish(state, story)


def extend(state: State, action: structs.Extend, story: Story) -> None:
    player = _check_play_is_due(state)
    city = _check_suitable(player, action.city, action.end)
    _extend(state, player, city, action.end, False, story)
    come_to_close(state, story)


def carrier_extend(state: State, action: structs.CarrierExtend, story: Story) -> None:
    if state.phase != AFTER_PLAY:
        raise IllegalAction("The Postal Carrier helps only after a card is played and before the route is closed.")
    check_official_is_free(state)
    player = state.players[state.seat]
    city = _check_suitable(player, action.city, action.end)
    state.official = POSTAL_CARRIER
    _extend(state, player, city, action.end, True, story)
    come_to_close(state, story)


def pass_on(state: State, action: structs.EndTurn, story: Story) -> None:
    if state.phase != AFTER_PLAY:
        raise IllegalAction("The turn cannot end now: another decision is due.")
    end_turn(state, story)


def _check_play_is_due(state: State) -> Player:
    if state.phase != PLAY_FIRST:
        raise IllegalAction("A card is played once in a turn, after a card is taken.")
    return state.players[state.seat]


def _check_in_hand(player: Player, name: str) -> int:
    city = CITY.get(name, GAP)
    if city not in player.hand:
        raise IllegalAction(f"You have no card {name[:40]!r} in hand.")
    return city


def _check_suitable(player: Player, name: str, end: str) -> int:
    city = _check_in_hand(player, name)
    route = player.route
    if not route:
        raise IllegalAction("You have no route to extend: start one.")
    if city in route:
        raise IllegalAction("That city is in the route already.")
    if end != "right" and (end != "left" or len(route) == 1):
        raise IllegalAction("A card goes to the left or right end; on a route of one card use the right one.")
    if not NEIGHBOURS[route[0] if end == "left" else route[-1]] >> city & 1:
        raise IllegalAction("No road joins that city to this end of the route.")
    return city


def leave_hand(player: Player, city: int) -> None:
    player.hand.remove(city)
    if city in player.seen:
        player.seen.remove(city)


def _extend(state: State, player: Player, city: int, end: str, carrier: bool, story: Story) -> None:
    leave_hand(player, city)
    if end == "left":
        player.route.insert(0, city)
    else:
        player.route.append(city)
    state.stirred = True
    if story is not None:
        story.append(Event(structs.RouteExtended(state.seat, CITIES[city], end, carrier)))
