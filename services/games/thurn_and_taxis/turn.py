"""The turn up to the closing of a route: step 1, step 2, and the passing of the turn (section 3.1 of the rules).

Whether a decision is offered never depends on cards that others cannot see: its absence would tell them something.
"""

from bisect import insort
from typing import Any

from services.engine.game import Event, IllegalAction
from services.games.thurn_and_taxis.components import CITIES, CITY, DISPLAY_SIZE, GAP, NEIGHBOURS, SHORTEST_ROUTE
from services.games.thurn_and_taxis.piles import Story, replenish, something_to_take
from services.games.thurn_and_taxis.state import (
    ADMINISTRATOR,
    AFTER_PLAY,
    BY_DEADLOCK,
    ENDINGS,
    GAME_OVER,
    NO_OFFICIAL,
    PLAY_FIRST,
    POSTAL_CARRIER,
    POSTMASTER,
    START_ANEW,
    TAKE_FIRST,
    TAKE_SECOND,
    Player,
    State,
)
from teahouse.games.thurn_and_taxis.v1.structs import (
    Abandon,
    CarrierExtend,
    Close,
    DeckCardDrawn,
    DeckCardTaken,
    DisplayCardTaken,
    DisplaySwept,
    EndTurn,
    Extend,
    GameEnded,
    PlaySkipped,
    PostmasterTakeDeck,
    PostmasterTakeDisplay,
    RouteAbandoned,
    RouteExtended,
    RouteStarted,
    Start,
    TakeDeck,
    TakeDisplay,
    TakeSkipped,
    TurnStarted,
    UseAdministrator,
)

USE_ADMINISTRATOR = UseAdministrator()
TAKE_DECK = TakeDeck()
TAKE_DISPLAY = tuple(TakeDisplay(slot) for slot in range(DISPLAY_SIZE))
POSTMASTER_TAKE_DECK = PostmasterTakeDeck()
POSTMASTER_TAKE_DISPLAY = tuple(PostmasterTakeDisplay(slot) for slot in range(DISPLAY_SIZE))
START = tuple(Start(name) for name in CITIES)
ABANDON = Abandon()
EXTEND_LEFT = tuple(Extend(name, "left") for name in CITIES)
EXTEND_RIGHT = tuple(Extend(name, "right") for name in CITIES)
CARRIER_LEFT = tuple(CarrierExtend(name, "left") for name in CITIES)
CARRIER_RIGHT = tuple(CarrierExtend(name, "right") for name in CITIES)
CLOSE = Close()
END_TURN = EndTurn()


# The passing of the turn


def begin_turn(state: State, story: Story) -> None:
    forced = not state.players[state.seat].hand
    state.official = POSTMASTER if forced else NO_OFFICIAL  # TT-18
    state.phase = TAKE_FIRST
    if story is not None:
        story.append(Event(TurnStarted(state.seat, state.round, forced)))
    if not something_to_take(state):
        _skip_take(state, story)


def end_turn(state: State, story: Story) -> None:
    seat = (state.seat + 1) % len(state.players)
    if seat == state.first:
        if state.ending or not state.stirred:
            _end_game(state, story)
            return
        state.round += 1
        state.stirred = False
    state.seat = seat
    begin_turn(state, story)


def _end_game(state: State, story: Story) -> None:
    state.ending = state.ending or BY_DEADLOCK  # R-7 d
    state.phase = GAME_OVER
    if story is not None:
        story.append(Event(GameEnded(ENDINGS[state.ending])))


def _skip_take(state: State, story: Story) -> None:
    if story is not None:
        story.append(Event(TakeSkipped(state.seat)))
    _come_to_play(state, story)


def _come_to_play(state: State, story: Story) -> None:
    state.phase = PLAY_FIRST
    if not state.players[state.seat].hand:  # R-7 c
        if story is not None:
            story.append(Event(PlaySkipped(state.seat)))
        _come_to_close(state, story)


def _come_to_close(state: State, story: Story) -> None:
    state.phase = AFTER_PLAY
    player = state.players[state.seat]
    if len(player.route) < SHORTEST_ROUTE and (state.official or not player.hand):
        end_turn(state, story)


# Step 1: add a city card to the hand


def legal_take(state: State) -> list[Any]:
    actions: list[Any] = _sources(state, TAKE_DISPLAY, TAKE_DECK)
    if state.phase == TAKE_FIRST and not state.official and actions and not _display_is_empty(state):
        actions.append(USE_ADMINISTRATOR)
    return actions


def _sources(state: State, slots: tuple[Any, ...], deck: Any) -> list[Any]:
    display = state.display
    actions = list(slots) if GAP not in display else [slots[i] for i in range(DISPLAY_SIZE) if display[i] != GAP]
    if state.deck:
        actions.append(deck)
    return actions


def _display_is_empty(state: State) -> bool:
    return all(card == GAP for card in state.display)


def use_administrator(state: State, action: UseAdministrator, story: Story) -> None:
    if state.phase != TAKE_FIRST:
        raise IllegalAction("The Administrator helps only before the first card of the turn is taken.")
    _check_official_is_free(state)
    if _display_is_empty(state):
        raise IllegalAction("There are no displayed cards to replace.")
    swept = [card for card in state.display if card != GAP]
    state.official = ADMINISTRATOR
    state.discard += swept
    state.display = [GAP] * DISPLAY_SIZE
    if story is not None:
        story.append(Event(DisplaySwept(state.seat, [CITIES[card] for card in swept])))
    replenish(state, story)


