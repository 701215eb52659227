"""Sections 11 and 12: the second round and the end of the game."""

import pytest

from services.games.geishas_road.components import (
    CARD,
    FIVE,
)
from services.games.geishas_road.game import GAME
from services.games.geishas_road.scoring import next_starter
from services.games.geishas_road.state import AT_TEAHOUSE, REMOVED, Returned, State
from teahouse.games.geishas_road.v1.structs import (
    Drawn,
    GameEnded,
    RoundBegan,
)
from tests.unit.geishas_road.table import (
    GREEN,
    PINK,
    A,
    B,
    act,
    cards,
    decided,
    finish,
    laid_out,
    tokens,
    told,
    use,
)


@pytest.mark.parametrize(("points", "starter"), [((5, 9), A), ((9, 5), B), ((4, 4), B)])
def test_gr_71_who_starts_round_2(points: tuple[int, int], starter: int) -> None:
    state = laid_out(starter=A)
    state.scored = [[[value, 0, 0, 0] for value in points]]
    assert next_starter(state) == starter


def test_gr_70_and_gr_72_to_gr_78_the_second_round() -> None:
    state = decided("advanced", pink=A, red=B)
    state.pawns = [3, 1, 2, 4, 4]
    state.returns = [1, 2, 0, 0, 0]
    state.tiles[PINK] = [state.upper.pop(0)]
    state.used, state.specials = [15, 15], [3, 1]
    state.intrigue = [cards("pink 4", "red 4"), cards("blue 4", "green 4")]
    state.guests, state.teahouses = [[1, 0, 0, 0, 0], [2, 1, 0, 0, 0]], [0, 2, 3, 3, 3]
    state.favour = [A, B, AT_TEAHOUSE, AT_TEAHOUSE, AT_TEAHOUSE]
    circle = state.circle
    story = finish(state)
    assert told(story, RoundBegan, A)[0].hand == [*GAME.view(state, A).players[A].hand][:6]
    assert told(story, RoundBegan)[0].hand == []
    assert (state.round, state.turn) == (2, 1)
    assert (state.pawns, state.circle) == ([3, 1, 2, 4, 4], circle)
    in_play = [*state.deck, *state.hands[A], *state.hands[B]]
    assert sorted(in_play) == list(range(20))
    assert sorted(len(hand) for hand in state.hands) == [6, 7]
    assert GAME.view(state, None).geishas[PINK].tile_points == 2
    assert state.totals == [[0] * 5, [0] * 5]
    assert state.returns == [0] * 5  # S-17
    assert (state.used, state.specials) == ([0, 0], [0, 0])
    assert sorted(state.upper + state.lower) == list(range(0, 18, 2))
    assert state.favour == [A, B, AT_TEAHOUSE, AT_TEAHOUSE, AT_TEAHOUSE]  # S-7
    assert (state.guests, state.teahouses) == ([[0] * 5, [0] * 5], [3] * 5)
    assert len(state.scored) == 1


def test_gr_77_basic_mode_draws_no_new_favour_tokens() -> None:
    state = decided(pink=A)
    state.favour = [A, REMOVED, B, REMOVED, REMOVED]
    finish(state)
    assert state.favour == [A, REMOVED, B, REMOVED, REMOVED]


def test_gr_9_and_s_18_a_pawn_at_home_when_round_2_begins_has_not_returned() -> None:
    state = decided(pink=A)
    finish(state)
    assert state.pawns == list(FIVE)
    assert state.returns == [0] * 5
    assert len(state.upper) == 5


def test_gr_79_four_geishas_in_round_2_beat_any_points() -> None:
    state = decided(round_number=2, pink=A, red=A, blue=A, green=A)
    state.scored = [[[0, 0, 0, 0], [3, 9, 0, 0]]]
    finish(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores, outcome.reason) == ([1, 2], [0, 12], "four_geishas")


