"""A step that may be taken back has shown its seat nothing new: whatever was hidden, it would have seen the same."""

import json
import random

import pytest

from services.engine import registry
from services.engine.dice import Dice
from tests.campaigns.random_games import pieces

GAMES, WORLDS = 2, 3


@pytest.mark.parametrize("name", registry.names())
def test_an_undoable_step_reveals_nothing(name: str) -> None:
    game, codec = registry.load(name), registry.codec(name)
    rng = random.Random(name)
    checked = 0
    for _ in range(GAMES):
        seats, options = rng.choice(pieces(name).CASES)
        state = game.new(list(seats), codec.options(json.dumps(options).encode()), rng.randbytes(32))
        while (seat := game.actor(state)) is not None:
            action = rng.choice(game.legal(state))
            worlds = [game.redeal(state, seat, Dice(rng.randbytes(32))) for _ in range(WORLDS)]
            events = game.apply(state, action)
            if game.actor(state) != seat or any(event.reveals for event in events):
                continue
            checked += 1
            for world in worlds:
                game.apply(world, action)
                assert codec.view(world, seat) == codec.view(state, seat), (action, events)
                assert codec.legal(world) == codec.legal(state), (action, events)
    assert checked > 10
