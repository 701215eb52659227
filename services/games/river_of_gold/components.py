"""The components, loaded once from components.json into tables of ints and tuples.

Pieces are indices here: shore spaces 0-29, regions 0-5, river spaces 1-14 (as printed), a building tile by the index of
its design, a customer as `type * 6 + region`. The string ids appear only in actions, events and views.
"""

import json
from pathlib import Path
from typing import Any

BOX: dict[str, Any] = json.loads((Path(__file__).parent / "components.json").read_text(encoding="utf-8"))

# An atom of a reward: (what, how many, of which). See `atom`.
Atom = tuple[int, int, int]
Reward = tuple[Atom, ...]

KOKU, VP, FAVOR, FAVOR_LIMIT, INFLUENCE, GOOD, CHOICE, KOKU_PER, VP_PER, INFLUENCE_WHERE_BUILT = range(10)

# Choices that wait for their player (RG-79). Each is an index into `Player.pending`.
CHOICES = ("good", "journey", "sell", "marker_own", "marker_opponent", "upgrade_ship", "draw_discard", "refill")
TAKE_GOOD, JOURNEY, SELL, MARKER_OWN, MARKER_OPPONENT, UPGRADE, DRAW_DISCARD, REFILL = range(8)
NO_CHOICES = (0,) * len(CHOICES)

GOODS: tuple[str, ...] = tuple(BOX["enums"]["goods"])
REGIONS = len(BOX["regions"])
BUILDING_TYPES: tuple[str, ...] = tuple(BOX["enums"]["building_types"])
CUSTOMER_TYPES: tuple[str, ...] = tuple(BOX["enums"]["customer_types"])
CLANS: tuple[str, ...] = tuple(BOX["enums"]["clans"])
ARTISAN, ELDER, MERCHANT, MONK, NOBLE = range(len(CUSTOMER_TYPES))

MOST_KOKU: int = BOX["limits"]["koku"]
MOST_GOODS: int = BOX["limits"]["goods_per_type"]
MOST_FAVOR: int = BOX["limits"]["favor_limit_max"]
TRACK_END: int = BOX["limits"]["influence"]
RIVER: int = BOX["limits"]["river_spaces"]
ROW: int = BOX["limits"]["row_slots"]

# What a "1 per …" counts; rewards.COUNTS does the counting. Building counts the trader's river spaces itself.
PER: tuple[str, ...] = tuple(name for name in BOX["vocabulary"]["per_values"] if name != "adjacent_river_space")

GOODS_GIVEN: int = BOX["exchanges"][0]["give"]["same_good"]
KOKU_GIVEN: int = BOX["exchanges"][1]["give"]["koku"]
JOURNEY_KOKU: int = BOX["journey_end"]["reward"][0]["koku"]
SALE_KOKU: int = next(
    part["sell_goods"]
    for card in BOX["customers"]
    for part in (card["ongoing"] or {}).get("reward", [])
    if "sell_goods" in part
)


def atom(entry: dict[str, Any]) -> Reward:
    """Turns one entry of a reward list into atoms. "vocabulary" in components.json explains the entries."""
    if "per" in entry:
        kind = "koku" if "koku" in entry else "vp"
        return ((KOKU_PER if kind == "koku" else VP_PER, entry[kind], PER.index(entry["per"])),)
    if entry.get("scope") == "each_region_with_own_building":
        return ((INFLUENCE_WHERE_BUILT, entry["influence"], 0),)
    if "good" in entry:
        return ((GOOD, entry.get("n", 1), GOODS.index(entry["good"])),)
    if "choice" in entry:
        return ((CHOICE, 1, TAKE_GOOD if entry["choice"] == "good" else JOURNEY),)
    if "second_marker" in entry:
        return ((CHOICE, 1, MARKER_OWN if entry["second_marker"] == "own" else MARKER_OPPONENT),)
    for name, choice in (("draw_discard", DRAW_DISCARD), ("sell_goods", SELL), ("upgrade_ship", UPGRADE)):
        if name in entry:
            return ((CHOICE, 1, choice),)
    for name, what in (
        ("koku", KOKU),
        ("vp", VP),
        ("favor", FAVOR),
        ("favor_limit", FAVOR_LIMIT),
        ("influence", INFLUENCE),
    ):
        if name in entry:
            return ((what, entry[name], 0),)
    # Markers on artisan, elder and merchant spaces follow from the delivered customers.
    assert "place_marker" in entry, entry
    return ()


def reward(entries: list[dict[str, Any]]) -> Reward:
    return tuple(one for entry in entries for one in atom(entry))


# --- the shore and the river ---------------------------------------------------------------------------------------

SPACES: tuple[str, ...] = tuple(space["id"] for space in BOX["shore_spaces"])
SPACE = {name: index for index, name in enumerate(SPACES)}
SPACE_REGION: tuple[int, ...] = tuple(space["region"] - 1 for space in BOX["shore_spaces"])
COST: tuple[int, ...] = tuple(space["cost"] or 0 for space in BOX["shore_spaces"])
REGION_SPACES = tuple(tuple(s for s, r in enumerate(SPACE_REGION) if r == region) for region in range(REGIONS))
EMPTY_KOKU: int = BOX["shore_spaces"][0]["empty_visitor_reward"][0]["koku"]

