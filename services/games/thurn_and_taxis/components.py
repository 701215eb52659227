"""The components as fast tables. Pieces are indices into components.json, sets of cities are bit masks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

BOX: Final[dict[str, Any]] = msgspec.json.decode((Path(__file__).parent / "components.json").read_bytes())


def mask(cities: Iterable[int]) -> int:
    found = 0
    for city in cities:
        found |= 1 << city
    return found


CITIES: Final[tuple[str, ...]] = tuple(city["id"] for city in BOX["cities"])
CITY: Final[dict[str, int]] = {name: index for index, name in enumerate(CITIES)}
COPIES: Final[int] = BOX["city_cards"]["copies_per_city"]
DISPLAY_SIZE: Final[int] = BOX["city_cards"]["display_size"]
GAP: Final = -1

_roads = [(CITY[a], CITY[b]) for a, b in BOX["roads"]]
# The neighbours of each city.
NEIGHBOURS: Final[tuple[int, ...]] = tuple(
    mask(b if a == city else a for a, b in _roads if city in (a, b)) for city in range(len(CITIES))
)

PROVINCES: Final[tuple[str, ...]] = tuple(province["id"] for province in BOX["provinces"])
PROVINCE_OF: Final[tuple[int, ...]] = tuple(PROVINCES.index(city["province"]) for city in BOX["cities"])
# The cities of each province.
PROVINCE_CITIES: Final[tuple[int, ...]] = tuple(
    mask(CITY[name] for name in province["cities"]) for province in BOX["provinces"]
)
BAIERN: Final[int] = PROVINCES.index("baiern")

_stacks: list[dict[str, Any]] = BOX["bonus_stacks"]
STACKS: Final[tuple[str, ...]] = tuple(stack["id"] for stack in _stacks)
# The values of each stack's tiles, top first.
STACK_VALUES: Final[tuple[tuple[int, ...], ...]] = tuple(tuple(stack["values_top_first"]) for stack in _stacks)
ALL_PROVINCES: Final[int] = STACKS.index("all_provinces")
GAME_END: Final[int] = STACKS.index("game_end")
# Each province stack with the cities it requires.
PROVINCE_STACKS: Final[tuple[tuple[int, int], ...]] = tuple(
    (index, mask(CITY[name] for name in stack["required_cities"]))
    for index, stack in enumerate(_stacks)
    if stack["kind"] == "province"
)
# The stack and value of each tile. The tiles of a stack are consecutive, top first.
TILES: Final[tuple[tuple[int, int], ...]] = tuple(
    (stack, value) for stack, values in enumerate(STACK_VALUES) for value in values
)
FIRST_TILE: Final[tuple[int, ...]] = tuple(
    sum(len(values) for values in STACK_VALUES[:stack]) for stack in range(len(STACKS))
)
STACK_KINDS: Final[tuple[str, ...]] = tuple(stack["kind"] for stack in _stacks)


def _length_stacks(length: int) -> tuple[int, ...]:
    """The stack for a length and those it falls through to, in order (TT-46, TT-47)."""
    numbers = sorted((stack["route_length"] for stack in _stacks if stack["kind"] == "length"), reverse=True)
    by_number = {stack["route_length"]: index for index, stack in enumerate(_stacks) if stack["kind"] == "length"}
    return tuple(by_number[number] for number in numbers if number <= length)


LENGTH_STACKS: Final[tuple[tuple[int, ...], ...]] = tuple(_length_stacks(length) for length in range(len(CITIES) + 1))

CARRIAGE_VALUES: Final[tuple[int, ...]] = tuple(carriage["value"] for carriage in BOX["carriages"])
CARRIAGE_COUNTS: Final[tuple[int, ...]] = tuple(carriage["count"] for carriage in BOX["carriages"])
FIRST_CARRIAGE: Final[int] = CARRIAGE_VALUES[0]
LAST_CARRIAGE: Final[int] = CARRIAGE_VALUES[-1]
# By value of the highest carriage; 0 = none.
CARRIAGE_POINTS: Final[dict[int, int]] = {0: 0} | {
    carriage["value"]: carriage["points"] for carriage in BOX["carriages"]
}
MOST_CARDS_SHORT: Final[int] = BOX["carriage_rules"]["cartwright_max_shortfall"]

HOUSES: Final[int] = BOX["houses"]["per_player"]
HAND_AFTER_CLOSING: Final[int] = BOX["hand"]["limit_after_closing_a_route"]
SHORTEST_ROUTE: Final[int] = BOX["route"]["min_cards_to_close"]
MIN_SEATS: Final[int] = BOX["players"]["min"]
MAX_SEATS: Final[int] = BOX["players"]["max"]
