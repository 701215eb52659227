"""What search plays on with."""

import random
from collections.abc import Iterator

import pytest

from services.engine.dice import Dice
from services.games.thurn_and_taxis.first_sight import first_sight
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    BY_HOUSES,
    CARTWRIGHT_DECISION,
    DISCARD,
    PLAY_FIRST,
    POSTMASTER,
    START_ANEW,
    TAKE_FIRST,
    TAKE_SECOND,
    State,
)
from teahouse.games.thurn_and_taxis.v1 import structs
from tests.unit.thurn_and_taxis.positions import position, seat


def positions(seats: int) -> Iterator[tuple[State, int]]:
    """Every position of four games, in which a third of the actions are random and the others are first sight's."""
    rng = random.Random(seats)
    for number in range(4):
        state = GAME.new(["player"] * seats, structs.Options(), bytes([number]) * 32)
        while (actor := GAME.actor(state)) is not None:
            yield state, actor
            legal = GAME.legal(state)
            action = rng.choice(legal) if rng.random() < 1 / 3 else GAME.first_sight(state, legal, actor)[0]
            GAME.apply(state, action, tell=False)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_names_legal_actions_of_that_seat_in_every_phase(seats: int) -> None:
    phases = set()
    for state, actor in positions(seats):
        after = GAME.clone(state)
        for action in first_sight(state):
            phases.add(state.phase)
            assert GAME.actor(after) == actor
            assert action in GAME.legal(after)
            GAME.apply(after, action, tell=False)
    assert phases == {TAKE_FIRST, TAKE_SECOND, PLAY_FIRST, START_ANEW, AFTER_PLAY, CARTWRIGHT_DECISION, DISCARD}


@pytest.mark.parametrize("seats", [2, 4])
def test_it_does_not_know_what_the_seat_does_not_know(seats: int) -> None:
    for number, (state, actor) in enumerate(positions(seats)):
        other, legal = GAME.redeal(state, actor, Dice(number.to_bytes(32, "big"))), GAME.legal(state)
        assert GAME.first_sight(other, legal, actor) == GAME.first_sight(state, legal, actor)


def test_it_takes_the_displayed_card_that_the_route_needs() -> None:
    route, display = ["basel", "freiburg"], ["lodz", "lodz", "karlsruhe", "budweis", "budweis", "linz"]
    state = position(seat(["linz"], route), display=display)
    assert first_sight(state) == (structs.TakeDisplay(2),)


def test_it_sees_what_remains_of_the_turn_at_once() -> None:
    player = seat(["stuttgart", "ulm"], ["basel", "freiburg", "karlsruhe"])
    state = position(player, display=[""] * 6, deck=[], phase=PLAY_FIRST)
    assert first_sight(state)[-1] == structs.EndTurn(), "the route promises more"
    state.ending = BY_HOUSES
    stuttgart, ulm = structs.Extend("stuttgart", "right"), structs.CarrierExtend("ulm", "right")
    assert first_sight(state) == (stuttgart, ulm, structs.Close()), "now or never"
    state.official = POSTMASTER
    assert first_sight(state) == (stuttgart, structs.Close())


def test_it_abandons_a_route_only_if_it_must() -> None:
    route = ["basel", "freiburg"]
    stuck = position(seat(["linz", "lodz"], route), phase=PLAY_FIRST, official=POSTMASTER)
    assert first_sight(stuck)[0] == structs.Abandon()
    state = position(seat(["linz", "karlsruhe"], route), phase=PLAY_FIRST, official=POSTMASTER)
    assert first_sight(state)[0] == structs.Extend("karlsruhe", "right")


def test_it_places_every_house_that_it_can() -> None:
    state = position(seat(["lodz"], ["freiburg", "karlsruhe", "mannheim"]), phase=AFTER_PLAY, official=POSTMASTER)
    GAME.apply(state, structs.Close())
    while state.seat == 0:
        [action] = GAME.first_sight(state, GAME.legal(state), 0)
        assert action != structs.FinishHouses()
        GAME.apply(state, action)
    assert state.players[0].houses.bit_count() == 3