RIVER_NAMES: tuple[str, ...] = ("", *(space["id"] for space in BOX["river_spaces"]))
VISITED: tuple[tuple[int, ...], ...] = (
    (),
    *(tuple(sorted(SPACE[name] for name in space["adjacent_shore"])) for space in BOX["river_spaces"]),
)
RIVER_REGIONS: tuple[tuple[int, ...], ...] = (
    (),
    *(tuple(region - 1 for region in space["regions"]) for space in BOX["river_spaces"]),
)
ADJACENT_RIVER: tuple[int, ...] = tuple(len(space["adjacent_river"]) for space in BOX["shore_spaces"])
SHIP_STARTS: tuple[int, ...] = tuple(RIVER_NAMES.index(ship["start"]) for ship in BOX["setup"]["ships"])

TRACKS: tuple[tuple[Reward, ...], ...] = tuple(
    tuple(reward(step["reward"]) for step in region["influence_track"]) for region in BOX["regions"]
)
# The reward for moving from a to b: TRACK_REWARD[region][a][b] (RG-70).
TRACK_REWARD: tuple[tuple[tuple[Reward, ...], ...], ...] = tuple(
    tuple(
        tuple(tuple(one for step in track[a + 1 : b + 1] for one in step) for b in range(TRACK_END + 1))
        for a in range(TRACK_END + 1)
    )
    for track in TRACKS
)

# --- building tiles ------------------------------------------------------------------------------------------------

TILES: tuple[str, ...] = tuple(tile["id"] for tile in BOX["building_tiles"])
TILE = {name: index for index, name in enumerate(TILES)}
TILE_TYPE: tuple[int, ...] = tuple(BUILDING_TYPES.index(tile["type"]) for tile in BOX["building_tiles"])
TILE_INFLUENCE: tuple[int, ...] = tuple(tile["build_influence"] or 0 for tile in BOX["building_tiles"])
VISITOR: tuple[Reward, ...] = tuple(reward(tile["visitor"]) for tile in BOX["building_tiles"])
OWNER: tuple[Reward, ...] = tuple(reward(tile["owner"]) for tile in BOX["building_tiles"])
MARKET = BUILDING_TYPES.index("market")
# The visitor reward of the royal ship with noble_1, which chooses the goods of markets (RG-48).
VISITOR_ANY_GOOD: tuple[Reward, ...] = tuple(
    tuple((CHOICE, n, TAKE_GOOD) if what == GOOD and kind == MARKET else (what, n, of) for what, n, of in atoms)
    for kind, atoms in zip(TILE_TYPE, VISITOR, strict=True)
)
SLOT_FAVOR: int = BOX["building_row"]["end_slot_bonus_when_built"][0]["favor"]


def _group(group: str) -> tuple[int, ...]:
    return tuple(
        TILE[tile["id"]] for tile in BOX["building_tiles"] if tile["group"] == group for _ in range(tile["copies"])
    )


STARTING_TILES = _group("starting")
IMPERIAL_MARKETS = _group("imperial_market")
ERA_TILES = (_group("era1"), _group("era2"))
IMPERIAL_SPACES: tuple[int, ...] = tuple(SPACE[name] for name in BOX["setup"]["imperial_market_spaces"])

# --- customers -----------------------------------------------------------------------------------------------------

_CUSTOMERS = sorted(BOX["customers"], key=lambda card: (CUSTOMER_TYPES.index(card["type"]), card["region"]))
CUSTOMERS: tuple[str, ...] = tuple(card["id"] for card in _CUSTOMERS)
CUSTOMER = {name: index for index, name in enumerate(CUSTOMERS)}
ORDER: tuple[tuple[int, int, int], ...] = tuple(
    (card["order"]["silk"], card["order"]["rice"], card["order"]["porcelain"]) for card in _CUSTOMERS
)
DELIVERY: tuple[Reward, ...] = tuple(reward(card["delivery"]) for card in _CUSTOMERS)
# Only the first noble brings the royal ship (RG-63).
DELIVERY_WITHOUT_SHIP = tuple(tuple(one for one in atoms if one != (CHOICE, 1, UPGRADE)) for atoms in DELIVERY)
# The journey-end rewards of the merchants, by region (RG-60).
MERCHANT_REWARD: tuple[Reward, ...] = tuple(
    reward(card["ongoing"]["reward"]) for card in _CUSTOMERS if card["type"] == "merchant"
)
# The royal ship's reward with each noble, by region; () where the ability is not a reward (RG-61).
NOBLE_REWARD: tuple[Reward, ...] = tuple(
    reward(card["ongoing"].get("reward", [])) for card in _CUSTOMERS if card["type"] == "noble"
)
# The customers of a region as bits.
REGION_CARDS = tuple(
    sum(1 << kind * REGIONS + region for kind in range(len(CUSTOMER_TYPES))) for region in range(REGIONS)
)


