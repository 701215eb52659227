"""The action "sail" (RG-42 to RG-52)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.catalogue import SAIL
from services.games.river_of_gold.actions.rewards import gain, pay_owners
from services.games.river_of_gold.components import (
    CHOICE,
    CUSTOMERS,
    EMPTY_KOKU,
    IRON,
    IRON_VP,
    JOURNEY,
    KOKU,
    MERCHANT,
    MERCHANT_REWARD,
    NOBLE,
    NOBLE_REWARD,
    PATRONS,
    REGIONS,
    RIVER,
    RIVER_NAMES,
    RIVER_REGIONS,
    SPACE_REGION,
    TILES,
    VISITED,
    VISITOR,
    VISITOR_ANY_GOOD,
    VP,
)
from services.games.river_of_gold.state import EMPTY, MERCHANTS, NOBLES, PATRONAGE, VISITS, Player, State
from teahouse.games.river_of_gold.v1 import structs

ALL_REGIONS = (1 << REGIONS) - 1
# The nobles' abilities (RG-61), one bit each. The royal ship has the abilities of all delivered nobles.
ANY_GOOD, EMPTY_SPACES, INFLUENCE_AROUND, OPPONENT_VISITED, FREE_SHIFT, OWN_VISITED = (1 << n for n in range(REGIONS))
EMPTY_REWARD = ((KOKU, EMPTY_KOKU, 0),)
EMPTY_REWARD_ROYAL = (*EMPTY_REWARD, *NOBLE_REWARD[1])
INFLUENCE_REWARD, OPPONENT_REWARD, OWN_REWARD = NOBLE_REWARD[2], NOBLE_REWARD[3], NOBLE_REWARD[5]
JOURNEY_REWARD = ((CHOICE, 1, JOURNEY),)
SHIFTS = (-1, 0, 1)


def nobles(player: Player) -> int:
    return player.delivered >> NOBLE * REGIONS & ALL_REGIONS


def may_shift(player: Player, ship: int) -> bool:
    return ship == player.royal and bool(nobles(player) & FREE_SHIFT)


def sails(player: Player) -> list[Any]:
    if player.royal >= 0 and may_shift(player, player.royal):
        return [SAIL[ship][shift] for ship in (0, 1) for shift in (SHIFTS if ship == player.royal else (0,))]
    return [SAIL[0][0], SAIL[1][0]]


def sail(state: State, ship: int, shift: int, story: Story) -> None:
    seat = state.turn
    player = state.players[seat]
    if shift and not may_shift(player, ship):
        raise IllegalAction("only the royal ship with noble_5 may change its steps freely")
    start = player.ships[ship]
    stop = start + (player.die - 1 + shift) % 6 + 1
    ended = stop > RIVER
    if ended:
        stop -= RIVER
    player.ships[ship] = stop
    abilities = nobles(player) if ship == player.royal else 0
    if story is not None:
        royal = ship == player.royal
        story.append(Event(structs.Sailed(seat, ship + 1, RIVER_NAMES[start], RIVER_NAMES[stop], royal, ended)))
    _visit(state, seat, stop, abilities, story)
    for space in VISITED[stop]:
        if state.marker[space] >= 0:
            pay_owners(state, space, story)
    if abilities:
        _royal_ship(state, seat, stop, abilities, story)
    if player.patron == IRON and visits_opponent(state, seat, stop):
        gain(state, seat, ((VP, IRON_VP, 0),), 0, PATRONAGE, story, PATRONS[IRON])
    if ended:
        _journey_end(state, seat, story)


def _visit(state: State, seat: int, stop: int, abilities: int, story: Story) -> None:
    """The visitor rewards, spaces ascending (RG-47, RG-48)."""
    rewards = VISITOR_ANY_GOOD if abilities & ANY_GOOD else VISITOR
    empty = EMPTY_REWARD_ROYAL if abilities & EMPTY_SPACES else EMPTY_REWARD
    for space in VISITED[stop]:
        tile = state.shore[space]
        reward = empty if tile == EMPTY else rewards[tile]
        gain(state, seat, reward, SPACE_REGION[space], VISITS, story, "visitor", space)


def visits_opponent(state: State, seat: int, stop: int) -> bool:
    marker, second = state.marker, state.second
    return any(marker[space] not in (-1, seat) or second[space] not in (-1, seat) for space in VISITED[stop])


def visits_own(state: State, seat: int, stop: int) -> bool:
    return any(seat in (state.marker[space], state.second[space]) for space in VISITED[stop])


def _royal_ship(state: State, seat: int, stop: int, abilities: int, story: Story) -> None:
    """Pays what the delivered nobles bring after the royal ship has sailed (RG-50)."""
    if abilities & INFLUENCE_AROUND:
        for region in RIVER_REGIONS[stop]:
            gain(state, seat, INFLUENCE_REWARD, region, NOBLES, story, "noble_3")
    if abilities & OPPONENT_VISITED and visits_opponent(state, seat, stop):
        gain(state, seat, OPPONENT_REWARD, 0, NOBLES, story, "noble_4")
    if abilities & OWN_VISITED and visits_own(state, seat, stop):
        gain(state, seat, OWN_REWARD, 0, NOBLES, story, "noble_6")


def _journey_end(state: State, seat: int, story: Story) -> None:
    """Pays the journey's reward and every delivered merchant, then closes the end of the row (RG-51)."""
    gain(state, seat, JOURNEY_REWARD, 0, VISITS, story, "journey")
    merchants = state.players[seat].delivered >> MERCHANT * REGIONS & ALL_REGIONS
    for region in range(REGIONS):
        if merchants >> region & 1:
            card = CUSTOMERS[MERCHANT * REGIONS + region]
            gain(state, seat, MERCHANT_REWARD[region], region, MERCHANTS, story, card)
    tile = state.row[-1]
    state.row[-1] = EMPTY
    state.gap = len(state.row) - 1
    state.discarded_tiles.append(tile)
    if story is not None:
        story.append(Event(structs.TileDiscarded(TILES[tile])))
