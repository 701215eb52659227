"""Every possible action, created once. `legal` returns these objects and `apply` looks up their numbers."""

from typing import Any

from services.games.river_of_gold.components import CUSTOMERS, GOODS, GOODS_GIVEN, MOST_GOODS, PATRONS, SPACES, TILES
from teahouse.games.river_of_gold.v1 import structs

TAKE_PATRON = [structs.TakePatron(name) for name in PATRONS]
DIE_UP, DIE_DOWN = structs.ChangeDie(1), structs.ChangeDie(-1)
EXCHANGE_GOODS = [[structs.ExchangeGoods(give, get) for get in GOODS] for give in GOODS]
EXCHANGE_FAVOR = structs.ExchangeFavor()
BUILD = [[structs.Build(space, tile) for tile in TILES] for space in SPACES]
# Indexed by ship, then by shift 0, 1, -1 (so index -1 is the last).
SAIL = [[structs.Sail(ship, shift) for shift in (0, 1, -1)] for ship in (1, 2)]
DELIVER = [structs.Deliver(name) for name in CUSTOMERS]
TAKE_GOODS = [structs.TakeGood(name) for name in GOODS]
JOURNEY_FOR_KOKU = structs.TakeJourney("koku")
JOURNEY_FOR_GOOD = [structs.TakeJourney(name) for name in GOODS]
SELL_GOOD = [structs.Sell(name) for name in GOODS]
STOP_SELLING = structs.StopSelling()
PLACE_MARKER = [structs.PlaceMarker(name) for name in SPACES]
UPGRADE_SHIP = [structs.UpgradeShip(ship) for ship in (1, 2)]
DRAW = structs.Draw()
DISCARD_CARD = [structs.Discard(name) for name in CUSTOMERS]
LAPSE = structs.Lapse()
END_TURN = structs.EndTurn()
SET_DIE = [structs.SetDie(face) for face in range(1, 7)]
ROLL_DIE = structs.Roll()


def _numbers() -> dict[Any, tuple[int, int]]:
    table: dict[Any, tuple[int, int]] = {}
    for single in (DIE_UP, DIE_DOWN):
        table[single] = (single.step, 0)
    for alone in (EXCHANGE_FAVOR, JOURNEY_FOR_KOKU, STOP_SELLING, DRAW, LAPSE, END_TURN, ROLL_DIE):
        table[alone] = (-1, 0)
    rows: list[list[Any]] = [TAKE_PATRON, DELIVER, TAKE_GOODS, JOURNEY_FOR_GOOD, SELL_GOOD, PLACE_MARKER]
    rows += [UPGRADE_SHIP, DISCARD_CARD, SET_DIE]
    for row in rows:
        table |= {action: (index, 0) for index, action in enumerate(row)}
    for give, others in enumerate(EXCHANGE_GOODS):
        table |= {action: (give, get) for get, action in enumerate(others) if get != give}
    for space, builds in enumerate(BUILD):
        table |= {action: (space, tile) for tile, action in enumerate(builds)}
    for ship, shifts in enumerate(SAIL):
        table |= {action: (ship, action.shift) for action in shifts}
    return table


# The numbers that `apply` uses for each action. An action not listed here names a piece that does not exist.
NUMBERS = _numbers()


def _goods_exchanges(goods: tuple[int, int, int]) -> list[Any]:
    return [
        EXCHANGE_GOODS[give][get]
        for give in range(3)
        for get in range(3)
        if get != give and goods[give] >= GOODS_GIVEN and goods[get] < MOST_GOODS
    ]


_COUNTS = range(MOST_GOODS + 1)
# Legal exchanges of goods (RG-31), indexed by silk, rice and porcelain held.
GOODS_EXCHANGES: list[list[list[list[Any]]]] = [
    [[_goods_exchanges((silk, rice, porcelain)) for porcelain in _COUNTS] for rice in _COUNTS] for silk in _COUNTS
]