def test_gr_80_more_points_over_both_rounds_win() -> None:
    state = decided(round_number=2, pink=A, red=A)
    state.scored = [[[1, 0, 0, 0], [2, 7, 0, 0]]]
    story = finish(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores, outcome.reason) == ([2, 1], [5, 9], "points")
    assert [line.label for line in outcome.breakdown[A]] == [
        "round_1_tiles",
        "round_1_lanterns",
        "round_2_tiles",
        "round_2_lanterns",
    ]
    assert told(story, GameEnded)[0].seat == B


def test_gr_11_and_gr_12_a_game_is_one_or_two_rounds_of_eight_turns() -> None:
    rounds = set()
    for number in range(60):
        state = GAME.new(["player", "player"], GAME.structs.Options(), bytes([number, 5]) * 16)
        turns = [1]
        for step in range(1000):
            legal = GAME.legal(state)
            if not legal:
                break
            story = act(state, legal[(number + 7 * step) % len(legal)])
            turns += [event.turn for event in told(story, Drawn)]
        assert turns == [1, 2, 3, 4, 5, 6, 7, 8] * state.round
        assert (state.reason == "four_geishas") or state.round == 2
        rounds.add(state.round)
    assert rounds == {1, 2}


def next_rounds(count: int = 12) -> list[State]:
    """The same end of round 1, dealt on with different dice."""
    states = []
    for number in range(count):
        state = decided("advanced", pink=A, red=B)
        state.intrigue = [cards("pink 4", "red 4"), cards("blue 4", "green 4")]
        state.returned = [Returned(CARD["gift-red-1"], 3, [1, 1])]
        state.used, state.specials, state.tiles[GREEN] = [15, 15], [3, 3], [state.upper.pop(0)]
        state.dice.seed = bytes([number]) * 32
        finish(state)
        states.append(state)
    return states


def test_gr_73_all_twenty_cards_are_shuffled_and_dealt_anew() -> None:
    states = next_rounds()
    assert len({tuple(state.hands[A]) for state in states}) == len({tuple(state.deck) for state in states}) == 12
    for state in states:
        assert sorted([*state.deck, *state.hands[A], *state.hands[B]]) == list(range(20))
        assert state.intrigue == [[], []]
        assert GAME.view(state, A).returned == [], "what went back into the old deck is over"


def test_gr_74_and_gr_75_tiles_and_markers_are_as_new() -> None:
    for state in next_rounds(2):
        view = GAME.view(state, None)
        assert [(geisha.tile_points, geisha.returns, geisha.lanterns) for geisha in view.geishas] == [(2, 0, [])] * 5
        assert all(side.total == 0 and side.cards == [] for geisha in view.geishas for side in geisha.sides)
        assert [len(player.markers) for player in view.players] == [4, 4]
        assert [player.special_markers for player in view.players] == [["counter_offer", "hidden_offer"]] * 2


def test_gr_76_all_nine_lanterns_are_shuffled_and_laid_out_again() -> None:
    states = next_rounds()
    assert len({tuple(state.upper) for state in states}) > 6
    assert all(sorted(state.upper + state.lower) == list(range(0, 18, 2)) for state in states)
    assert all((len(state.upper), len(state.lower)) == (5, 4) for state in states)


def test_s_7_an_untaken_favour_token_can_be_taken_in_round_2() -> None:
    state = next_rounds(1)[0]
    state.circle, state.home, state.pawns = list(FIVE), list(FIVE), list(FIVE)
    state.hands[state.actor][0] = CARD["gift-green-1"]
    seat = state.actor
    use(state, "reveal", "green 1")
    tokens(state, 1)
    assert state.favour == [seat, *[AT_TEAHOUSE] * 4]


def test_s_17_the_first_return_of_round_2_takes_from_the_upper_row() -> None:
    state = decided(pink=A, red=B)
    state.returns, state.pawns = [2, 2, 2, 2, 2], [4, 0, 1, 2, 3]
    finish(state)
    first, lower = state.upper[0], state.lower[:]
    state.hands[state.actor][0] = CARD["gift-pink-1"]
    use(state, "reveal", "pink 1")
    assert (state.returns[PINK], state.tiles[PINK], state.lower) == (1, [first], lower)
