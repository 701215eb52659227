"""Sections 6 and 7: the journey of a geisha, lanterns and tokens."""

import pytest

from services.engine.game import IllegalAction
from services.games.geishas_road.actions.placing import place_card
from services.games.geishas_road.components import CARD
from services.games.geishas_road.game import GAME
from services.games.geishas_road.scoring import favour_winner
from services.games.geishas_road.state import AT_TEAHOUSE, TOKENS, State
from teahouse.games.geishas_road.v1.structs import LanternTaken, Place, Placed, Take, TakeTokens, TokensTaken
from tests.unit.geishas_road.table import (
    BLUE,
    GREEN,
    PINK,
    RED,
    YELLOW,
    A,
    B,
    act,
    cards,
    laid_out,
    name,
    position,
    stock,
    tokens,
    told,
    use,
)


def put(state: State, seat: int, card: str) -> bool:
    return place_card(state, seat, CARD[name(card)], None)


def test_w_1_first_return() -> None:
    state = position(a=("blue 2", "pink 1"))
    state.pawns[BLUE] = state.began[BLUE] = 0
    a, *rest = state.upper
    lower = state.lower[:]
    events = use(state, "reveal", "blue 2")
    assert state.pawns[BLUE] == 2
    assert state.returns[BLUE] == 1
    assert state.tiles[BLUE] == [a]
    assert (state.upper, state.lower) == (rest, lower)
    assert told(events, Placed)[0].return_number == 1
    assert told(events, LanternTaken)[0].row == "upper"


def test_w_2_guests() -> None:
    state = position("harder", a=("green 1", "pink 4"))
    use(state, "reveal", "green 1")
    assert state.pawns[GREEN] == 0
    assert GAME.actor(state) == A
    assert GAME.legal(state) == [TakeTokens(0), TakeTokens(1)]
    [taken] = told(tokens(state, 0), TokensTaken)
    assert (taken.teahouse, taken.guests, taken.favour) == ("pink", 2, False)
    assert state.teahouses[PINK] == 1
    assert state.favour[PINK] == AT_TEAHOUSE
    assert state.guests[A] == [2, 0, 0, 0, 0]
    assert state.tiles[GREEN] == []


def test_w_2_the_other_choice() -> None:
    state = position("harder", a=("green 1", "pink 4"))
    use(state, "reveal", "green 1")
    tokens(state, 1)
    assert state.guests[A] == [1, 0, 0, 0, 0]
    assert state.favour[PINK] == A


def test_w_7_passing_is_not_returning() -> None:
    state = laid_out()
    state.pawns[YELLOW] = 1
    put(state, A, "yellow 4")
    assert state.pawns[YELLOW] == 0
    assert state.returns[YELLOW] == 0
    assert state.tiles[YELLOW] == []
    assert len(state.upper) == 5


@pytest.mark.parametrize(
    ("card", "guests", "favour", "taken_guests", "taken_favour"),
    [
        ("green 1", 1, True, 1, True),
        ("green 1", 0, True, 0, True),
        ("green 1", 0, False, 0, False),
        ("green 1", 1, False, 1, False),
    ],
)
def test_w_9_shortage(card: str, guests: int, favour: bool, taken_guests: int, taken_favour: bool) -> None:
    state = laid_out("harder")
    stock(state, PINK, guests, AT_TEAHOUSE if favour else B)
    assert not put(state, A, card), "no decision"
    assert state.guests[A][PINK] == taken_guests
    assert (state.favour[PINK] == A) == taken_favour
    assert state.teahouses[PINK] == 0


def test_w_9_a_one_symbol_card_and_only_the_favour_token() -> None:
    state = laid_out("harder")
    stock(state, RED, 0)
    assert not put(state, A, "green 2")
    assert state.favour[RED] == A


def test_gr_32_the_card_adds_its_value_on_the_placers_side() -> None:
    state = laid_out()
    put(state, A, "red 3")
    put(state, B, "red 4")
    put(state, A, "red 1")
    assert [state.totals[seat][RED] for seat in (A, B)] == [4, 4]
    assert state.sides == [cards("red 3", "red 1"), cards("red 4")]


def test_gr_33_the_pawn_moves_clockwise_by_the_value() -> None:
    for value in (1, 2, 3, 4):
        state = laid_out()
        put(state, A, f"yellow {value}")
        assert state.pawns[YELLOW] == (3 + value) % 5
        assert [state.pawns[colour] for colour in (PINK, RED, BLUE, GREEN)] == [0, 1, 2, 4]


def test_gr_33_pawns_share_a_teahouse() -> None:
    state = laid_out()
    put(state, A, "pink 2")
    put(state, A, "red 1")
    assert state.pawns[:3] == [2, 2, 2]


def test_gr_34_second_return_takes_from_the_lower_row_and_s_26_the_leftmost_left() -> None:
    state = laid_out()
    state.pawns[RED] = 0
    upper, lower = state.upper[:], state.lower[:]
    put(state, A, "red 1")
    put(state, B, "red 2")
    put(state, B, "red 3")
    assert state.tiles[RED] == [upper[0], lower[0]]
    put(state, A, "blue 2")
    put(state, A, "blue 3")
    assert state.tiles[BLUE] == [upper[1]]
    assert (state.upper, state.lower) == (upper[2:], lower[1:])


