"""The evaluation that the bots play by."""

import random

import pytest

from services.bots.arena.matches import game_number
from services.games.geishas_road.game import GAME
from teahouse.games.geishas_road.v1.structs import Options
from tests.unit.geishas_road.pieces import CASES, PLAYERS
from tests.unit.geishas_road.table import RED, A, B, decided, finish, laid_out


def test_the_end_of_the_game_is_certain() -> None:
    state = decided(pink=A, red=A, blue=A, green=A)
    finish(state)
    assert (GAME.evaluate(state, A), GAME.evaluate(state, B)) == (1.0, 0.0)
    shared = decided(round_number=2)
    finish(shared)
    assert GAME.evaluate(shared, A) == GAME.evaluate(shared, B) == 0.5


@pytest.mark.parametrize("case", range(len(CASES)))
def test_it_is_a_chance_in_every_position(case: int) -> None:
    _, options = CASES[case]
    rng = random.Random(case)
    for number in range(3):
        state = GAME.new(PLAYERS, Options(**options), bytes([number]) * 32)
        while GAME.actor(state) is not None:
            assert all(0 <= GAME.evaluate(state, seat) <= 1 for seat in (A, B))
            GAME.apply(state, rng.choice(GAME.legal(state)), tell=False)


def test_a_lead_at_a_geisha_and_guests_and_favour_tokens_are_good() -> None:
    state = laid_out("harder")
    start = GAME.evaluate(state, A)
    state.totals[A][RED] = 4
    ahead = GAME.evaluate(state, A)
    assert ahead > start
    state.favour[RED] = A
    assert GAME.evaluate(state, A) > ahead
    with_favour = GAME.evaluate(state, A)
    state.guests[A] = [2, 0, 0, 0, 0]
    assert GAME.evaluate(state, A) > with_favour


@pytest.mark.parametrize("mode", ["basic", "harder", "advanced"])
def test_greedy_beats_random(mode: str) -> None:
    wins = sum(game_number("geishas_road", "greedy", "random", 2, {"mode": mode}, number).share for number in range(12))
    assert wins >= 9
