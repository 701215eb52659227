"""The end of the game, score and winner: TT-55, TT-62 … TT-67."""

import pytest

from services.games.thurn_and_taxis.components import CITIES
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.scoring import places, score
from services.games.thurn_and_taxis.state import AFTER_PLAY, GAME_OVER, POSTMASTER, State
from teahouse.games.thurn_and_taxis.v1.structs import (
    Abandon,
    Close,
    EndTurn,
    FinalRound,
    FinishHouses,
    GameEnded,
    PlaceHouse,
    Start,
    TakeDeck,
)
from tests.unit.thurn_and_taxis.positions import legal, play, position, seat, tiles, told

SEVEN = ["mannheim", "stuttgart", "ulm", "augsburg", "innsbruck", "salzburg", "passau"]
NINETEEN = [name for name in CITIES if name not in ("stuttgart", "basel", "lodz")]


def quiet_turn(state: State) -> None:
    """Takes, plays and ends the turn of a seat that holds a card."""
    play(state, TakeDeck())
    if state.players[state.seat].route:
        play(state, Abandon())
    play(state, legal(state, Start)[0], EndTurn())


def test_tt_62_the_carriage_7_triggers_the_end() -> None:
    state = position(seat(["lodz"], SEVEN, carriage=6), seat(["ulm"]), phase=AFTER_PLAY)
    events = play(state, Close(), FinishHouses())
    assert told(events, FinalRound) == [FinalRound(0, "carriage")]
    assert state.phase != GAME_OVER


def test_tt_62_the_last_house_triggers_the_end() -> None:
    state = position(seat(["lodz"], SEVEN, NINETEEN, 3), seat(["ulm"]), phase=AFTER_PLAY)
    events = play(state, Close(), PlaceHouse("stuttgart"))
    assert told(events, FinalRound) == [FinalRound(0, "houses")]
    assert state.players[0].houses_left == 0


def test_r_11_keeping_the_last_house_avoids_the_end() -> None:
    state = position(seat(["lodz"], SEVEN, NINETEEN, 3), seat(["ulm"]), phase=AFTER_PLAY)
    play(state, Close(), FinishHouses())
    assert state.ended_by == -1


@pytest.mark.parametrize("first", range(4))
def test_tt_63_the_round_is_played_to_its_end(first: int) -> None:
    """TT-63, R-12: whoever triggered has no further turn."""
    players = [seat(["lodz"], SEVEN, carriage=6), seat(["ulm"]), seat(["linz"]), seat(["basel"])]
    state = position(*players, phase=AFTER_PLAY, first=first)
    play(state, Close(), FinishHouses())
    turns = []
    while state.phase != GAME_OVER:
        turns.append(state.seat)
        quiet_turn(state)
    assert turns == list(range(1, first if first else 4))


def test_r_19_a_trigger_in_the_last_seat_ends_the_game_with_that_turn() -> None:
    state = position(seat(["lodz"], SEVEN, carriage=6), seat(["ulm"]), phase=AFTER_PLAY, first=1)
    events = play(state, Close(), FinishHouses())
    assert told(events, GameEnded) == [GameEnded("carriage")]
    assert GAME.actor(state) is None
    assert GAME.legal(state) == []


def test_tt_55_tt_64_only_the_first_to_trigger_takes_the_tile() -> None:
    second = seat(["lodz"], ["wuerzburg", *SEVEN[1:]], carriage=6)
    state = position(seat(["lodz"], SEVEN, carriage=6), second, phase=AFTER_PLAY)
    play(state, Close(), FinishHouses())
    assert tiles(state.players[0])[-1] == ("game_end", 1)
    state.phase = AFTER_PLAY
    events = play(state, Close(), FinishHouses())
    assert state.players[1].carriage == 7
    assert told(events, FinalRound) == []
    assert "game_end" not in dict(tiles(state.players[1]))
    assert state.ended_by == 0


def test_r_18_both_triggers_in_one_closing_give_one_tile() -> None:
    state = position(seat(["lodz"], SEVEN, NINETEEN, 6), seat(["ulm"]), phase=AFTER_PLAY)
    play(state, Close(), PlaceHouse("stuttgart"))
    assert (state.players[0].carriage, state.players[0].houses_left) == (7, 0)
    assert [stack for stack, _ in tiles(state.players[0])].count("game_end") == 1


def test_tt_65_the_rest_of_the_round_is_played_as_usual() -> None:
    second = seat(["lodz"], ["wuerzburg", "stuttgart", "sigmaringen", "zuerich", "freiburg"])
    state = position(seat(["lodz"], SEVEN, carriage=6), second, phase=AFTER_PLAY)
    play(state, Close(), FinishHouses())
    state.phase = AFTER_PLAY
    play(state, Close(), FinishHouses())
    assert tiles(state.players[1]) == [("length_5", 2)]
    assert state.players[1].carriage == 3


def test_tt_66_only_the_highest_carriage_counts_and_scores_can_be_negative() -> None:
    assert score(seat(carriage=5)) == 5 - 20
    assert score(seat(["ulm"], SEVEN)) == -20, "cards in hand and an open route count nothing"
    assert score(seat(houses=CITIES[:20], carriage=7)) == 10


@pytest.mark.parametrize("holder", range(4))
def test_tt_67_ties_go_to_the_holder_of_the_tile_and_then_clockwise(holder: int) -> None:
    """TT-67, R-23: nobody shares a place."""
    state = position(seat(), seat(), seat(), seat())
    state.ended_by = holder
    assert places(state, [9, 9, 9, 9]) == [(index - holder) % 4 + 1 for index in range(4)]
    assert places(state, [1, 9, 9, 3])[0] == 4


def test_the_outcome_adds_up() -> None:
    state = position(
        seat(["lodz"], SEVEN, carriage=6), seat(houses=CITIES[:5]), phase=AFTER_PLAY, first=1, official=POSTMASTER
    )
    play(state, Close(), FinishHouses())
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == [10 + 4 + 1 - 20, -15]
    assert outcome.places == [1, 2]
    assert [sum(line.points for line in lines) for lines in outcome.breakdown] == outcome.scores
