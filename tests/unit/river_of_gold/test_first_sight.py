"""What River of Gold does at first sight."""

from services.engine.game import Game
from services.games.river_of_gold.actions import catalogue
from services.games.river_of_gold.components import ORDER, REGIONS, STORMS
from services.games.river_of_gold.evaluation import PREPARATIONS
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import MAIN, ROLL, State
from teahouse.games.river_of_gold.v1 import structs


def main_phase() -> State:
    state = GAME.new(["player", "player"], structs.Options(), bytes(32))
    while state.phase != MAIN:
        [action] = Game.first_sight(GAME, state, GAME.legal(state), state.actor)
        GAME.apply(state, action, tell=False)
    return state


def test_it_turns_the_die_the_short_way_to_an_order_that_it_can_fill() -> None:
    state = main_phase()
    player = state.players[state.turn]
    card = player.hand[0]
    player.hand, player.goods, player.favor = [card], list(ORDER[card]), 2
    region = card % REGIONS
    player.patron = STORMS - 1 if STORMS else STORMS + 1
    up, down = catalogue.DIE_UP, catalogue.DIE_DOWN
    for off, expected in ((-2, up), (-1, up), (1, down), (2, down)):
        player.die = (region + off) % 6 + 1
        assert list(GAME.first_sight(state, GAME.legal(state), state.turn)) == [expected]
    player.die = (region + 3) % 6 + 1
    [action] = GAME.first_sight(state, GAME.legal(state), state.turn)
    assert type(action) not in PREPARATIONS, "too far for the favor"


def test_it_exchanges_nothing_and_keeps_its_favor_for_the_next_turn() -> None:
    state = main_phase()
    seat = state.turn
    while state.turn == seat and state.actor == seat:
        legal = GAME.legal(state)
        [action] = GAME.first_sight(state, legal, seat)
        assert action in legal
        assert state.phase != ROLL or action == catalogue.ROLL_DIE
        GAME.apply(state, action, tell=False)
