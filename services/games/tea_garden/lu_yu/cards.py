"""Lu Yu's cards and figures, from lu-yu.json, as tables."""

from typing import Any

from msgspec import Struct

from services.games.tea_garden.components import PROVINCES, SIDES, box, compile_cost

DATA = box("lu-yu")


class Operation(Struct, frozen=True):
    """One thing he does: its name and its number (strength, amount or price)."""

    name: str
    number: int


class Back(Struct, frozen=True):
    """The indicators on the back of a card. Positions count from 0."""

    strength: int
    side: int
    regions: tuple[int, ...]
    cups: tuple[int, ...]
    caravan: int
    emperor: int
    halls: tuple[int, ...]
    market: tuple[int, ...]


def operation(data: dict[str, Any]) -> Operation:
    if "main" in data:
        return Operation(data["main"], data.get("strength", 0))
    [(name, value)] = data.items()
    if isinstance(value, dict):  # {"count": n} or a price
        [value] = value.values()
    return Operation(name, value if isinstance(value, int) else 0)


def back(data: dict[str, Any]) -> Back:
    return Back(
        data["strength"],
        SIDES.index(data["side_action"]),
        tuple(PROVINCES.index(name) for name in data["region_priority"]),
        tuple(PROVINCES.index(name) for name in data["cup_priority"]),
        data["caravan_position"] - 1,
        data["emperor_position"] - 1,
        tuple(hall - 1 for hall in data["hall_priority"]),
        tuple(position - 1 for position in data["market_order"]),
    )


_cards = DATA["cards"]
IDS: tuple[str, ...] = tuple(card["id"] for card in _cards)
TIERS = tuple(card["tier"] for card in _cards)
BACKS = tuple(back(card["back"]) for card in _cards)
FRONTS = tuple(
    tuple(tuple(operation(step[word]) for word in ("do", "else") if word in step) for step in card["front"])
    for card in _cards
)
_turn_spaces = DATA["turn_spaces"]["base"] + DATA["turn_spaces"]["pu_erh_extra"]
SPACE_COSTS = tuple(compile_cost(space["cost"]) for space in _turn_spaces)
MASTER_CARDS = {level: row["master_cards"] for level, row in DATA["difficulty"].items()}
ADVANCED_CARDS = DATA["deck"]["advanced_random"]
START_LEAVES = DATA["setup"]["start_leaves"]["count"]
START_TOKENS = DATA["setup"]["start_emperor_tokens"]
AS_PLAYERS = DATA["setup"]["as_player_count"]
HARVEST_LEAVES = DATA["upkeep"]["leaves_per_garden"]
CARAVAN_VP = DATA["scoring"]["caravan_vp"]
FRESH_PER_VP = DATA["scoring"]["fresh_leaves_per_vp"]
FERMENTED_VP = DATA["scoring"]["fermented_leaf_vp"]
EMPEROR_ROW_VP: tuple[int, ...] = tuple(DATA["scoring"]["emperor_row_vp"])
CAKE_VP = DATA["scoring"]["complete_cake_vp"]
INCOMPLETE_CAKE_VP = DATA["scoring"]["incomplete_cake_vp"]