def test_gr_35_and_s_3_no_lantern_when_the_lower_row_is_empty() -> None:
    state = laid_out()
    state.lower = []
    state.returns[RED] = 1
    state.tiles[RED] = [state.upper.pop(0)]
    state.pawns[RED] = 0
    tile = state.tiles[RED][:]
    put(state, A, "red 1")
    assert state.returns[RED] == 2
    assert state.tiles[RED] == tile
    assert len(state.upper) == 4


def test_gr_36_a_lantern_on_a_tile_belongs_to_nobody_yet() -> None:
    state = laid_out()
    state.pawns[RED] = 0
    put(state, A, "red 1")
    put(state, B, "red 4")
    assert favour_winner(state, RED) == B
    assert state.tiles[RED]


def test_gr_37_and_s_14_the_lantern_comes_before_the_tokens() -> None:
    state = position("harder", a=("red 1", "pink 4"))
    state.pawns[RED] = state.began[RED] = 0
    events = use(state, "reveal", "red 1")
    assert told(events, LanternTaken)
    assert state.phase == TOKENS
    assert not told(events, TokensTaken)


def test_gr_37_basic_mode_takes_no_tokens() -> None:
    state = laid_out()
    assert not put(state, A, "green 1")
    assert state.guests == [[0] * 5, [0] * 5]


def test_gr_38_two_cards_of_one_colour_are_two_stops() -> None:
    state = laid_out()
    put(state, A, "red 1")
    assert state.pawns[RED] == 2
    put(state, A, "red 4")
    assert state.returns[RED] == 1


def test_gr_39_the_teahouse_where_the_pawn_stops_decides_and_home_is_no_exception() -> None:
    state = laid_out("harder")
    state.pawns[RED] = 0
    stock(state, RED, 3, B)
    put(state, A, "red 1")
    assert state.guests[A] == [0, 2, 0, 0, 0]


@pytest.mark.parametrize(("card", "brought"), [("pink 1", 2), ("pink 2", 1), ("pink 3", 0), ("pink 4", 0)])
def test_gr_40_as_many_tokens_as_symbols(card: str, brought: int) -> None:
    state = laid_out("harder")
    state.favour = [B] * 5
    assert not put(state, A, card)
    assert sum(state.guests[A]) == brought


@pytest.mark.parametrize("favour", [0, 1])
@pytest.mark.parametrize("guests", [0, 1, 2, 3])
@pytest.mark.parametrize("symbols", [1, 2])
def test_gr_41_a_decision_only_if_more_than_one_combination_is_possible(symbols: int, guests: int, favour: int) -> None:
    due = min(symbols, guests + favour)
    possible = [k for k in range(favour + 1) if max(0, due - guests) <= k <= min(favour, due)]
    state = laid_out("harder")
    stock(state, RED if symbols == 2 else BLUE, guests, AT_TEAHOUSE if favour else B)
    asked = put(state, A, "pink 1" if symbols == 2 else "pink 2")
    assert asked == (len(possible) > 1)
    if not asked:
        assert sum(state.guests[A]) + state.favour.count(A) == due


def test_s_16_taking_is_mandatory() -> None:
    state = position("harder", a=("green 1", "pink 4"))
    use(state, "reveal", "green 1")
    with pytest.raises(IllegalAction):
        act(state, TakeTokens(2))
    with pytest.raises(IllegalAction):
        act(state, TakeTokens(-1))


def test_gr_42_taken_tokens_are_public() -> None:
    state = position("harder", a=("green 1", "pink 4"))
    use(state, "reveal", "green 1")
    tokens(state, 1)
    for seat in (A, B, None):
        player = GAME.view(state, seat).players[A]
        assert [(guests.colour, guests.count) for guests in player.guests] == [("pink", 1)]
        assert player.favour_tokens == ["pink"]


def test_gr_43_a_favour_token_counts_from_the_moment_it_is_taken() -> None:
    state = laid_out("harder")
    state.totals = [[4, 4, 0, 0, 0], [4, 4, 0, 0, 0]]
    assert favour_winner(state, PINK) == -1
    state.favour[PINK] = B
    assert favour_winner(state, PINK) == B
    assert favour_winner(state, RED) == -1, "only at the geisha of its own colour"


def test_gr_39_the_teahouse_is_found_by_its_place_in_the_circle() -> None:
    state = laid_out("harder")
    state.circle = [GREEN, BLUE, PINK, RED, YELLOW]
    state.home = [state.circle.index(colour) for colour in range(5)]
    state.pawns = state.home[:]
    state.favour = [B] * 5
    put(state, A, "blue 2")
    assert state.pawns[BLUE] == 3
    assert state.guests[A] == [0, 1, 0, 0, 0], "a red guest: the red teahouse is at position 3"
    put(state, B, "pink 4")
    assert (state.pawns[PINK], state.returns[PINK]) == (1, 0)
    put(state, A, "pink 1")
    assert (state.pawns[PINK], state.returns[PINK]) == (2, 1)
    assert state.guests[A] == [2, 1, 0, 0, 0]


def test_s_24_the_order_of_two_cards_is_decided_once_before_the_first_of_them() -> None:
    state = position("harder", a=("pink 1", "red 1", "blue 3", "green 3", "green 4", "yellow 3"))
    use(state, "compromise", "blue 3", "pink 1", "red 1")
    act(state, Take((0,)), Place(2))
    assert GAME.legal(state) == [TakeTokens(0), TakeTokens(1)], "tokens are chosen after each move"
    events = tokens(state, 0)
    assert [event.card for event in told(events, Placed)] == [name("pink 1")], "the second card needs no answer"
    assert GAME.legal(state) == [TakeTokens(0), TakeTokens(1)]
