"""The action "build" (RG-35 to RG-41)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.catalogue import BUILD
from services.games.river_of_gold.actions.rewards import gain
from services.games.river_of_gold.components import (
    ADJACENT_RIVER,
    ARTISAN,
    COST,
    DISCOUNT,
    ENGINEER,
    FAVOR,
    INFLUENCE,
    PATRONS,
    REGION_SPACES,
    REGIONS,
    ROW,
    SLOT_FAVOR,
    SPACE_REGION,
    SPACES,
    TILE_INFLUENCE,
    TILE_TYPE,
    TILES,
    TRADER,
    TRADER_VP,
    VP,
)
from services.games.river_of_gold.state import EMPTY, PATRONAGE, TRACK, Player, State
from teahouse.games.river_of_gold.v1 import structs

ANY_REGION = tuple(range(len(SPACES)))
SLOT_REWARD = ((FAVOR, SLOT_FAVOR, 0),)
LAST_SLOT = ROW - 1


def cost(player: Player, space: int) -> int:
    """The printed cost, less with the region's artisan (RG-37)."""
    price = COST[space]
    if player.delivered >> ARTISAN * REGIONS + SPACE_REGION[space] & 1:
        price -= DISCOUNT
    return price if price > 0 else 0


def buildable(player: Player) -> tuple[int, ...]:
    return ANY_REGION if player.patron == ENGINEER else REGION_SPACES[player.die - 1]


def builds(state: State, player: Player) -> list[Any]:
    shore, koku = state.shore, player.koku
    tiles = [tile for tile in state.row if tile >= 0]
    found = []
    for space in buildable(player):
        if shore[space] == EMPTY and koku >= cost(player, space):
            actions = BUILD[space]
            found += [actions[tile] for tile in tiles]
    return found


def build(state: State, space: int, tile: int, story: Story) -> None:
    seat = state.turn
    player = state.players[seat]
    _check(state, player, space, tile)
    price, slot, region = cost(player, space), state.row.index(tile), SPACE_REGION[space]
    player.koku -= price
    state.row[slot] = EMPTY
    state.gap = slot
    state.shore[space] = tile
    if story is not None:
        story.append(Event(structs.Built(seat, SPACES[space], TILES[tile], price)))
    if slot == LAST_SLOT:
        gain(state, seat, SLOT_REWARD, region, TRACK, story, "slot")
    state.marker[space] = seat
    own(player, space, tile)
    if player.patron == TRADER:
        points = ((VP, TRADER_VP * ADJACENT_RIVER[space], 0),)
        gain(state, seat, points, region, PATRONAGE, story, PATRONS[TRADER], space)
    gain(state, seat, ((INFLUENCE, TILE_INFLUENCE[tile], 0),), region, TRACK, story, "influence", space)


def own(player: Player, space: int, tile: int) -> None:
    """Adds a new building to the player's counts; not for a second marker on a building of their own (RG-75)."""
    player.built[TILE_TYPE[tile]] += 1
    player.lands |= 1 << SPACE_REGION[space]


def _check(state: State, player: Player, space: int, tile: int) -> None:
    if tile not in state.row:
        raise IllegalAction(f"{TILES[tile]} is not in the row")
    if state.shore[space] != EMPTY:
        raise IllegalAction(f"{SPACES[space]} is not empty")
    if space not in buildable(player):
        raise IllegalAction(f"{SPACES[space]} is not in the region of your die, {player.die}")
    if player.koku < cost(player, space):
        raise IllegalAction(f"{SPACES[space]} costs {cost(player, space)} koku, and you hold {player.koku}")
