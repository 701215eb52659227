"""Whole games against the invariants of section 14, with a player who hoards cards."""

import random
from typing import Any

import pytest

from services.games.thurn_and_taxis.components import HAND_AFTER_CLOSING
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import GAME_OVER, NO_OFFICIAL, NOBODY, POSTMASTER, State
from teahouse.games.thurn_and_taxis.v1.structs import Close, Options, PostmasterTakeDeck, PostmasterTakeDisplay
from tests.unit.thurn_and_taxis.pieces import account


def hoard(legal: list[Any], rng: random.Random) -> Any:
    """Takes a second card whenever possible and never closes."""
    second = [action for action in legal if type(action) in (PostmasterTakeDeck, PostmasterTakeDisplay)]
    return rng.choice(second or [action for action in legal if type(action) is not Close])


def check_turn(state: State, before: State) -> None:
    """What must hold when the turn of `before.seat` has just ended."""
    player, was = state.players[before.seat], before.players[before.seat]
    if was.route and not player.route:
        assert len(player.hand) <= HAND_AFTER_CLOSING
    assert player.carriage - was.carriage in (0, 1, 3), "more than one carriage for a closing"


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("hoarders", [0, 1])
def test_invariants_of_whole_games(seats: int, hoarders: int) -> None:
    rng = random.Random(f"{seats} {hoarders}")
    for _ in range(3):
        state = GAME.new(["player"] * seats, Options(), rng.randbytes(32))
        while state.phase != GAME_OVER:
            account(state)
            before = GAME.clone(state)
            legal = GAME.legal(state)
            assert 0 < len(legal) <= 200
            action = hoard(legal, rng) if state.seat < hoarders else rng.choice(legal)
            GAME.apply(state, action, tell=False)
            if (state.seat, state.round) == (before.seat, before.round):
                assert before.official in (NO_OFFICIAL, state.official), "two officials in one turn"
            else:
                forced = not state.players[state.seat].hand
                assert state.official == (POSTMASTER if forced else NO_OFFICIAL)
                check_turn(state, before)
        account(state)
        assert state.ended_by != NOBODY


def test_when_everybody_hoards_the_cards_run_out_and_the_game_goes_on() -> None:
    """TT-61, R-7: gaps open, nothing can be taken, and still every turn has a legal action."""
    rng = random.Random("hoarders")
    state = GAME.new(["player"] * 4, Options(), rng.randbytes(32))
    fewest = 66
    for _ in range(3000):
        account(state)
        GAME.apply(state, hoard(GAME.legal(state), rng), tell=False)
        fewest = min(fewest, len(state.deck) + sum(card >= 0 for card in state.display))
    assert fewest == 0