def take_display(state: State, action: TakeDisplay, story: Story) -> None:
    _check_take_is_due(state)
    _check_slot(state, action.slot)
    _take_from_display(state, action.slot, state.phase == TAKE_SECOND, story)
    _taken(state, story)


def take_deck(state: State, action: TakeDeck, story: Story) -> None:
    _check_take_is_due(state)
    _check_deck(state)
    _take_from_deck(state, state.phase == TAKE_SECOND, story)
    _taken(state, story)


def postmaster_take_display(state: State, action: PostmasterTakeDisplay, story: Story) -> None:
    _check_postmaster(state)
    _check_slot(state, action.slot)
    state.official = POSTMASTER
    _take_from_display(state, action.slot, True, story)


def postmaster_take_deck(state: State, action: PostmasterTakeDeck, story: Story) -> None:
    _check_postmaster(state)
    _check_deck(state)
    state.official = POSTMASTER
    _take_from_deck(state, True, story)


def _check_official_is_free(state: State) -> None:
    if state.official:
        raise IllegalAction("Only one official may help in a turn.")  # TT-17


def _check_take_is_due(state: State) -> None:
    if state.phase > TAKE_SECOND:
        raise IllegalAction("The card of this turn has been taken already.")


def _check_postmaster(state: State) -> None:
    if state.phase != PLAY_FIRST:
        raise IllegalAction("The Postmaster helps only after the first card is taken and before a card is played.")
    _check_official_is_free(state)


def _check_slot(state: State, slot: int) -> None:
    if not 0 <= slot < DISPLAY_SIZE or state.display[slot] == GAP:
        raise IllegalAction("There is no card in that slot of the display.")


def _check_deck(state: State) -> None:
    if not state.deck:
        raise IllegalAction("The deck is empty.")


def _take_from_display(state: State, slot: int, second: bool, story: Story) -> None:
    player = state.players[state.seat]
    card = state.display[slot]
    insort(player.hand, card)
    player.seen.append(card)
    state.display[slot] = GAP
    state.stirred = True
    if story is not None:
        story.append(Event(DisplayCardTaken(state.seat, slot, CITIES[card], second)))
    replenish(state, story)


def _take_from_deck(state: State, second: bool, story: Story) -> None:
    card = state.deck.pop()
    insort(state.players[state.seat].hand, card)
    state.stirred = True
    if story is not None:
        drawn = DeckCardDrawn(state.seat, CITIES[card], second)
        story.append(Event(DeckCardTaken(state.seat, second), {state.seat: drawn}, reveals=True))
    if not state.deck:
        replenish(state, story)


def _taken(state: State, story: Story) -> None:
    if state.phase == TAKE_FIRST and state.official == POSTMASTER:  # TT-23
        state.phase = TAKE_SECOND
        if not something_to_take(state):
            _skip_take(state, story)
    else:
        _come_to_play(state, story)


# Step 2: play a city card


def legal_play(state: State) -> list[Any]:
    player = state.players[state.seat]
    if player.route:
        actions = _suitable(player, EXTEND_LEFT, EXTEND_RIGHT)
        actions.append(ABANDON)
    else:
        actions = legal_start(state)
    if not state.official:
        actions += _sources(state, POSTMASTER_TAKE_DISPLAY, POSTMASTER_TAKE_DECK)
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
    """TT-28. On a route of one card left and right are mirror images: only right is offered."""
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


def start(state: State, action: Start, story: Story) -> None:
    player = state.players[state.seat] if state.phase == START_ANEW else _check_play_is_due(state)
    city = _check_in_hand(player, action.city)
    if player.route:
        raise IllegalAction("You have a route: extend it or abandon it.")
    leave_hand(player, city)
    player.route = [city]
    state.stirred = True
    if story is not None:
        story.append(Event(RouteStarted(state.seat, CITIES[city])))
    _come_to_close(state, story)


def abandon(state: State, action: Abandon, story: Story) -> None:
    player = _check_play_is_due(state)
    if not player.route:
        raise IllegalAction("You have no route to abandon.")
    abandoned, player.route = player.route, []
    state.discard += abandoned
    state.phase = START_ANEW
    if story is not None:
        story.append(Event(RouteAbandoned(state.seat, [CITIES[card] for card in abandoned])))
    replenish(state, story)


def extend(state: State, action: Extend, story: Story) -> None:
    player = _check_play_is_due(state)
    city = _check_suitable(player, action.city, action.end)
    _extend(state, player, city, action.end, False, story)
    _come_to_close(state, story)


def carrier_extend(state: State, action: CarrierExtend, story: Story) -> None:
    if state.phase != AFTER_PLAY:
        raise IllegalAction("The Postal Carrier helps only after a card is played and before the route is closed.")
    _check_official_is_free(state)
    player = state.players[state.seat]
    city = _check_suitable(player, action.city, action.end)
    state.official = POSTAL_CARRIER
    _extend(state, player, city, action.end, True, story)
    _come_to_close(state, story)


def pass_on(state: State, action: EndTurn, story: Story) -> None:
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
        story.append(Event(RouteExtended(state.seat, CITIES[city], end, carrier)))
