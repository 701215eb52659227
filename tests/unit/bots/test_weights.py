"""A game with other weights beside the game as it is."""

import json
import sys

import pytest

from services.bots.arena.matches import game_number
from services.bots.arena.weights import weighted
from services.engine import registry
from tests.unit.bots.test_search import begun

# One weight of each game and another value for it.
OTHERS = {
    "geishas_road": ("OPEN_SPREAD", 0.1),
    "river_of_gold": ("KOKU_VALUE", 30.0),
    "tea_garden": ("TEAPOT", 30.0),
    "thurn_and_taxis": ("CARD_IN_HAND", 30.0),
}


def scores(weights: str) -> tuple[int, float]:
    result = game_number("thurn_and_taxis", "greedy", "greedy", 2, {}, 5, weights)
    return result.score, result.others


@pytest.mark.parametrize("name", OTHERS)
def test_only_the_evaluation_is_another(name: str) -> None:
    weight, value = OTHERS[name]
    game, state = begun(name, 0, 9)
    codec = registry.codec(name)
    other = weighted(name, json.dumps({weight: value}))
    position = other.decode(codec.encode(state))
    assert other.encode(position) == codec.encode(state)
    assert other.game.legal(position) == game.legal(state)
    assert other.game.evaluate_all(position) != game.evaluate_all(state)


def test_what_was_loaded_before_stays() -> None:
    before = {name: module for name, module in sys.modules.items() if name.startswith("services.")}
    weighted("thurn_and_taxis", '{"LEAD": 7.0}')
    from services.games.thurn_and_taxis import evaluation

    assert evaluation.LEAD != 7.0
    assert {name: sys.modules[name] for name in before} == before


def test_the_same_weights_play_the_same_game() -> None:
    from services.games.thurn_and_taxis.evaluation import LEAD, TOO_SHORT

    assert scores(json.dumps({"LEAD": LEAD, "TOO_SHORT": TOO_SHORT})) == scores("")
    assert scores('{"CARRIAGE_STEP": 30.0}') != scores("")
