"""The end of a round and of the game (sections 9, 10 and 12)."""

from services.engine.game import Line, Outcome
from services.games.geishas_road.components import (
    ADVANCED,
    BASIC,
    FACE_POINTS,
    FIVE,
    FOUR_GEISHAS,
    GUEST_POINTS,
    ROUNDS,
    SPECIAL_POINTS,
    SPECIALS_UNUSED,
    TILE_POINTS,
)
from services.games.geishas_road.state import NONE, State

LINES = ("tiles", "lanterns", "guests", "special_markers")


def favour_winner(state: State, colour: int) -> int:
    """GR-60, GR-61: who wins the geisha, or NONE."""
    mine, theirs = state.totals[0][colour], state.totals[1][colour]
    if mine != theirs:
        return 0 if mine > theirs else 1
    return max(NONE, state.favour[colour])


def score_round(state: State) -> None:
    """Decides who wins each geisha, then the game or the points of the round (GR-57 steps 2 to 4)."""
    state.won = [favour_winner(state, colour) for colour in FIVE]
    for seat in (0, 1):
        if state.won.count(seat) >= FOUR_GEISHAS:  # GR-63
            state.winner, state.reason = seat, "four_geishas"
            return
    state.scored.append([round_points(state, seat) for seat in (0, 1)])
    if state.round == ROUNDS:
        _decide(state)


def round_points(state: State, seat: int) -> list[int]:
    """GR-64, in the order of LINES."""
    tiles = lanterns = specials = 0
    tile_points = TILE_POINTS[state.round - 1]
    for colour in FIVE:
        if state.won[colour] == seat:
            tiles += tile_points[colour]
            for face in state.tiles[colour]:
                lanterns += FACE_POINTS[face]
    if state.mode == ADVANCED:
        specials = SPECIAL_POINTS * SPECIALS_UNUSED[state.specials[seat]]
    return [tiles, lanterns, GUEST_POINTS[tuple(state.guests[seat])], specials]


def total(state: State, seat: int) -> int:
    return sum(sum(points[seat]) for points in state.scored)


def _decide(state: State) -> None:
    """GR-80."""
    lead = total(state, 0) - total(state, 1)
    state.reason = "points"
    if not lead and state.mode != BASIC:
        lead = state.favour.count(0) - state.favour.count(1)
        state.reason = "favour_tokens"
    if lead:
        state.winner = 0 if lead > 0 else 1
    else:
        state.reason = "shared"


def next_starter(state: State) -> int:
    """GR-71."""
    first, second = total(state, 0), total(state, 1)
    if first == second:
        return 1 - state.starter
    return 0 if first < second else 1


def outcome(state: State) -> Outcome | None:
    if not state.reason:
        return None
    places = [1, 1] if state.winner == NONE else [1, 2] if state.winner == 0 else [2, 1]
    breakdown = [
        [
            Line(f"round_{number}_{label}", points)
            for number, scored in enumerate(state.scored, 1)
            for label, points in zip(LINES, scored[seat], strict=True)
            if label in _lines_of(state.mode)
        ]
        for seat in (0, 1)
    ]
    return Outcome(places, [total(state, seat) for seat in (0, 1)], breakdown, state.reason)


def _lines_of(mode: int) -> tuple[str, ...]:
    return LINES[: (2, 3, 4)[mode]]
