"""Step 3, closing a route: A houses, B bonus tiles, C carriage, D discarding (TT-35 … TT-64)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.thurn_and_taxis.actions.piles import replenish
from services.games.thurn_and_taxis.actions.playing import leave_hand
from services.games.thurn_and_taxis.actions.steps import end_turn
from services.games.thurn_and_taxis.components import (
    ALL_PROVINCES,
    BAIERN,
    CARRIAGE_POINTS,
    CITIES,
    CITY,
    FIRST_CARRIAGE,
    FIRST_TILE,
    GAME_END,
    GAP,
    HAND_AFTER_CLOSING,
    LAST_CARRIAGE,
    LENGTH_STACKS,
    MOST_CARDS_SHORT,
    PROVINCE_CITIES,
    PROVINCE_OF,
    PROVINCE_STACKS,
    SHORTEST_ROUTE,
    STACK_VALUES,
    STACKS,
    TILES,
)
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    BY_CARRIAGE,
    BY_HOUSES,
    CARTWRIGHT,
    CARTWRIGHT_DECISION,
    DISCARD,
    ENDINGS,
    PLACE_HOUSES,
    Player,
    State,
)
from teahouse.games.thurn_and_taxis.v1 import structs

PLACE_HOUSE = tuple(structs.PlaceHouse(name) for name in CITIES)
FINISH_HOUSES = structs.FinishHouses()
CARTWRIGHT_CHOICES = (structs.UseCartwright(), structs.DeclineCartwright())
DISCARD_CARD = tuple(structs.Discard(name) for name in CITIES)


def close(state: State, action: structs.Close, story: Story) -> None:
    if state.phase != AFTER_PLAY:
        raise IllegalAction("A route is closed after a card is played.")
    player = state.players[state.seat]
    if len(player.route) < SHORTEST_ROUTE:
        raise IllegalAction(f"A route needs {SHORTEST_ROUTE} cards to be closed.")
    state.stirred = True
    if story is not None:
        story.append(Event(structs.RouteClosed(state.seat, [CITIES[card] for card in player.route])))
    _come_to_houses(state, player, story)


# A. Houses


def legal_houses(state: State) -> list[Any]:
    actions: list[Any] = [PLACE_HOUSE[city] for city in open_cities(state, state.players[state.seat])]
    actions.append(FINISH_HOUSES)
    return actions


def open_cities(state: State, player: Player) -> list[int]:
    """Where another house may go (TT-43). After a single house both options are still open."""
    if not player.houses_left:
        return []
    placed = state.placed
    free = [city for city in player.route if not player.houses >> city & 1]
    if len(placed) < 2:
        return free
    taken = {PROVINCE_OF[city] for city in placed}
    one_province = len(taken) == 1
    return [city for city in free if (PROVINCE_OF[city] in taken) == one_province]


def place_house(state: State, action: structs.PlaceHouse, story: Story) -> None:
    _check_houses_are_due(state)
    player = state.players[state.seat]
    city = CITY.get(action.city, GAP)
    if city not in player.route:
        raise IllegalAction("Houses are placed in cities of the closed route only.")
    if player.houses >> city & 1:
        raise IllegalAction("You have a house in that city already.")
    if city not in open_cities(state, player):
        raise IllegalAction("Place one house in each province, or houses in one province only.")
    player.houses |= 1 << city
    player.houses_left -= 1
    state.placed.append(city)
    if story is not None:
        story.append(Event(structs.HousePlaced(state.seat, action.city)))
    _come_to_houses(state, player, story)


def finish_houses(state: State, action: structs.FinishHouses, story: Story) -> None:
    _check_houses_are_due(state)
    _score(state, state.players[state.seat], story)


def _check_houses_are_due(state: State) -> None:
    if state.phase != PLACE_HOUSES:
        raise IllegalAction("Houses are placed when a route is closed.")


def _come_to_houses(state: State, player: Player, story: Story) -> None:
    if open_cities(state, player):
        state.phase = PLACE_HOUSES
    else:
        _score(state, player, story)


def _score(state: State, player: Player, story: Story) -> None:
    state.placed = []
    _take_tiles(state, player, story)
    _come_to_carriage(state, player, story)


# B. Bonus tiles


def earned_stacks(state: State, player: Player) -> list[int]:
    """The stacks whose top tile the player has earned with route and houses."""
    stacks = state.stacks
    earned = [stack for stack in LENGTH_STACKS[len(player.route)] if stacks[stack]][:1]  # TT-47
    have = {TILES[tile][0] for tile in player.tiles}
    houses = player.houses
    for stack, needed in PROVINCE_STACKS:
        if houses & needed == needed and stacks[stack] and stack not in have:  # TT-53
            earned.append(stack)
    if stacks[ALL_PROVINCES] and ALL_PROVINCES not in have and is_everywhere(houses, state.requires_baiern):
        earned.append(ALL_PROVINCES)
    return earned


def is_everywhere(houses: int, requires_baiern: bool) -> bool:
    """TT-52, R-2."""
    return all(
        houses & cities or (province == BAIERN and not requires_baiern)
        for province, cities in enumerate(PROVINCE_CITIES)
    )


def _take_tiles(state: State, player: Player, story: Story) -> None:
    for stack in earned_stacks(state, player):
        _take_tile(state, player, stack, story)
    if not player.houses_left:
        _trigger_end(state, player, BY_HOUSES, story)


def _take_tile(state: State, player: Player, stack: int, story: Story) -> None:
    tile = FIRST_TILE[stack] + len(STACK_VALUES[stack]) - state.stacks[stack]
    state.stacks[stack] -= 1
    player.tiles.append(tile)
    if story is not None:
        story.append(Event(structs.TileTaken(state.seat, STACKS[stack], TILES[tile][1])))


def _trigger_end(state: State, player: Player, how: int, story: Story) -> None:
    if state.ending:  # TT-64: only the first one earns the tile
        return
    state.ending = how
    state.ended_by = state.seat
    if story is not None:
        story.append(Event(structs.FinalRound(state.seat, ENDINGS[how])))
    _take_tile(state, player, GAME_END, story)


# C. Carriage


def next_carriage(player: Player) -> int:
    return player.carriage + 1 if player.carriage else FIRST_CARRIAGE


def _come_to_carriage(state: State, player: Player, story: Story) -> None:
    value = next_carriage(player)
    missing = value - len(player.route)
    if value > LAST_CARRIAGE or missing > MOST_CARDS_SHORT or (missing > 0 and state.official):
        _discard_route(state, player, story)
    elif missing > 0:
        state.phase = CARTWRIGHT_DECISION
    else:
        _take_carriage(state, player, False, story)
        _discard_route(state, player, story)


def legal_cartwright(state: State) -> list[Any]:
    return list(CARTWRIGHT_CHOICES)


def use_cartwright(state: State, action: structs.UseCartwright, story: Story) -> None:
    player = _check_cartwright_is_due(state)
    state.official = CARTWRIGHT
    _take_carriage(state, player, True, story)
    _discard_route(state, player, story)


def decline_cartwright(state: State, action: structs.DeclineCartwright, story: Story) -> None:
    player = _check_cartwright_is_due(state)
    _discard_route(state, player, story)


def _check_cartwright_is_due(state: State) -> Player:
    if state.phase != CARTWRIGHT_DECISION:
        raise IllegalAction(
            "The Cartwright helps only when a closed route is 1 or 2 cards too short for the next carriage."
        )
    return state.players[state.seat]


def _take_carriage(state: State, player: Player, cartwright: bool, story: Story) -> None:
    value = next_carriage(player)
    state.carriages[value - FIRST_CARRIAGE] -= 1
    player.carriage = value
    if story is not None:
        story.append(Event(structs.CarriageTaken(state.seat, value, CARRIAGE_POINTS[value], cartwright)))
    if value == LAST_CARRIAGE:
        _trigger_end(state, player, BY_CARRIAGE, story)


# D. Discarding


def _discard_route(state: State, player: Player, story: Story) -> None:
    route, player.route = player.route, []
    state.discard += route
    if story is not None:
        story.append(Event(structs.RouteDiscarded(state.seat, [CITIES[card] for card in route])))
    if len(player.hand) > HAND_AFTER_CLOSING:
        state.phase = DISCARD
    else:
        _finish_closing(state, story)


def legal_discard(state: State) -> list[Any]:
    return [DISCARD_CARD[city] for city in sorted(set(state.players[state.seat].hand))]


def discard(state: State, action: structs.Discard, story: Story) -> None:
    if state.phase != DISCARD:
        raise IllegalAction("Cards are discarded only when a route is closed with more than 3 cards in hand.")
    player = state.players[state.seat]
    city = CITY.get(action.city, GAP)
    if city not in player.hand:
        raise IllegalAction(f"You have no card {action.city[:40]!r} in hand.")
    leave_hand(player, city)
    state.discard.append(city)
    if story is not None:
        story.append(Event(structs.CardDiscarded(state.seat, action.city)))
    if len(player.hand) == HAND_AFTER_CLOSING:
        _finish_closing(state, story)


def _finish_closing(state: State, story: Story) -> None:
    replenish(state, story)  # only after the route and surplus cards are on the discard pile
    end_turn(state, story)
