"""Turns and step 1: TT-9, TT-15 … TT-24, and the piles: TT-60, TT-61."""

import pytest

from services.engine.game import Event, IllegalAction
from services.games.thurn_and_taxis.actions.steps import begin_turn
from services.games.thurn_and_taxis.components import GAP
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import (
    ADMINISTRATOR,
    AFTER_PLAY,
    BY_DEADLOCK,
    CARTWRIGHT,
    GAME_OVER,
    PLAY_FIRST,
    POSTAL_CARRIER,
    POSTMASTER,
    TAKE_FIRST,
    TAKE_SECOND,
)
from teahouse.games.thurn_and_taxis.v1.structs import (
    Abandon,
    Close,
    DeckFormed,
    Discard,
    DisplayFilled,
    EndTurn,
    Extend,
    FinishHouses,
    PlaySkipped,
    PostmasterTakeDeck,
    PostmasterTakeDisplay,
    Start,
    TakeDeck,
    TakeDisplay,
    TakeSkipped,
    TurnStarted,
    UseAdministrator,
)
from tests.unit.thurn_and_taxis.positions import cities, kinds, legal, play, position, seat, told

SIX = ("ulm", "basel", "linz", "passau", "lodz", "kempten")
EMPTY = ("",) * 6


def test_tt_9_every_official_serves_everybody_again_and_again() -> None:
    state = position(seat(["ulm"]), seat(["ulm"]))
    for _ in range(2):
        play(state, UseAdministrator())
        assert state.official == ADMINISTRATOR
        play(state, TakeDeck())
        play(state, legal(state, Start)[0])
    assert state.official == 0


def test_tt_15_turns_go_clockwise_and_rounds_begin_with_the_first_player() -> None:
    state = position(seat(), seat(), seat(), first=1, actor=1)
    begin_turn(state, None)
    order = []
    for _ in range(6):
        order.append((state.round, state.seat))
        play(state, TakeDeck())
        if state.phase == TAKE_SECOND:
            play(state, TakeDeck())
        if state.players[state.seat].route:
            play(state, Abandon())
        play(state, legal(state, Start)[0])
        if state.phase == AFTER_PLAY:
            play(state, EndTurn())
    assert order == [(1, 1), (1, 2), (1, 0), (2, 1), (2, 2), (2, 0)]


def test_tt_16_take_then_play_then_close() -> None:
    state = position(seat(["stuttgart", "ulm"], ["sigmaringen", "zuerich"]))
    assert kinds(state) == {"take_display", "take_deck", "use_administrator"}
    play(state, TakeDeck())
    assert kinds(state) == {"extend", "abandon", "postmaster_take_display", "postmaster_take_deck"}
    play(state, Extend("stuttgart", "left"))
    assert {"close", "end_turn"} <= kinds(state)
    for action in (TakeDeck(), Extend("ulm", "left"), UseAdministrator(), FinishHouses()):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)


@pytest.mark.parametrize("official", [POSTMASTER, ADMINISTRATOR, POSTAL_CARRIER, CARTWRIGHT])
def test_tt_17_after_one_official_no_other_is_offered(official: int) -> None:
    route = ["ulm", "augsburg", "kempten"]
    offers = {"use_administrator", "postmaster_take_display", "postmaster_take_deck", "carrier_extend"}
    for phase in (TAKE_FIRST, PLAY_FIRST, AFTER_PLAY):
        state = position(seat(["innsbruck"], route), phase=phase, official=official)
        assert not kinds(state) & offers
    short = position(seat(["innsbruck"], route, carriage=4), phase=AFTER_PLAY, official=official)
    play(short, Close(), FinishHouses())
    assert short.players[0].carriage == 4
    assert short.seat == 1


def test_tt_18_an_empty_hand_forces_the_postmaster() -> None:
    """TT-18, TT-23, R-5."""
    state = position(seat(route=["ulm"]))
    begin_turn(state, None)
    assert state.official == POSTMASTER
    assert kinds(state) == {"take_display", "take_deck"}
    play(state, TakeDeck())
    assert state.phase == TAKE_SECOND
    assert kinds(state) == {"take_display", "take_deck"}
    play(state, TakeDeck())
    assert len(state.players[0].hand) == 2
    assert not kinds(state) & {"postmaster_take_display", "postmaster_take_deck"}


