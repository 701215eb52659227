"""Sections 9 and 10: the end of a round, favour and points."""

import json
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from services.games.geishas_road import turn
from services.games.geishas_road.components import (
    BOX,
    CARD,
    COLOURS,
    COUNTER_OFFER,
    FIVE,
    GUEST_POINTS,
    HIDDEN_OFFER,
    LANTERNS,
)
from services.games.geishas_road.game import GAME
from services.games.geishas_road.scoring import next_starter, round_points, score_round
from services.games.geishas_road.state import AT_TEAHOUSE, NONE, OVER, REMOVED, State
from teahouse.games.geishas_road.v1.structs import (
    FavourDecided,
    GameEnded,
    IntrigueShown,
    Placed,
    RoundScored,
)
from tests.unit.geishas_road.table import (
    GREEN,
    PINK,
    A,
    B,
    cards,
    decided,
    face,
    finish,
    laid_out,
    place,
    take,
    tokens,
    told,
    use,
)

FULL_ROUND = json.loads(Path(__file__).with_name("full_round.json").read_text(encoding="utf-8"))


SEATS = {"A": A, "B": B, None: None}


def test_w_3_favour_and_points() -> None:
    state = laid_out()
    state.favour = [REMOVED, REMOVED, A, REMOVED, B]
    state.totals = [[5, 4, 5, 3, 3], [1, 6, 5, 3, 7]]
    state.tiles = [[], [face(3)], [face(6)], [face(1)], [face(4), face(7)]]
    score_round(state)
    assert state.won == [A, B, A, NONE, B]
    assert state.scored == [[[2, 3, 0, 0], [2, 7, 0, 0]]]
    assert [sum(points) for points in state.scored[0]] == [5, 9]
    assert next_starter(state) == A


def rigged_round() -> State:
    state = laid_out(FULL_ROUND["mode"])
    holder = {colour: SEATS[seat] for seat, colour in FULL_ROUND["favour_tokens"].items()}
    state.favour = [REMOVED if holder.get(colour) is None else holder[colour] for colour in COLOURS]  # type: ignore[misc]
    state.upper = [2 * LANTERNS.index(lantern) for lantern in FULL_ROUND["upper_row"]]
    state.lower = [2 * LANTERNS.index(lantern) for lantern in FULL_ROUND["lower_row"]]
    state.hands = [[CARD[card] for card in FULL_ROUND["hands"][seat]] for seat in "AB"]
    state.deck = [CARD[card] for card in reversed(FULL_ROUND["draws"])]
    turn.start_turn(state, None)
    return state


def play_turn(state: State, move: dict[str, Any]) -> list[Any]:
    assert state.active == SEATS[move["player"]]
    laid = _laid(move)
    story = use(state, move["action"], *(card.removeprefix("gift-").replace("-", " ") for card in laid))
    if "rival_takes_pair" in move:
        first = 2 * move["rival_takes_pair"]
        story += take(state, first, first + 1)
        story += place(state, laid.index(move["placements"][0][1]))
        story += place(state, laid.index(move["placements"][2][1]))
    elif "rival_takes" in move:
        story += take(state, move["rival_takes"])
        story += place(state, laid.index(move["placements"][1][1]))
    return story


def _laid(move: dict[str, Any]) -> list[str]:
    if move["action"] == "reveal":
        return [move["placements"][0][1]]
    if move["action"] == "intrigue":
        return [move["left"], move["right"]]
    return move.get("cards") or [card for pair in move["pairs"] for card in pair]


def test_w_4_a_full_round_that_ends_exactly_in_w_3() -> None:
    state = rigged_round()
    story: list[Any] = []
    for move in FULL_ROUND["turns"][:-1]:  # the last turn has no choice
        story += play_turn(state, move)
    placed = [[event.seat, event.card] for event in told(story, Placed)]
    expected = [move for one in FULL_ROUND["turns"] for move in one["placements"]] + FULL_ROUND["intrigue_placements"]
    assert placed == [[SEATS[seat], card] for seat, card in expected]
    returns = [[event.card.split("-")[1], event.return_number] for event in told(story, Placed) if event.return_number]
    assert returns == FULL_ROUND["returns_in_order"]
    assert dict(zip(COLOURS, state.pawns, strict=True)) == FULL_ROUND["final_positions"]
    decisions = {event.geisha: (event.totals, event.seat) for event in told(story, FavourDecided)}
    assert {colour: totals for colour, (totals, _) in decisions.items()} == FULL_ROUND["totals"]
    winners = {colour: SEATS[seat] for colour, seat in FULL_ROUND["winners"].items()}
    assert {colour: seat for colour, (_, seat) in decisions.items()} == winners
    assert [sum(points) for points in state.scored[0]] == [FULL_ROUND["points"]["A"], FULL_ROUND["points"]["B"]]
    assert (state.round, state.starter) == (2, SEATS[FULL_ROUND["starts_round_2"]])


