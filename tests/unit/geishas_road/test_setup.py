"""Sections 1 to 3: the box and the set-up."""

import pytest

from services.engine.dice import Dice
from services.engine.game import BadOptions
from services.engine.registry import codec
from services.games.geishas_road import components as box
from services.games.geishas_road.game import GAME
from services.games.geishas_road.state import AT_TEAHOUSE, REMOVED, State
from teahouse.games.geishas_road.v1.structs import Options
from tests.unit.geishas_road.table import A, B, laid_out

PLAYERS = ["player", "player"]


def new(number: int, **options: object) -> State:
    return GAME.new(PLAYERS, Options(**options), bytes([number]) * 32)  # type: ignore[arg-type]


def test_gr_1_and_gr_2_five_colours_and_twenty_different_cards() -> None:
    assert box.COLOURS == ("pink", "red", "blue", "yellow", "green")
    assert len(set(box.CARDS)) == 20
    for colour in box.FIVE:
        values = [box.CARD_VALUE[card] for card in range(20) if box.CARD_COLOUR[card] == colour]
        assert values == [1, 2, 3, 4]
    symbols = {box.CARD_VALUE[card]: box.CARD_SYMBOLS[card] for card in range(20)}
    assert symbols == {1: 2, 2: 1, 3: 0, 4: 0}


def test_gr_3_and_gr_4_markers() -> None:
    assert dict(zip(box.MARKERS, box.MARKER_CARDS, strict=True)) == {
        "reveal": 1,
        "intrigue": 2,
        "compromise": 3,
        "double_gift": 4,
    }
    assert box.SPECIALS == ("counter_offer", "hidden_offer")


def test_gr_5_to_gr_7_lanterns_guests_and_tiles() -> None:
    assert len(box.LANTERNS) == 9
    assert len(box.FACE_POINTS) == 18
    assert any(points < 0 for points in box.FACE_POINTS[1::2])
    assert all(points > 0 for points in box.FACE_POINTS[::2])
    assert box.GUESTS_PER_TEAHOUSE == (3, 3, 3, 3, 3)
    assert box.TILE_POINTS == ((1,) * 5, (2,) * 5)


def test_gr_5_both_values_of_every_lantern_are_public() -> None:
    view = GAME.view(new(1), None)
    shown = {lantern.id: (lantern.points, lantern.other_points) for lantern in view.upper_row + view.lower_row}
    assert shown == {lantern["id"]: (lantern["light"], lantern["dark"]) for lantern in box.BOX["lanterns"]}


def test_gr_10_the_modes_and_the_variant_are_options() -> None:
    read = codec("geishas_road").options
    assert read(b"{}") == Options("basic", False, None)
    assert read(b'{"mode":"advanced","destiny":true,"starting_seat":1}') == Options("advanced", True, 1)


def test_gr_13_random_circle_and_every_pawn_at_home() -> None:
    circles = set()
    for number in range(20):
        state = new(number)
        assert sorted(state.circle) == list(box.FIVE)
        assert [state.circle[position] for position in state.pawns] == list(box.FIVE)
        circles.add(tuple(state.circle))
    assert len(circles) > 10


def test_gr_14_to_gr_16_hands_deck_tiles_and_markers() -> None:
    state = laid_out()
    assert [len(hand) for hand in state.hands] == [6, 6]
    assert len(state.deck) == 8
    view = GAME.view(state, None)
    assert [geisha.tile_points for geisha in view.geishas] == [1] * 5
    assert [player.markers for player in view.players] == [list(box.MARKERS)] * 2


def test_gr_17_five_lanterns_above_four_below_light_side_up() -> None:
    rows = set()
    for number in range(10):
        state = new(number)
        assert (len(state.upper), len(state.lower)) == (5, 4)
        assert sorted(state.upper + state.lower) == list(range(0, 18, 2))
        rows.add(tuple(state.upper))
    assert len(rows) > 5


def test_gr_18_and_s_1_starting_player_is_an_option_or_random() -> None:
    assert {new(number).starter for number in range(20)} == {0, 1}
    for seat in (0, 1):
        assert {new(number, starting_seat=seat).starter for number in range(10)} == {seat}
        assert GAME.actor(new(3, starting_seat=seat)) == seat


def test_gr_19_basic_mode_draws_one_favour_token_each() -> None:
    deals = set()
    for number in range(20):
        state = new(number)
        assert sorted(state.favour) == [REMOVED, REMOVED, REMOVED, A, B]
        assert state.teahouses == [0] * 5
        deals.add(tuple(state.favour))
    assert len(deals) > 8
    assert GAME.view(new(1), 0).players[0].special_markers == []


def test_gr_20_and_gr_21_harder_mode_puts_guests_and_favour_tokens_at_the_teahouses() -> None:
    state = new(1, mode="harder")
    assert state.teahouses == [3] * 5
    assert state.favour == [AT_TEAHOUSE] * 5
    view = GAME.view(state, 0)
    assert all(teahouse.guests == 3 and teahouse.favour for teahouse in view.teahouses)
    assert [player.special_markers for player in view.players] == [[], []]


def test_gr_22_advanced_mode_adds_the_special_markers() -> None:
    state = new(1, mode="advanced")
    assert state.teahouses == [3] * 5
    view = GAME.view(state, 0)
    assert [player.special_markers for player in view.players] == [["counter_offer", "hidden_offer"]] * 2


def test_exactly_two_players() -> None:
    for seats in (["player"], ["player"] * 3, ["player", "lu_yu"]):
        with pytest.raises(BadOptions):
            GAME.new(seats, Options(), bytes(32))


def test_the_same_seed_deals_the_same_game() -> None:
    assert codec("geishas_road").encode(new(7)) == codec("geishas_road").encode(new(7))
    assert new(7).dice.seed == Dice(bytes([7]) * 32).seed


def test_gr_6_fifteen_guests_and_five_favour_tokens() -> None:
    for pieces, each in (("guest_tokens", 3), ("favour_tokens", 1)):
        assert [sum(token["colour"] == colour for token in box.BOX[pieces]) for colour in box.COLOURS] == [each] * 5


@pytest.mark.parametrize("starter", [A, B])
def test_gr_8_the_starting_player_marker_stays_with_one_seat_for_the_round(starter: int) -> None:
    state = new(4, starting_seat=starter)
    while state.round == 1 and GAME.actor(state) is not None:
        assert {GAME.view(state, seat).starting_seat for seat in (A, B, None)} == {starter}
        assert (state.active == starter) == (state.turn % 2 == 1)
        GAME.apply(state, GAME.legal(state)[0])


def test_gr_15_five_one_point_tiles_with_a_side_for_each_player() -> None:
    geishas = GAME.view(new(1), None).geishas
    assert [(geisha.colour, geisha.tile_points) for geisha in geishas] == [(colour, 1) for colour in box.COLOURS]
    assert all([(side.cards, side.total) for side in geisha.sides] == [([], 0)] * 2 for geisha in geishas)