def _end_scoring(card: dict[str, Any]) -> tuple[int, int, int] | None:
    """What a delivered card scores at the end, as (VP, what it counts, step)."""
    for part in card["end_of_game"]:
        if "per" in part:
            return part["vp"], PER.index(part["per"]), part.get("step", 1)
    return None


END_SCORING = tuple(map(_end_scoring, _CUSTOMERS))
DISCOUNT: int = BOX["customers"][0]["ongoing"]["effect"]["cost_reduction"]
ELDER_FACTOR: int = next(
    part["multiply_region_scoring"]
    for card in BOX["customers"]
    for part in card["end_of_game"]
    if "multiply_region_scoring" in part
)
CUSTOMER_VP: tuple[int, ...] = tuple(
    BOX["scoring"]["delivered_customers_vp"][str(n)]
    for n in range(BOX["scoring"]["delivered_customers_table_caps_at"] + 1)
)

# --- scoring tiles, masteries, patrons -----------------------------------------------------------------------------

SCORING_TILES: tuple[str, ...] = tuple(tile["id"] for tile in BOX["region_scoring_tiles"])
MASTERIES: tuple[str, ...] = tuple(card["id"] for card in BOX["mastery_cards"])
MASTERIES_IN_PLAY: int = BOX["setup"]["mastery_cards_in_play"]


def _side(seats: int) -> str:
    side: str = BOX["setup"]["by_player_count"][str(seats)]["tile_side"]
    return side


# Indexed by number of seats, then by tile or card (RG-13).
PLACES: dict[int, tuple[tuple[int, ...], ...]] = {
    n: tuple(tuple(tile["sides"][_side(n)]["places"]) for tile in BOX["region_scoring_tiles"]) for n in (2, 3, 4)
}
MASTERY_SLOTS: dict[int, tuple[tuple[int, ...], ...]] = {
    n: tuple(tuple(card["sides"][_side(n)]["vp_slots"]) for card in BOX["mastery_cards"]) for n in (2, 3, 4)
}
MASTERY_NEEDS: tuple[tuple[str, int], ...] = tuple(
    (card["requirement"]["kind"], card["requirement"]["at_least"]) for card in BOX["mastery_cards"]
)
SECOND_PLACE_GAP: int = BOX["scoring"]["two_player_second_place_max_gap"]
END_VP: int = BOX["scoring"]["end_trigger_vp"]

PATRONS: tuple[str, ...] = tuple(card["id"] for card in BOX["clan_patrons"])
PATRON = {name: index for index, name in enumerate(PATRONS)}
PATRON_CLAN: tuple[int, ...] = tuple(CLANS.index(card["clan"]) for card in BOX["clan_patrons"])
CLAN_PATRONS = tuple(tuple(p for p, c in enumerate(PATRON_CLAN) if c == clan) for clan in range(len(CLANS)))
NO_PATRON = -1
ENGINEER = PATRON["patron_crab_engineer"]
TRADER = PATRON["patron_crab_trader"]
STORMS = PATRON["patron_mantis_storms"]
PRIESTESS = PATRON["patron_mantis_priestess"]
IRON = PATRON["patron_crane_iron"]
DARLING = PATRON["patron_crane_darling"]
GOVERNOR = PATRON["patron_scorpion_governor"]
LADY = PATRON["patron_scorpion_lady"]


def _patron_effect(patron: int, trigger: str) -> dict[str, Any]:
    effects = BOX["clan_patrons"][patron]["effects"]
    found: dict[str, Any] = next(effect for effect in effects if effect["trigger"] == trigger)
    return found


ENGINEER_KOKU: int = _patron_effect(ENGINEER, "setup")["reward"][0]["koku"]
TRADER_VP: int = _patron_effect(TRADER, "build")["reward"][0]["vp"]
STORMS_HAND: int = _patron_effect(STORMS, "setup")["effect"]["starting_hand"]
PRIESTESS_VP: int = _patron_effect(PRIESTESS, "deliver")["reward"][0]["vp"]
IRON_VP: int = _patron_effect(IRON, "sail")["reward"][0]["vp"]
GOVERNOR_VP: int = _patron_effect(GOVERNOR, "passed_on_influence_track")["reward"][0]["vp"]

# --- setup ---------------------------------------------------------------------------------------------------------

SETUP: dict[str, Any] = BOX["setup"]
STARTING_SPACES: dict[int, tuple[int, ...]] = {
    n: tuple(SPACE[name] for name in SETUP["by_player_count"][str(n)]["starting_spaces"]) for n in (2, 3, 4)
}
ERA_COUNTS: dict[int, tuple[int, int]] = {
    n: (SETUP["by_player_count"][str(n)]["era1_tiles"], SETUP["by_player_count"][str(n)]["era2_tiles"])
    for n in (2, 3, 4)
}