def test_w_4_lanterns_lie_where_the_example_says() -> None:
    state = rigged_round()
    story: list[Any] = []
    for move in FULL_ROUND["turns"][:-1]:  # the last turn has no choice
        story += play_turn(state, move)
    lying: dict[str, list[int]] = {colour: [] for colour in COLOURS}
    for event in story:
        if type(event.public).__name__ == "LanternTaken":
            lying[event.public.geisha].append(event.public.lantern.points)
    assert lying == FULL_ROUND["lantern_values_on_tiles"]


@pytest.mark.parametrize(
    ("guests", "best"),
    [
        ((2, 2, 1, 1, 0), 4),
        ((3, 1, 1, 0, 0), 3),
        ((2, 1, 1, 1, 1), 5),
        ((3, 3, 0, 0, 0), 6),
        ((2, 2, 2, 1, 1), 7),
        ((3, 2, 1, 1, 0), 5),
        ((2, 1, 0, 0, 0), 1),
        ((1, 1, 0, 0, 0), 0),
    ],
)
def test_w_8_best_partition(guests: tuple[int, ...], best: int) -> None:
    assert GUEST_POINTS[guests] == best
    assert GUEST_POINTS[guests[::-1]] == best, "the colours are free"


def test_gr_67_and_gr_68_every_division_is_known() -> None:
    assert len(GUEST_POINTS) == 1024
    assert GUEST_POINTS[0, 0, 0, 0, 0] == 0
    assert GUEST_POINTS[3, 3, 3, 3, 3] == 15


def test_w_12_unused_special_markers() -> None:
    state = decided("advanced", pink=A, red=B)
    state.specials = [COUNTER_OFFER, 0]
    score_round(state)
    assert [points[3] for points in state.scored[0]] == [1, 2]


def test_w_14_tie_break() -> None:
    for mode, favour, winner, reason in (
        ("harder", [A, A, B, B, B], B, "favour_tokens"),
        ("harder", [A, A, B, B, AT_TEAHOUSE], NONE, "shared"),
        ("advanced", [A, A, B, AT_TEAHOUSE, AT_TEAHOUSE], A, "favour_tokens"),
        ("basic", [A, B, REMOVED, REMOVED, REMOVED], NONE, "shared"),
    ):
        state = decided(mode, round_number=2, pink=A, red=A, green=A, blue=B, yellow=B)
        state.favour, state.specials = favour, [COUNTER_OFFER | HIDDEN_OFFER] * 2
        state.scored = [[[1, 14, 0, 0], [2, 15, 0, 0]]]
        score_round(state)
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert outcome.scores == [21, 21]
        assert outcome.places == ([1, 1] if winner == NONE else [1, 2] if winner == A else [2, 1])
        assert (state.winner, state.reason) == (winner, reason)


def test_w_15_four_geishas() -> None:
    state = decided(pink=A, red=A, blue=A, green=A, yellow=B)
    story = finish(state)
    assert (state.winner, state.reason, state.phase) == (A, "four_geishas", OVER)
    assert state.scored == []
    assert not told(story, RoundScored)
    [ended] = told(story, GameEnded)
    assert (ended.reason, ended.round, ended.seat) == ("four_geishas", 1, A)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores, outcome.breakdown) == ([1, 2], [0, 0], [[], []])
    assert GAME.actor(state) is None
    assert GAME.legal(state) == []


def test_gr_56_the_round_ends_after_turn_8_with_empty_hands() -> None:
    state = rigged_round()
    for move in FULL_ROUND["turns"][:-1]:
        play_turn(state, move)
    assert state.round == 2, "the eighth turn was forced: one marker, one card"


def test_gr_57_and_gr_58_starting_player_shows_intrigue_first() -> None:
    for starter in (A, B):
        state = laid_out("harder", starter=starter)
        state.turn, state.deck, state.hands = 8, [], [[], []]
        state.intrigue = [cards("pink 1", "red 4"), cards("blue 1", "red 3")]
        state.queue, state.marker, state.active = [], 0, 1 - starter
        story: list[Any] = []
        turn.proceed(state, story)
        assert [event.seat for event in told(story, IntrigueShown)] == [starter]
        assert GAME.actor(state) == starter
        story = tokens(state, 1)  # S-15
        assert [event.seat for event in told(story, IntrigueShown)] == [1 - starter]
        assert GAME.view(state, starter).players[1 - starter].intrigue.right is None
        assert state.favour.count(starter) == 1


def test_gr_59_to_gr_61_favour() -> None:
    state = laid_out("harder")
    state.totals = [[3, 6, 5, 5, 5], [4, 4, 5, 5, 5]]
    state.favour = [A, AT_TEAHOUSE, A, B, AT_TEAHOUSE]
    state.tiles[GREEN] = [face(9)]
    score_round(state)
    assert state.won == [B, A, A, B, NONE]
    assert [sum(points) for points in state.scored[0]] == [2, 2], "the green tile and lantern count for nobody"


def test_gr_63_five_geishas_win_too_and_three_do_not() -> None:
    state = decided(pink=B, red=B, blue=B, green=B, yellow=B)
    score_round(state)
    assert (state.winner, state.reason) == (B, "four_geishas")
    state = decided(pink=B, red=B, blue=B)
    score_round(state)
    assert (state.winner, state.reason) == (NONE, "")


