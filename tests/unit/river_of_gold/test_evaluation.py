"""The evaluation: what a bot should like."""

from services.bots.arena.matches import game_number
from services.bots.strategies import play_greedy
from services.engine.dice import Dice
from services.games.river_of_gold.game import GAME
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import goods, hand, position, put, served


def test_points_goods_and_buildings_are_good_for_their_owner() -> None:
    state = position()
    plain = GAME.evaluate(state, 0)
    goods(state.players[0], silk=1)
    with_silk = GAME.evaluate(state, 0)
    put(state, "S04", "e1_port_5", 0)
    with_port = GAME.evaluate(state, 0)
    state.players[0].won[0] += 1
    assert plain < with_silk < with_port < GAME.evaluate(state, 0)
    assert GAME.evaluate(state, 1) < plain, "a rival's wealth is a loss"


def test_a_delivered_customer_is_worth_more_than_its_goods() -> None:
    state = position()
    hand(state, 0, "artisan_1")
    goods(state.players[0], porcelain=2)
    before = GAME.evaluate(state, 0)
    state = position()
    served(state, 0, "artisan_1")
    assert GAME.evaluate(state, 0) > before


def test_greedy_delivers_when_it_can() -> None:
    state = position(die=1)
    hand(state, 0, "noble_1", "elder_6")
    goods(state.players[0], 1, 1, 2)
    assert play_greedy(GAME, state, 0, Dice(bytes(32))) == a.Deliver("noble_1")


def test_greedy_beats_random() -> None:
    shares = [game_number("river_of_gold", "greedy", "random", 2, {}, number).share for number in range(4)]
    assert shares == [1.0] * 4
