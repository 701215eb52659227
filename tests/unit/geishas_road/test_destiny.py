"""Section 13: the variant Geisha's Destiny."""

import pytest

from services.games.geishas_road.actions.placing import place_card
from services.games.geishas_road.components import CARD, FACE_POINTS
from services.games.geishas_road.game import GAME
from services.games.geishas_road.scoring import round_points
from services.games.geishas_road.state import NONE, State
from teahouse.games.geishas_road.v1.structs import LanternTaken, LanternTurned, Options
from tests.unit.geishas_road.table import PINK, RED, A, B, decided, face, finish, laid_out, name, position, told, use


def put(state: State, seat: int, *cards: str) -> None:
    for card in cards:
        place_card(state, seat, CARD[name(card)], None)


@pytest.mark.parametrize("mode", ["basic", "harder", "advanced"])
def test_gr_81_one_row_of_five_three_light_two_dark_in_every_mode(mode: str) -> None:
    rows, darks = set(), set()
    for number in range(12):
        state = GAME.new(["player", "player"], Options(mode, True), bytes([number]) * 32)  # type: ignore[arg-type]
        assert len({lantern >> 1 for lantern in state.upper}) == 5
        assert sum(lantern & 1 for lantern in state.upper) == 2
        assert state.lower == []
        rows.add(tuple(lantern >> 1 for lantern in state.upper))
        darks.add(tuple(lantern & 1 for lantern in state.upper))
    assert len(rows) > 6
    assert len(darks) > 3


def test_gr_81_and_s_8_round_2_draws_from_all_nine_again() -> None:
    drawn = set()
    for number in range(12):
        state = decided(pink=A)
        state.destiny, state.upper, state.lower = True, [face(lantern) for lantern in range(1, 6)], []
        state.dice.seed = bytes([number]) * 32
        finish(state)
        assert (len(state.upper), sum(lantern & 1 for lantern in state.upper), state.lower) == (5, 2, [])
        drawn |= {lantern >> 1 for lantern in state.upper}
    assert drawn == set(range(9))


def test_w_13_variant() -> None:
    state = laid_out(destiny=True)
    state.upper = [face(9), face(2, dark=True), face(4), face(5), face(6)]
    put(state, A, "pink 1", "pink 4")
    assert state.tiles[PINK] == [face(9)]
    assert FACE_POINTS[state.tiles[PINK][0]] == 4
    put(state, B, "pink 2", "pink 3")
    assert state.tiles[PINK] == [face(9, dark=True)]
    assert FACE_POINTS[state.tiles[PINK][0]] == -3
    put(state, A, "red 2", "red 3")
    assert state.tiles[RED] == [face(2, dark=True)]
    assert FACE_POINTS[state.tiles[RED][0]] == 4
    put(state, A, "red 1", "red 4")
    assert state.tiles[RED] == [face(2)]
    assert FACE_POINTS[state.tiles[RED][0]] == 1


def test_gr_82_and_gr_83_are_told() -> None:
    state = position(destiny=True, a=("pink 1", "pink 2"))
    state.pawns[PINK] = state.began[PINK] = 4
    shown = state.upper[0]
    events = use(state, "reveal", "pink 1")
    assert told(events, LanternTaken)[0].lantern.dark == bool(shown & 1)
    state.active = state.actor = A
    state.used, state.pawns[PINK] = [0, 0], 3
    events = use(state, "reveal", "pink 2")
    [turned] = told(events, LanternTurned)
    assert turned.lantern.dark != bool(shown & 1)
    assert len(state.upper) == 4, "no lantern is taken"


def test_gr_84_the_visible_face_counts_and_may_be_negative() -> None:
    state = laid_out(destiny=True)
    state.tiles[PINK], state.tiles[RED] = [face(9, dark=True)], [face(1, dark=True)]
    state.won = [A, B, NONE, NONE, NONE]
    assert round_points(state, A) == [1, -3, 0, 0]
    assert round_points(state, B) == [1, 5, 0, 0]


def test_gr_85_the_rest_follows_the_mode() -> None:
    state = GAME.new(["player", "player"], Options("advanced", True), bytes(32))
    view = GAME.view(state, 0)
    assert view.players[0].special_markers == ["counter_offer", "hidden_offer"]
    assert [teahouse.guests for teahouse in view.teahouses] == [3] * 5
    for colour in range(5):
        state.pawns[colour] = (state.home[colour] - 1) % 5
    for card in ("pink 1", "red 1", "blue 1", "yellow 1", "green 1"):
        put(state, A, card)
    assert state.upper == []
    assert [len(tile) for tile in state.tiles] == [1] * 5
