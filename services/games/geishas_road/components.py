"""The components, loaded once into tables of integers: cards, colours, markers and lanterns are indices.

A lantern and the face that is up are one number, `2 · lantern + dark`, so turning it over flips the last bit.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

BOX: dict[str, Any] = json.loads(Path(__file__).with_name("components.json").read_text(encoding="utf-8"))

COLOURS: tuple[str, ...] = tuple(BOX["colours"])
COLOUR: dict[str, int] = {colour: index for index, colour in enumerate(COLOURS)}
FIVE = range(len(COLOURS))

CARDS: tuple[str, ...] = tuple(card["id"] for card in BOX["gift_cards"])
CARD: dict[str, int] = {card: index for index, card in enumerate(CARDS)}
CARD_COLOUR: tuple[int, ...] = tuple(COLOUR[card["colour"]] for card in BOX["gift_cards"])
CARD_VALUE: tuple[int, ...] = tuple(card["value"] for card in BOX["gift_cards"])
CARD_SYMBOLS: tuple[int, ...] = tuple(card["guest_symbols"] for card in BOX["gift_cards"])
HAND: int = BOX["round"]["initial_hand"]
TURNS: int = 2 * BOX["round"]["turns_per_player"]
ROUNDS: int = BOX["round"]["max_rounds"]

MARKERS: tuple[str, ...] = tuple(kind["id"] for kind in BOX["action_markers"]["kinds"])
MARKER: dict[str, int] = {marker: index for index, marker in enumerate(MARKERS)}
MARKER_CARDS: tuple[int, ...] = tuple(kind["cards_from_hand"] for kind in BOX["action_markers"]["kinds"])
REVEAL, INTRIGUE, COMPROMISE, DOUBLE_GIFT = (
    MARKER[name] for name in ("reveal", "intrigue", "compromise", "double_gift")
)
ALL_MARKERS = (1 << len(MARKERS)) - 1

# Bits of the special markers in a seat's mask of used special markers.
SPECIALS: tuple[str, ...] = tuple(kind["id"] for kind in BOX["special_action_markers"]["kinds"])
COUNTER_OFFER, HIDDEN_OFFER = (1 << SPECIALS.index(name) for name in ("counter_offer", "hidden_offer"))
SPECIAL_POINTS: int = BOX["special_action_markers"]["points_if_unused_at_round_end"]
# How many special markers are unused, by the mask of used ones.
SPECIALS_UNUSED: tuple[int, ...] = tuple(len(SPECIALS) - used.bit_count() for used in range(1 << len(SPECIALS)))

LANTERNS: tuple[str, ...] = tuple(lantern["id"] for lantern in BOX["lanterns"])
FACE_POINTS: tuple[int, ...] = tuple(
    points for lantern in BOX["lanterns"] for points in (lantern["light"], lantern["dark"])
)
UPPER_ROW: int = BOX["lantern_rules"]["upper_row"]
DESTINY_ROW: int = BOX["variants"]["geisha_destiny"]["lanterns"]["drawn_at_random"]
DESTINY_DARK: int = BOX["variants"]["geisha_destiny"]["lanterns"]["turned_dark_at_random"]

# Points of a tile, by round. All tiles have the same (GR-7), but the data lists each.
TILE_POINTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(tile[f"points_round_{number}"] for tile in BOX["geisha_tiles"]) for number in range(1, ROUNDS + 1)
)
GUESTS_PER_TEAHOUSE: tuple[int, ...] = tuple(
    sum(guest["colour"] == colour for guest in BOX["guest_tokens"]) for colour in COLOURS
)
FOUR_GEISHAS: int = BOX["victory"]["instant_win_geishas"]

BASIC, HARDER, ADVANCED = range(3)
MODES: tuple[str, ...] = ("basic", "harder", "advanced")


def _guest_points() -> dict[tuple[int, ...], int]:
    """GR-68: the best division into sets, for every possible number of guests per colour."""
    same = {row["size"]: row["points"] for row in BOX["guest_scoring"]["same_colour"]}
    different = {row["size"]: row["points"] for row in BOX["guest_scoring"]["different_colours"]}
    single: int = BOX["guest_scoring"]["points_for_unused_token"]

    @cache
    def best(counts: tuple[int, ...]) -> int:
        """`counts` in descending order; the colours do not matter."""
        most = single * sum(counts)
        for size, points in same.items():
            for index, count in enumerate(counts):
                if count >= size:
                    most = max(most, points + best(_without(counts, {index}, size)))
        for size, points in different.items():
            for chosen in _subsets(len(counts), size):
                if all(counts[index] for index in chosen):
                    most = max(most, points + best(_without(counts, chosen, 1)))
        return most

    table: dict[tuple[int, ...], int] = {}
    for number in range(4 ** len(COLOURS)):
        counts = tuple(number >> 2 * colour & 3 for colour in FIVE)
        if all(count <= limit for count, limit in zip(counts, GUESTS_PER_TEAHOUSE, strict=True)):
            table[counts] = best(tuple(sorted(counts, reverse=True)))
    return table


def _without(counts: tuple[int, ...], chosen: set[int], tokens: int) -> tuple[int, ...]:
    left = (count - tokens if index in chosen else count for index, count in enumerate(counts))
    return tuple(sorted(left, reverse=True))


def _subsets(n: int, size: int) -> list[set[int]]:
    sets = ({index for index in range(n) if mask >> index & 1} for mask in range(1 << n))
    return [chosen for chosen in sets if len(chosen) == size]


GUEST_POINTS = _guest_points()