def test_tt_19_one_displayed_card_or_the_top_of_the_deck() -> None:
    state = position(seat(["ulm"]), display=SIX)
    assert legal(state, TakeDisplay) == [TakeDisplay(slot) for slot in range(6)]
    assert legal(state, TakeDeck) == [TakeDeck()]
    top = state.deck[-1]
    play(state, TakeDeck())
    assert top in state.players[0].hand


def test_tt_20_the_slot_is_refilled_at_once_from_the_deck() -> None:
    state = position(seat(["ulm"]), display=SIX)
    top = state.deck[-1]
    events = play(state, TakeDisplay(2))
    assert cities(state.players[0].hand) == ["ulm", "linz"]
    assert state.display[2] == top
    assert [event.slot for event in told(events, DisplayFilled)] == [2]


def test_tt_21_there_is_no_hand_limit_when_taking() -> None:
    many = ["ulm", "ulm", "basel", "linz", "lodz", "lodz", "passau", "kempten", "mannheim"]
    state = position(seat(many))
    play(state, TakeDeck(), PostmasterTakeDeck())
    assert len(state.players[0].hand) == 11


def test_tt_22_the_postmaster_chooses_among_6_cards_again_after_the_first_is_seen() -> None:
    """TT-22, R-4."""
    state = position(seat(["ulm"]), display=SIX)
    play(state, TakeDisplay(0))
    assert GAP not in state.display
    assert len(legal(state, PostmasterTakeDisplay)) == 6
    refilled = state.display[0]
    play(state, PostmasterTakeDisplay(0))
    assert refilled in state.players[0].hand
    assert state.official == POSTMASTER
    assert kinds(state) == {"start"}


def test_tt_24_the_administrator_replaces_all_displayed_cards_before_the_first_take() -> None:
    state = position(seat(["ulm"]), display=SIX)
    new = state.deck[-1:-7:-1]
    play(state, UseAdministrator())
    assert cities(state.discard) == list(SIX)
    assert state.display == new
    assert kinds(state) == {"take_display", "take_deck"}
    play(state, TakeDeck())
    assert "use_administrator" not in kinds(state)


def test_tt_24_not_after_a_take_and_not_with_an_empty_hand() -> None:
    after = position(seat(["ulm"]))
    play(after, TakeDeck())
    with pytest.raises(IllegalAction):
        GAME.apply(after, UseAdministrator())
    empty = position(seat())
    begin_turn(empty, None)
    with pytest.raises(IllegalAction):
        GAME.apply(empty, UseAdministrator())


def test_tt_60_the_discard_becomes_the_deck_the_moment_the_deck_is_exhausted() -> None:
    """TT-60, R-6: the last card leaves the deck, and the new deck is there."""
    state = position(seat(["ulm"]), display=SIX, deck=["mannheim"], discard=["basel", "lodz"])
    events = play(state, TakeDeck())
    assert [event.cards for event in told(events, DeckFormed)] == [2]
    assert sorted(cities(state.deck)) == ["basel", "lodz"]
    assert state.discard == []


def test_r_6_the_refill_that_empties_the_deck_forms_a_new_one() -> None:
    state = position(seat(["ulm"]), display=SIX, deck=["mannheim"], discard=["basel", "lodz"])
    play(state, TakeDisplay(3))
    assert cities(state.display)[3] == "mannheim"
    assert len(state.deck) == 2


def test_r_6_all_cards_of_a_closing_reach_the_discard_before_the_reshuffle() -> None:
    route = ["ulm", "augsburg", "kempten"]
    hand = ["basel", "linz", "lodz", "passau"]
    state = position(seat(hand, route), display=EMPTY, deck=[], phase=AFTER_PLAY, official=POSTMASTER)
    play(state, Close(), FinishHouses())
    assert cities(state.discard) == route
    assert state.display == [GAP] * 6
    events = play(state, legal(state, Discard)[0])
    assert [event.cards for event in told(events, DeckFormed)] == [4]
    assert state.display.count(GAP) == 2


