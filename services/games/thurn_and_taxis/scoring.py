"""The final score (TT-66) and the order of the players (TT-67, R-23)."""

from services.engine.game import Line, Outcome
from services.games.thurn_and_taxis.components import CARRIAGE_POINTS, STACK_KINDS, TILES
from services.games.thurn_and_taxis.state import ENDINGS, GAME_OVER, NOBODY, Player, State


def score(player: Player) -> int:
    return CARRIAGE_POINTS[player.carriage] + sum(TILES[tile][1] for tile in player.tiles) - player.houses_left


def lines(player: Player) -> list[Line]:
    by_kind = dict.fromkeys(STACK_KINDS, 0)
    for stack, value in map(TILES.__getitem__, player.tiles):
        by_kind[STACK_KINDS[stack]] += value
    return [
        Line("carriage", CARRIAGE_POINTS[player.carriage]),
        *(Line(f"{kind}_tiles", points) for kind, points in by_kind.items()),
        Line("houses_left", -player.houses_left),
    ]


def places(state: State, scores: list[int]) -> list[int]:
    """Ties go to the holder of the game end tile, then clockwise from there; without one, from the first player."""
    seats = len(scores)
    origin = state.first if state.ended_by == NOBODY else state.ended_by
    order = sorted(range(seats), key=lambda seat: (-scores[seat], (seat - origin) % seats))
    return [order.index(seat) + 1 for seat in range(seats)]


def outcome(state: State) -> Outcome | None:
    if state.phase != GAME_OVER:
        return None
    scores = [score(player) for player in state.players]
    return Outcome(places(state, scores), scores, [lines(player) for player in state.players], ENDINGS[state.ending])
