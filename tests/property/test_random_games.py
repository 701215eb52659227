"""A sample of the campaign for every game there is; `make soak` plays all of it."""

import pytest

from services.engine import registry
from tests.campaigns.random_games import Checks, pieces, play


@pytest.mark.parametrize("name", registry.names())
def test_random_games_keep_every_promise(name: str) -> None:
    cases = len(pieces(name).CASES)
    for number in range(max(24, 3 * cases)):
        play(name, number)


@pytest.mark.parametrize("name", registry.names())
def test_every_position_can_be_redealt_for_every_seat(name: str) -> None:
    games = [play(name, number, Checks(redeal=1)) for number in range(len(pieces(name).CASES))]
    assert sum(game.hidden_changed for game in games), "redeal never changes what is hidden"
    assert sum(game.told_alike for game in games), "no event was ever compared"