def test_tt_61_gaps_stay_open_until_cards_reach_the_discard_and_are_filled_lowest_first() -> None:
    """TT-61, R-7 a."""
    state = position(seat(["ulm"], ["basel", "zuerich", "kempten"]), display=("", "linz", "", "", "", "lodz"), deck=[])
    play(state, TakeDisplay(1))
    assert [slot for slot, card in enumerate(state.display) if card == GAP] == [0, 1, 2, 3, 4]
    assert legal(state, PostmasterTakeDisplay) == [PostmasterTakeDisplay(5)]
    assert "postmaster_take_deck" not in kinds(state)
    events = play(state, Abandon())
    assert [event.slot for event in told(events, DisplayFilled)] == [0, 1, 2]
    assert [slot for slot, card in enumerate(state.display) if card == GAP] == [3, 4]


def test_r_7_b_nothing_to_take_is_skipped_and_no_official_of_step_1_is_offered() -> None:
    """R-7 b, R-20."""
    state = position(seat(["ulm"]), display=EMPTY, deck=[])
    story: list[Event] = []
    begin_turn(state, story)
    assert [type(event.public) for event in story] == [TurnStarted, TakeSkipped]
    assert state.phase == PLAY_FIRST
    assert kinds(state) == {"start"}


def test_r_7_b_a_forced_postmaster_counts_as_used_even_if_only_one_card_is_left() -> None:
    state = position(seat(), display=("ulm", "", "", "", "", ""), deck=[])
    begin_turn(state, None)
    events = play(state, TakeDisplay(0))
    assert told(events, TakeSkipped) == [TakeSkipped(0)]
    assert state.official == POSTMASTER
    assert kinds(state) == {"start"}


def test_r_7_c_without_any_card_the_play_is_skipped_and_the_route_may_still_be_closed() -> None:
    state = position(seat(route=["ulm", "augsburg", "kempten"]), display=EMPTY, deck=[])
    story: list[Event] = []
    begin_turn(state, story)
    assert [type(event.public) for event in story] == [TurnStarted, TakeSkipped, PlaySkipped]
    assert cities(state.players[0].route) == ["ulm", "augsburg", "kempten"]
    assert kinds(state) == {"close", "end_turn"}


def test_r_7_d_a_round_without_take_play_or_closing_ends_the_game() -> None:
    """Three routes through all cities hold all cards: nobody can do anything but close, and nobody does."""
    tour = walk_through_all_cities()
    state = position(*(seat(route=tour) for _ in range(3)), display=EMPTY, deck=[], first=1, actor=1)
    begin_turn(state, None)
    play(state, EndTurn(), EndTurn())
    assert state.phase == AFTER_PLAY
    play(state, EndTurn())
    assert state.phase == GAME_OVER
    assert state.ending == BY_DEADLOCK
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.reason == "deadlock"
    assert outcome.scores == [-20, -20, -20]
    assert outcome.places == [3, 1, 2]  # clockwise, beginning with the first player


def test_r_7_d_a_closing_keeps_the_game_going() -> None:
    tour = walk_through_all_cities()
    state = position(*(seat(route=tour) for _ in range(3)), display=EMPTY, deck=[])
    begin_turn(state, None)
    play(state, EndTurn(), EndTurn(), Close(), FinishHouses())
    assert state.phase == TAKE_FIRST
    assert state.round == 2


def walk_through_all_cities() -> list[str]:
    north_and_east = "lodz pilsen budweis linz salzburg passau regensburg nuernberg wuerzburg mannheim karlsruhe"
    south_and_west = "stuttgart ingolstadt muenchen innsbruck augsburg ulm kempten sigmaringen zuerich basel freiburg"
    return [*north_and_east.split(), *south_and_west.split()]


def test_r_20_the_administrator_needs_a_displayed_card() -> None:
    state = position(seat(["ulm"]), display=EMPTY, deck=[], phase=TAKE_FIRST)
    assert "use_administrator" not in kinds(state)
    with pytest.raises(IllegalAction):
        GAME.apply(state, UseAdministrator())


@pytest.mark.parametrize("slot", [-1, 6, 99])
def test_a_slot_that_does_not_exist_is_refused(slot: int) -> None:
    with pytest.raises(IllegalAction):
        GAME.apply(position(seat(["ulm"])), TakeDisplay(slot))
