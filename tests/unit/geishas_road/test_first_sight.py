"""What search plays on with, and the whole turns that it compares."""

import random
from collections.abc import Iterator

import pytest

from services.engine.dice import Dice
from services.games.geishas_road.first_sight import first_sight
from services.games.geishas_road.game import GAME
from services.games.geishas_road.state import LAY, USE, State
from teahouse.games.geishas_road.v1.structs import Options
from tests.unit.geishas_road.pieces import CASES, PLAYERS


def positions(case: int) -> Iterator[tuple[State, int]]:
    """Every position of three games, in which half of the actions are random and half are first sight's."""
    _, options = CASES[case]
    rng = random.Random(case)
    for number in range(3):
        state = GAME.new(PLAYERS, Options(**options), bytes([number]) * 32)
        while (seat := GAME.actor(state)) is not None:
            yield state, seat
            sight = first_sight(state, seat)
            action = sight[0] if sight and rng.random() < 0.5 else rng.choice(GAME.legal(state))
            GAME.apply(state, action, tell=False)


def laid_out(before: State, after: State) -> bool:
    """Whether all cards of the turn lie; the rival's last card needs no decision, so the next turn may be the own."""
    return after.phase not in (USE, LAY) or (after.round, after.turn) > (before.round, before.turn)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_it_names_legal_actions_of_that_seat_in_every_phase(case: int) -> None:
    phases = set()
    for state, seat in positions(case):
        after = GAME.clone(state)
        for action in first_sight(state, seat):
            phases.add(state.phase)
            assert GAME.actor(after) == seat
            assert action in GAME.legal(after)
            GAME.apply(after, action, tell=False)
        if state.phase in (USE, LAY):
            assert laid_out(state, after), "a turn is seen to its end"
    assert {USE, LAY} <= phases


@pytest.mark.parametrize("case", range(len(CASES)))
def test_it_does_not_know_what_the_seat_does_not_know(case: int) -> None:
    for number, (state, seat) in enumerate(positions(case)):
        other = GAME.redeal(state, seat, Dice(number.to_bytes(32, "big")))
        assert first_sight(other, seat) == first_sight(state, seat)
        assert GAME.turns(other, seat) == GAME.turns(state, seat)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_turn_is_a_chain_of_legal_actions_to_its_end(case: int) -> None:
    rng = random.Random(case)
    for state, seat in positions(case):
        turns = GAME.turns(state, seat)
        assert bool(turns) == (state.phase in (USE, LAY))
        for _, chain in rng.sample(turns, min(3, len(turns))):
            after = GAME.clone(state)
            for action in chain:
                assert action in GAME.legal(after)
                GAME.apply(after, action, tell=False)
            assert laid_out(state, after)


def test_every_way_to_lay_seven_cards_is_seen_once() -> None:
    state = GAME.new(PLAYERS, Options(), bytes(32))
    chains = [tuple(chain) for _, chain in GAME.turns(state, state.actor)]
    assert len(chains) == len(set(chains)) == 7 + 7 * 6 + 35 + 105


def test_a_part_of_the_game_is_settled_when_a_round_has_just_begun() -> None:
    for state, seat in positions(0):
        chosen = GAME.legal(state)[0]
        before, after = state.round, GAME.clone(state)
        GAME.apply(after, chosen, tell=False)
        assert GAME.settled(after) == (after.round > before), seat
