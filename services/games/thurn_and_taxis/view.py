"""What a seat or a spectator may see (section 11 of the rules)."""

from services.games.thurn_and_taxis.components import (
    CARRIAGE_POINTS,
    CARRIAGE_VALUES,
    CITIES,
    GAP,
    STACK_VALUES,
    STACKS,
    TILES,
)
from services.games.thurn_and_taxis.state import GAME_OVER, NOBODY, OFFICIALS, PHASES, Player, State
from teahouse.games.thurn_and_taxis.v1 import structs


def view(state: State, seat: int | None) -> structs.View:
    over = state.phase == GAME_OVER
    return structs.View(
        phase=PHASES[state.phase],
        actor=None if over else state.seat,
        first=state.first,
        round=state.round,
        official=OFFICIALS[state.official],
        ended_by=None if state.ended_by == NOBODY else state.ended_by,
        display=["" if card == GAP else CITIES[card] for card in state.display],
        deck=len(state.deck),
        discard=[CITIES[card] for card in state.discard],
        stacks=[
            structs.Stack(name, list(values[len(values) - left :]))
            for name, values, left in zip(STACKS, STACK_VALUES, state.stacks, strict=True)
        ],
        carriages=[
            structs.Carriage(value, CARRIAGE_POINTS[value], left)
            for value, left in zip(CARRIAGE_VALUES, state.carriages, strict=True)
        ],
        players=[
            _player(index, player, index == seat, index == seat or over) for index, player in enumerate(state.players)
        ],
        placed=[CITIES[city] for city in state.placed],
        all_provinces_requires_baiern=state.requires_baiern,
    )


def _player(seat: int, player: Player, hand_open: bool, tiles_open: bool) -> structs.Player:
    return structs.Player(
        seat=seat,
        hand_count=len(player.hand),
        hand=[CITIES[card] for card in player.hand] if hand_open else [],
        route=[CITIES[card] for card in player.route],
        houses=[name for city, name in enumerate(CITIES) if player.houses >> city & 1],
        houses_left=player.houses_left,
        carriage=player.carriage,
        tile_count=len(player.tiles),
        tiles=[structs.Tile(STACKS[stack], value) for stack, value in map(TILES.__getitem__, player.tiles)]
        if tiles_open
        else [],
    )
