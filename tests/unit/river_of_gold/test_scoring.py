"""Final scoring: RG-92 to RG-98."""

from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.scoring import lines, region_shares, scores
from services.games.river_of_gold.state import NOBODY, OVER, State
from tests.unit.river_of_gold.table import goods, position, put, served


def over(state: State) -> State:
    state.phase, state.actor = OVER, NOBODY
    return state


def test_rg_92_places_after_a_tie_move_down() -> None:
    assert region_shares([9, 9, 4], (12, 8, 4)) == [10, 10, 4]
    assert region_shares([9, 9, 4, 4], (12, 8, 4)) == [10, 10, 2, 2]
    assert region_shares([0, 0, 5], (12, 8, 4)) == [0, 0, 12]
    assert region_shares([18, 18, 18], (7, 3)) == [3, 3, 3]


def test_rg_92_players_without_influence_take_no_place() -> None:
    """Q-21"""
    assert region_shares([0, 2, 0], (9, 5)) == [0, 9, 0]
    assert region_shares([0, 0], (8, 4)) == [0, 0]


def test_rg_93_the_gap_of_two_players() -> None:
    assert region_shares([6, 1], (7, 3)) == [7, 3]
    assert region_shares([7, 1], (7, 3)) == [7, 0]
    assert region_shares([3, 3], (7, 3)) == [5, 5]
    assert region_shares([9, 2, 1], (9, 5)) == [9, 5, 0], "no gap rule for three"


def test_rg_94_track_rewards_are_not_doubled() -> None:
    state = position()
    served(state, 0, "elder_1")
    state.scoring_tiles = [1, 0, 2, 3, 4, 5]
    state.players[0].influence[0] = 14
    state.players[0].won[2] = 3
    found = {line.label: line.points for line in lines(state)[0]}
    assert found == {"influence": 3, "region_1": 9, "elder_1": 9, "customers": 2}


def test_rg_95_the_table() -> None:
    cards = ["monk_1", "monk_2", "monk_3", "monk_4", "monk_5", "monk_6", "elder_1"]
    points = []
    state = position()
    for card in cards:
        served(state, 0, card)
        points.append(scores(state)[0])
    assert points == [2, 5, 9, 14, 20, 27, 27]


def test_rg_96_each_card_separately() -> None:
    state = position()
    served(state, 0, "artisan_1", "merchant_1", "noble_2")
    put(state, "S01", "e1_port_1", 0)
    goods(state.players[0], silk=6)
    state.players[0].koku = 9
    found = {line.label: line.points for line in lines(state)[0]}
    assert found == {"customers": 9, "artisan_1": 2, "merchant_1": 1, "noble_2": 1}


def test_rg_97_favor_breaks_a_tie_then_victory_is_shared() -> None:
    state = position()
    for player, points in zip(state.players, (10, 10, 4), strict=True):
        player.won[0] = points
    state.players[1].favor = 1
    outcome = GAME.outcome(over(state))
    assert outcome is not None and outcome.places == [2, 1, 3]
    state.players[0].favor = 1
    outcome = GAME.outcome(state)
    assert outcome is not None and outcome.places == [1, 1, 3]


def test_rg_98_leftovers_are_worth_nothing() -> None:
    state = position()
    goods(state.players[0], 6, 6, 6)
    state.players[0].koku, state.players[0].favor = 25, 3
    assert scores(state) == [0, 0, 0]


def test_the_breakdown_adds_up() -> None:
    state = position()
    served(state, 0, "artisan_1", "elder_2", "noble_6")
    state.players[0].won = [1, 2, 3, 4, 5, 6, 7, 8]
    state.players[0].influence = [3, 4, 5, 6, 7, 8]
    outcome = GAME.outcome(over(state))
    assert outcome is not None
    assert [sum(line.points for line in part) for part in outcome.breakdown] == outcome.scores
    labels = [line.label for line in outcome.breakdown[0]]
    assert labels[:8] == ["visits", "owned", "influence", "masteries", "merchants", "nobles", "patron", "last_tile"]
    assert GAME.outcome(position()) is None
