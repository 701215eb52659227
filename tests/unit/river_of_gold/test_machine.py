"""The machine as a whole: what it lists is what it takes, and what it tells is what happened."""

import random
from typing import Literal

import pytest

from services.engine import registry
from services.engine.game import IllegalAction
from services.games.river_of_gold.actions.catalogue import NUMBERS
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import State
from teahouse.games.river_of_gold.v1 import structs as a

CODEC = registry.codec("river_of_gold")
Patrons = Literal["none", "draft", "pick"]
WAYS: tuple[Patrons, ...] = ("none", "draft", "pick")
CASES = [(seats, patrons) for seats in (2, 3, 4) for patrons in WAYS]


def check_every_move(state: State) -> None:
    legal = set(GAME.legal(state))
    before = CODEC.encode(state)
    for action in NUMBERS:
        clone = GAME.clone(state)
        try:
            GAME.apply(clone, action, tell=False)
        except IllegalAction:
            assert action not in legal, f"listed but refused: {action}"
            assert CODEC.encode(clone) == before
        else:
            assert action in legal, f"accepted but not listed: {action}"


@pytest.mark.parametrize(("seats", "patrons"), CASES)
def test_exactly_the_listed_moves_are_accepted(seats: int, patrons: Patrons) -> None:
    """Of all the moves that exist, at positions all over a game."""
    rng = random.Random(f"{seats} {patrons}")
    state = GAME.new(["player"] * seats, a.Options(patrons), rng.randbytes(32))
    seen: set[int] = set()
    while GAME.actor(state) is not None:
        if state.phase not in seen or rng.random() < 0.05:
            seen.add(state.phase)
            check_every_move(state)
        GAME.apply(state, rng.choice(GAME.legal(state)), tell=False)
    check_every_move(state)


@pytest.mark.parametrize(("seats", "patrons"), CASES)
def test_the_told_gains_add_up_to_what_players_hold(seats: int, patrons: Patrons) -> None:
    """Koku, goods, favor and points of the events are the difference of two positions."""
    rng = random.Random(f"story {seats} {patrons}")
    state = GAME.new(["player"] * seats, a.Options(patrons), rng.randbytes(32))
    while GAME.actor(state) is not None:
        before = [sum(player.won) for player in state.players]
        told = [0] * seats
        for event in GAME.apply(state, rng.choice(GAME.legal(state))):
            if isinstance(event.public, a.Gained | a.MasteryClaimed | a.EndTriggered):
                told[event.public.seat] += event.public.vp
        assert told == [sum(player.won) - then for player, then in zip(state.players, before, strict=True)]


def test_an_action_that_names_no_piece_is_refused() -> None:
    state = GAME.new(["player"] * 2, a.Options(), bytes(32))
    for action in (a.Build("S31", "e1_port_1"), a.Sail(3, 0), a.Deliver("queen_1"), a.SetDie(7), a.ChangeDie(0)):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)
