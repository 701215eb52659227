"""The free exchanges (RG-30, RG-31) and the change of the die for favor (RG-33)."""

from typing import Any

from services.engine.game import Event, IllegalAction, Story
from services.games.river_of_gold.actions.catalogue import EXCHANGE_FAVOR, GOODS_EXCHANGES
from services.games.river_of_gold.components import GOODS, GOODS_GIVEN, KOKU_GIVEN, MOST_GOODS
from services.games.river_of_gold.state import MAIN, PENDING, ROLL, SELLING, WRAP_UP, Player, State
from teahouse.games.river_of_gold.v1 import structs

EXCHANGE_PHASES = frozenset((MAIN, PENDING, SELLING, WRAP_UP, ROLL))


def exchanges(player: Player) -> list[Any]:
    silk, rice, porcelain = player.goods
    found = GOODS_EXCHANGES[silk][rice][porcelain]
    if player.koku >= KOKU_GIVEN and player.favor < player.favor_limit:
        return [*found, EXCHANGE_FAVOR]
    return found


def can_exchange(player: Player) -> bool:
    silk, rice, porcelain = player.goods
    if GOODS_EXCHANGES[silk][rice][porcelain]:
        return True
    return player.koku >= KOKU_GIVEN and player.favor < player.favor_limit


def exchange_goods(state: State, give: int, get: int, story: Story) -> None:
    player = _exchanger(state)
    goods = player.goods
    if goods[give] < GOODS_GIVEN:
        raise IllegalAction(f"an exchange takes {GOODS_GIVEN} {GOODS[give]}, and you hold {goods[give]}")
    if goods[get] >= MOST_GOODS:
        raise IllegalAction(f"you have no room for more {GOODS[get]}")
    goods[give] -= GOODS_GIVEN
    goods[get] += 1
    if story is not None:
        story.append(Event(structs.Exchanged(state.actor, GOODS[give], GOODS_GIVEN, GOODS[get])))


def exchange_favor(state: State, _a: int, _b: int, story: Story) -> None:
    player = _exchanger(state)
    if player.koku < KOKU_GIVEN:
        raise IllegalAction(f"1 favor costs {KOKU_GIVEN} koku, and you hold {player.koku}")
    if player.favor >= player.favor_limit:
        raise IllegalAction("your favor is at its limit")
    player.koku -= KOKU_GIVEN
    player.favor += 1
    if story is not None:
        story.append(Event(structs.Exchanged(state.actor, "koku", KOKU_GIVEN, "favor")))


def _exchanger(state: State) -> Player:
    if state.phase not in EXCHANGE_PHASES:
        raise IllegalAction("nothing can be exchanged now")
    return state.players[state.actor]


def change_die(state: State, step: int, _b: int, story: Story) -> None:
    if state.phase != MAIN:
        raise IllegalAction("the die can only be changed before the action of the turn")
    player = state.players[state.turn]
    if player.favor < 1:
        raise IllegalAction("changing the die costs 1 favor, and you have none")
    player.favor -= 1
    player.die = (player.die - 1 + step) % 6 + 1
    if story is not None:
        story.append(Event(structs.DieChanged(state.turn, player.die)))