def test_s_20_geishas_of_different_rounds_are_not_added() -> None:
    state = decided(pink=A, red=A, blue=A)
    finish(state)
    assert state.round == 2
    state.totals, state.favour, state.turn = [[6, 5, 5, 5, 5], [5, 5, 5, 5, 5]], [REMOVED] * 5, 9
    finish(state)
    assert state.reason == "points"


def test_gr_64_to_gr_66_points_of_a_round() -> None:
    for number, tile in ((1, 1), (2, 2)):
        state = decided("advanced", round_number=number, pink=A, red=A, blue=B)
        state.tiles = [[face(9)], [face(1), face(8)], [face(2)], [face(6)], []]
        state.guests[A] = [3, 0, 0, 0, 0]
        state.specials = [COUNTER_OFFER | HIDDEN_OFFER, HIDDEN_OFFER]
        state.won = [A, A, B, NONE, NONE]
        assert round_points(state, A) == [2 * tile, 4 + 1 + 3, 3, 0]
        assert round_points(state, B) == [tile, 1, 0, 1]


def test_gr_66_a_round_may_score_below_zero_and_s_21_the_lower_number_starts() -> None:
    state = laid_out(destiny=True)
    state.won = [A, B, NONE, NONE, NONE]
    state.tiles[PINK] = [face(9, dark=True)]
    state.scored = [[round_points(state, seat) for seat in (A, B)]]
    assert sum(state.scored[0][A]) == -2
    assert next_starter(state) == A


def test_gr_69_and_gr_55_no_points_for_special_markers_outside_advanced_mode() -> None:
    state = decided("harder", pink=A)
    score_round(state)
    assert [points[3] for points in state.scored[0]] == [0, 0]


def best_division(guests: tuple[int, ...]) -> int:
    """Another way than the engine's: the first guest is left out or goes into any set that can hold it."""
    if not guests:
        return 0
    colour, rest = guests[0], guests[1:]
    sets = [(points, others) for size, points in SAME.items() for others in [(colour,) * (size - 1)]]
    sets += [(points, others) for size, points in MIXED.items() for others in combinations(range(colour), size - 1)]
    found = [_best_division(rest)]
    for points, others in sets:
        left = Counter(rest)
        left.subtract(others)
        if min(left.values(), default=0) >= 0:
            found.append(points + _best_division(tuple(sorted(left.elements(), reverse=True))))
    return max(found)


_best_division = cache(best_division)


SAME, MIXED = (
    {row["size"]: row["points"] for row in BOX["guest_scoring"][kind]} for kind in ("same_colour", "different_colours")
)


def test_gr_68_s_6_and_s_25_the_best_division_into_the_listed_sets_is_scored() -> None:
    for counts, points in GUEST_POINTS.items():
        guests = [colour for colour in reversed(FIVE) for _ in range(counts[colour])]
        assert points == best_division(tuple(guests)), counts


def test_gr_60_the_higher_total_takes_tile_and_lanterns_even_against_the_favour_token() -> None:
    state = decided("harder", pink=A)
    state.favour[PINK] = B
    state.tiles[PINK] = [face(9), face(1)]
    score_round(state)
    assert state.won[PINK] == A
    assert [points[:2] for points in state.scored[0]] == [[1, 5], [0, 0]]


def test_gr_65_a_tile_is_worth_its_round() -> None:
    for number in (1, 2):
        state = decided(round_number=number, pink=A, red=A, blue=B)
        score_round(state)
        assert [points[0] for points in state.scored[-1]] == [2 * number, number]


def test_s_19_dark_values_count_in_no_mode_without_the_variant() -> None:
    for mode in ("basic", "harder", "advanced"):
        state = decided(mode, pink=A)
        state.tiles[PINK] = [state.upper[0], state.lower[0]]
        light = sum(BOX["lanterns"][lantern >> 1]["light"] for lantern in state.tiles[PINK])
        score_round(state)
        assert state.scored[0][A][1] == light


def test_gr_63_and_s_22_four_geishas_score_no_special_markers() -> None:
    state = decided("advanced", pink=B, red=B, blue=B, green=B)
    finish(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (state.specials, state.scored) == ([0, 0], [])
    assert (outcome.places, outcome.scores) == ([2, 1], [0, 0])


def test_s_15_a_favour_token_taken_with_the_intrigue_card_decides_the_tie() -> None:
    state = laid_out("harder")
    state.turn, state.deck, state.hands, state.marker, state.active = 8, [], [[], []], 0, B
    state.intrigue = [cards("green 1", "red 4"), cards("blue 3", "red 3")]
    state.totals = [[5, 6, 0, 5, 0], [5, 0, 0, 5, 6]]
    state.pawns[GREEN] = 4
    state.queue = []
    turn.proceed(state, [])
    decisions = {event.geisha: event.seat for event in told(tokens(state, 1), FavourDecided)}
    assert decisions == {"pink": A, "red": A, "blue": B, "yellow": None, "green": B}
