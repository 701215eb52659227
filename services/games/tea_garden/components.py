"""What is in the boxes, loaded once into tables of ints and tuples. All figures come from components.json and, for the
pieces that the expansion adds to those of the base game, pu-erh.json. The base game's pieces come first in each table.

A card, caravan, tile, token, region, province or University part is its index in the tables here; `*_IDS` names it.
"""

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

Cost = tuple[int, int, int]  # leaves in all, how many of them fermented, least quality


def box(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return found


BOX = box("components")
PU_ERH = box("pu-erh")
_setup, _board, _scoring = BOX["setup"], BOX["player_board"], BOX["scoring"]

BASKETS = len(_board["baskets"])
KINDS_OF_LEAF = 2 * BASKETS  # fresh 1 … 6, then fermented 1 … 6

COLOURS = ("green", "red", "blue", "any")
SCROLLS = ("strength", "teapot", "repeat")
STRENGTH_SCROLL, TEAPOT_SCROLL, REPEAT_SCROLL = range(3)
SIDES = ("any", "river", "cups", "research")
ANY_SIDE, RIVER, CUPS, RESEARCH = range(4)

# A reward is one int: kind + 32 · amount + 1024 · detail (quality of leaves, kind of side action).
REWARDS = (
    "vp",
    "leaves",
    "emperor_token",
    "scroll_strength",
    "scroll_teapot",
    "scroll_repeat",
    "harvest_each",
    "ferment",
    "cup_marker",
    "draw",
    "draw_discard",
    "remove_card",
    "side_action",
    "emperor_card",
    "scroll",
    "pu_erh_basic",
)
(
    VP,
    LEAVES,
    TOKEN,
    GAIN_STRENGTH,
    GAIN_TEAPOT,
    GAIN_REPEAT,
    HARVEST_EACH,
    FERMENT,
    MARKER,
    DRAW,
    DRAW_DISCARD,
    REMOVE,
    SIDE,
    EMPEROR_CARD,
    ANY_SCROLL,
    BASIC_TOKEN,
) = range(len(REWARDS))
AT_ONCE = HARVEST_EACH  # rewards up to this one leave the player nothing to decide
ONE_BY_ONE = ("cup_marker", "remove_card", "emperor_card", "pu_erh_basic")


def reward_code(kind: int, amount: int = 1, detail: int = 0) -> int:
    return kind | amount << 5 | detail << 10


def reward_parts(code: int) -> tuple[int, int, int]:
    return code & 31, code >> 5 & 31, code >> 10


def compile_reward(reward: list[dict[str, Any]]) -> tuple[int, ...]:
    """A reward of the data files as codes."""
    codes: list[int] = []
    for part in reward:
        [(name, value)] = part.items()
        if name == "leaves":
            codes.append(reward_code(LEAVES, value["count"], value["quality"]))
        elif name == "scroll":
            codes.append(reward_code(ANY_SCROLL if value == "any" else GAIN_STRENGTH + SCROLLS.index(value)))
        elif name == "side_action":
            codes.append(reward_code(SIDE, 1, SIDES.index(value)))
        elif name in ONE_BY_ONE:
            codes += [reward_code(REWARDS.index(name))] * value
        else:
            codes.append(reward_code(REWARDS.index(name), value))
    return tuple(codes)


def compile_cost(cost: dict[str, Any] | None) -> Cost | None:
    if not cost:
        return None
    brown = cost.get("brown", 0)
    return cost.get("green", 0) + brown, brown, cost.get("quality", 1)


def leaf_cost(cost: dict[str, Any]) -> Cost:
    """A cost of the data that asks for leaves."""
    compiled = compile_cost(cost)
    assert compiled is not None
    return compiled


# Cards: start cards first (every player has a copy of each), then action cards, then emperor cards.
_cards = BOX["start_deck"] + BOX["action_cards"] + BOX["emperor_cards"] + PU_ERH["emperor_cards"]
CARD_IDS: tuple[str, ...] = tuple(card["id"] for card in _cards)
CARD_NUMBERS = {name: number for number, name in enumerate(CARD_IDS)}
START_CARDS = range(len(BOX["start_deck"]))
ACTION_CARDS = range(len(START_CARDS), len(START_CARDS) + len(BOX["action_cards"]))
EMPEROR_CARDS = range(ACTION_CARDS.stop, len(_cards))
CARD_STRENGTH: tuple[int, ...] = tuple(card["strength"] for card in _cards)
CARD_SIDES = tuple(tuple(SIDES.index(side) for side in card["side"]) for card in _cards)
CARD_VP: tuple[int, ...] = tuple(card.get("vp", 0) for card in _cards)
CARD_LEVEL: tuple[int, ...] = tuple(card.get("level", 0) for card in _cards)
CARD_END: tuple[dict[str, Any] | None, ...] = tuple(card.get("end_game") for card in _cards)
CARD_COST = tuple(leaf_cost(card.get("cost", {"green": 0})) for card in _cards)
LEVELS = sorted({CARD_LEVEL[card] for card in ACTION_CARDS})
# The effects of a card as rewards; None stands for the sale of leaves, whose terms are in CARD_SALE.
CARD_EFFECTS = tuple(
    tuple(None if "sell_leaves" in effect else compile_reward([effect]) for effect in card["effects"])
    for card in _cards
)
CARD_SALE = tuple(
    next(
        (
            (sale["max"], sale["fresh_vp"], sale["fermented_vp"])
            for e in card["effects"]
            if (sale := e.get("sell_leaves"))
        ),
        (0, 0, 0),
    )
    for card in _cards
)


def count_teapots(colours: list[str]) -> tuple[int, int, int, int]:
    green, red, blue, wild = (colours.count(colour) for colour in COLOURS)
    return green, red, blue, wild


# Teapots are packed into one int, five bits for each colour, so that those of a round can be added.
def pack_teapots(counts: tuple[int, int, int, int]) -> int:
    return counts[0] | counts[1] << 5 | counts[2] << 10 | counts[3] << 15


def unpack_teapots(packed: int) -> tuple[int, int, int, int]:
    return packed & 31, packed >> 5 & 31, packed >> 10 & 31, packed >> 15


CARD_TEAPOTS = tuple(pack_teapots(count_teapots(card["teapots"])) for card in _cards)
CARD_NEEDS_TEAPOTS = tuple(pack_teapots(count_teapots(card.get("cost", {}).get("teapots", []))) for card in _cards)
COLUMNS: tuple[int, ...] = tuple(BOX["action_row"]["columns"])
[_by_leaves, _by_fermented] = (leaf_cost(way["cost"]) for way in _board["exchanges"]["teapot"])
TEAPOT_BY = {"leaves": _by_leaves, "fermented": _by_fermented}
[REPEAT_COST] = (leaf_cost(way["cost"]) for way in _board["exchanges"]["repeat_side_action"])
_turn_spaces = _board["turn_spaces"] + PU_ERH["player_extension"]["turn_spaces"]
SPACE_COSTS = tuple(compile_cost(space["cost"]) for space in _turn_spaces)

# Caravans.
_caravans = BOX["caravans"] + PU_ERH["caravans"]
CARAVAN_IDS: tuple[str, ...] = tuple(caravan["id"] for caravan in _caravans)
CARAVAN_NUMBERS = {name: number for number, name in enumerate(CARAVAN_IDS)}
CARAVAN_BASIC = tuple(caravan["tier"] == "basic" for caravan in _caravans)
CARAVAN_TRADES = tuple(
    tuple((leaf_cost(trade["cost"]), compile_reward(trade["reward"])) for trade in caravan["trade"])
    for caravan in _caravans
)
CARAVAN_STRENGTHS = tuple(
    tuple((option["min"], compile_reward(option["reward"])) for option in caravan["strength"]) for caravan in _caravans
)

# Cup tiles; the number after the last one is a tile nobody knows, used when looking ahead.
_tiles = BOX["cup_tiles"]
TILE_IDS: tuple[str, ...] = tuple(tile["id"] for tile in _tiles)
TILE_LEFT = (*(tile["left"] for tile in _tiles), "?")
TILE_RIGHT = (*(tile["right"] for tile in _tiles), "!")
TILE_BONUS = (*(compile_reward(tile["bonus"]) for tile in _tiles), ())
UNKNOWN_TILE = len(TILE_IDS)

# The map. Sets of regions and provinces are bit masks.
_regions = BOX["map"]["regions"]
PROVINCES: tuple[str, ...] = tuple(_setup["cup_stacks"])
REGION_IDS: tuple[int, ...] = tuple(region["id"] for region in _regions)
REGION_NUMBERS = {name: number for number, name in enumerate(REGION_IDS)}
REGION_VALUE: tuple[int, ...] = tuple(region["value"] for region in _regions)
REGION_PROVINCE = tuple(PROVINCES.index(region["province"]) for region in _regions)
REGION_SPACES: tuple[tuple[int, ...], ...] = tuple(tuple(region["spaces"]) for region in _regions)
REGION_HEX = tuple(region["bonus_hex"] for region in _regions)
START_REGION = REGION_NUMBERS[_setup["start_region"]]
NEIGHBOURS = tuple(tuple(REGION_NUMBERS[other] for other in region["neighbours"]) for region in _regions)


def mask(numbers: tuple[int, ...]) -> int:
    return sum(1 << number for number in numbers)


def members(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


ALL_REGIONS = (1 << len(_regions)) - 1
NEAR = tuple(mask(neighbours) for neighbours in NEIGHBOURS)


def _reach(region: int) -> int:
    """The regions at most as many borders away as a garden may be founded."""
    reached = 1 << region
    for _ in range(_board["max_borders"]):
        for one in members(reached):
            reached |= NEAR[one]
    return reached


FAR = tuple(_reach(region) for region in range(len(_regions)))
FAR_EXTRA: int = _board["far_garden_extra_strength"]
PAGODAS: tuple[int, ...] = tuple(sorted(_board["pagoda_strengths"]))
_tokens = BOX["region_tokens"] + PU_ERH["region_tokens"]
TOKEN_IDS: tuple[str, ...] = tuple(token["id"] for token in _tokens)
TOKEN_REWARD = tuple(compile_reward(token["reward"]) for token in _tokens)

# River, University, emperor track.
_segments = BOX["river"]["segments"]
RIVER_REWARD = tuple(compile_reward(segment["reward"]) for segment in _segments)
RIVER_VP: tuple[int, ...] = tuple(segment["vp"] or 0 for segment in _segments)
RIVER_END = len(_segments) - 1
END_SPOTS: tuple[int, ...] = tuple(sorted(_segments[RIVER_END]["end_spots"], reverse=True))
_sectors = BOX["university"]["sectors"]
SECTORS = len(_sectors)
PART_IDS: tuple[str, ...] = tuple(part["id"] for sector in _sectors for part in sector["parts"])
PART_REWARD = tuple(compile_reward(part["reward"]) for sector in _sectors for part in sector["parts"])
PART_VP: tuple[int, ...] = tuple(part["vp"] for sector in _sectors for part in sector["parts"])
SECTOR_PARTS = (
    (),
    *(tuple(PART_IDS.index(part["id"]) for part in sector["parts"]) for sector in _sectors),
)
CENTRE_VP: int = BOX["university"]["centre_worker_vp"]
_rows = BOX["emperor_track"]["rows"]
TOP_ROW = len(_rows) - 1
ROW_TOKENS: tuple[int, ...] = tuple((row["cost"] or {}).get("emperor_token", 0) for row in _rows)
ROW_COST = tuple(leaf_cost(row["cost"] or {"green": 0}) for row in _rows)
ROW_REWARD = tuple(compile_reward(row["reward"]) for row in _rows)
ROW_VP: tuple[int, ...] = tuple(row["end_vp"] for row in _rows)


class Box(Struct, frozen=True):
    """The pieces of these tables that a game is played with."""

    tokens: range
    caravans: range
    emperor_cards: range
    turn_spaces: int


BASE_BOX = Box(
    range(len(BOX["region_tokens"])),
    range(len(BOX["caravans"])),
    EMPEROR_CARDS[: len(BOX["emperor_cards"])],
    len(_board["turn_spaces"]),
)
WITH_PU_ERH = Box(range(len(_tokens)), range(len(_caravans)), EMPEROR_CARDS, len(_turn_spaces))

# Setup, upkeep, scoring.
ROUNDS: int = BOX["rounds"]
START_LEAVES = _setup["start_leaves"]
START_HAND: int = _setup["start_hand"]
DRAW_PER_ROUND: int = _setup["draw_per_round"]
ACTION_ROW = _setup["action_row_size"]
EMPEROR_ROW = _setup["emperor_row_size"]
CARAVAN_ROW = _setup["caravan_row_size"]
SUPPLY_WORKERS: int = BOX["supplies"]["workers_for_centre"]["count"]
HARVEST_LEAVES: int = BOX["harvest"]["upkeep_leaves_per_garden"]
EXTRA_HARVEST_LEAVES: int = BOX["harvest"]["extra_harvest_leaves_per_garden"]
CUP_LINK_CAP: int = _scoring["cup_link_cap"]
CUP_LINK_VP: tuple[int, ...] = tuple(_scoring["cup_link_vp"][str(links)] for links in range(CUP_LINK_CAP + 1))
SCROLL_VP: int = _scoring["unused_scroll_vp"]
TOKEN_VP: int = _scoring["unused_emperor_token_vp"]


def for_players(table: str, players: int) -> int:
    number: int = _setup[table][str(players)]
    return number
