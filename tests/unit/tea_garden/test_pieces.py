"""Every piece of the box is used once, and does what the data say."""

from typing import Any

import pytest

from services.games.tea_garden.components import (
    BASKETS,
    BOX,
    CARD_NUMBERS,
    PART_IDS,
    REGION_NUMBERS,
    TEAPOT_SCROLL,
    TOP_ROW,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.scoring import cup_points, river_points, university_points
from services.games.tea_garden.state import TURN_START
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    Tally,
    answer_all,
    at_start,
    cards,
    garden,
    in_turn,
    leaves,
    names,
    new_game,
    offer_caravan,
    offer_card,
    offer_emperor,
    offer_tile,
    options,
    own_cups,
    play,
    promised,
    question,
    refuse,
    rich_turn,
    tiles,
    token,
)

ALL_CARDS = BOX["start_deck"] + BOX["action_cards"] + BOX["emperor_cards"]


def by_id(items: list[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("piece", items, ids=[str(item.get("id", item.get("n"))) for item in items])


@by_id(ALL_CARDS)
def test_each_card_as_top_card_counts_strength_side_actions_teapots_and_effects(piece: dict[str, Any]) -> None:
    """TG-305, TG-309, TG-310, TG-413a."""
    s, p = rich_turn()
    s.question, s.laid = TURN_START, False
    p.hand = cards(piece["id"])
    play(s, do.LayTop(piece["id"]))
    assert question(s) == "open" and s.strength == piece["strength"]
    offered = {type(a) for a in GAME.legal(s)} & {do.Sail, do.MakeCup, do.Research}
    assert offered == {{"river": do.Sail, "cups": do.MakeCup, "research": do.Research}[side] for side in piece["side"]}
    visible = [p.teapots & 31, p.teapots >> 5 & 31, p.teapots >> 10 & 31, p.teapots >> 15]
    assert visible == [piece["teapots"].count(colour) for colour in ("green", "red", "blue", "any")]
    for number, effect in enumerate(piece["effects"], 1):
        if "sell_leaves" in effect:
            terms, before = effect["sell_leaves"], p.vp
            sales = [do.SellLeaf(1, False), do.SellLeaf(2, True), do.SellLeaf(6, False), do.SellLeaf(5, True)]
            play(s, *sales, do.SellLeaf(1, False), do.SellLeaf(1, True))
            assert p.vp - before == 3 * terms["fresh_vp"] + 3 * terms["fermented_vp"] and terms["max"] == 6
            assert not options(s, do.SellLeaf)
        else:
            before_effect = Tally(s)
            play(s, do.UseEffect(number))
            answer_all(s)
            assert before_effect.gained(s) == promised([effect])
            refuse(s, do.UseEffect(number))


@by_id(BOX["action_cards"])
def test_each_action_card_is_bought_for_its_price(piece: dict[str, Any]) -> None:
    """TG-411, TG-412, TG-413b: leaves of the printed quality, teapots by scrolls."""
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={piece["cost"]["quality"]: piece["cost"]["green"]}))
    offer_card(s, piece["id"], 2)
    teapots = len(piece["cost"]["teapots"])
    p.scrolls[TEAPOT_SCROLL] = teapots - 1
    refuse(s, do.Buy(piece["id"]))
    p.scrolls[TEAPOT_SCROLL] = teapots
    play(s, do.Buy(piece["id"]))
    assert names(p.hand) == [piece["id"]]
    assert not any(p.leaves) and not any(p.scrolls)
    account_row(s)


@by_id(BOX["action_cards"])
def test_each_action_card_needs_leaves_of_its_quality(piece: dict[str, Any]) -> None:
    """TG-412, TG-753."""
    quality = piece["cost"]["quality"]
    s, p = in_turn(
        "S07", strength=1, leaves=leaves(fresh={quality - 1: 9}, fermented={quality: piece["cost"]["green"] - 1})
    )
    p.scrolls[TEAPOT_SCROLL] = 9
    offer_card(s, piece["id"], 1)
    refuse(s, do.Buy(piece["id"]))
    p.leaves[BASKETS + quality - 1] += 1
    assert do.Buy(piece["id"]) in GAME.legal(s)


def account_row(s: Any) -> None:
    assert len(s.action_row) == 6 and len(set(s.action_row)) == 6


@by_id(BOX["emperor_cards"])
def test_each_emperor_card_is_taken_from_the_display(piece: dict[str, Any]) -> None:
    """TG-602."""
    s, p = in_turn("S07", leaves=leaves(fresh={1: 1}), tokens=2)
    offer_emperor(s, piece["id"], 2)
    play(s, do.StepEmperor(), do.Resolve("emperor_card", 1))
    assert len(options(s, do.TakeEmperorCard)) == 3
    play(s, do.TakeEmperorCard(piece["id"]))
    assert piece["id"] in names(p.hand) and CARD_NUMBERS[piece["id"]] not in s.emperor_row
    assert min(s.emperor_row) >= 0


@pytest.mark.parametrize("trade", [1, 2])
@pytest.mark.parametrize("strength", [1, 2])
@by_id(BOX["caravans"])
def test_each_caravan_pays_each_pair_of_options(piece: dict[str, Any], trade: int, strength: int) -> None:
    """TG-421, TG-422."""
    terms, least = piece["trade"][trade - 1], piece["strength"][strength - 1]
    s, p = rich_turn(strength=least["min"] - 1)
    offer_caravan(s, piece["id"])
    refuse(s, do.SellTea(piece["id"], trade, strength))
    s.strength += 1
    before, had = Tally(s), sum(p.leaves)
    play(s, do.SellTea(piece["id"], trade, strength))
    paid = 0
    while question(s) == "pay":
        play(s, GAME.legal(s)[0])
    paid = had - sum(p.leaves) + sum(n["leaves"]["count"] for n in terms["reward"] + least["reward"] if "leaves" in n)
    assert paid == terms["cost"].get("green", 0) + terms["cost"].get("brown", 0)
    answer_all(s)
    gained = {what: count for what, count in before.gained(s).items() if not what.startswith("q")}
    expected = promised(terms["reward"], least["reward"])
    fermented = expected.pop("fermented", 0) - terms["cost"].get("brown", 0)
    assert gained.pop("fermented", 0) <= fermented
    assert gained == {what: count for what, count in expected.items() if not what.startswith("q")}


@by_id(BOX["cup_tiles"])
def test_each_cup_tile_is_taken_placed_and_used(piece: dict[str, Any]) -> None:
    """TG-511, TG-512, TG-513, TG-603."""
    s, p = rich_turn("S02")
    p.cups, p.markers = [], []
    s.box_tiles = s.box_tiles + tiles("T01", "T02")
    partner = "T01" if piece["id"] != "T01" else "T02"
    own_cups(s, p, partner)
    offer_tile(s, piece["id"], 0)
    play(s, do.MakeCup("yellow"), do.PlaceCup(1, "right"))
    answer_all(s)
    assert p.cups == [tiles(partner, piece["id"])] and p.markers == [[1]]
    matched = piece["left"] == "blue"
    assert cup_points(p) == (1 if matched else 0)
    before = Tally(s)
    play(s, do.UseMarker(1, 1, piece["id"]))
    answer_all(s)
    assert before.gained(s) == promised(piece["bonus"], [{"cup_marker": -1}])


@by_id(BOX["region_tokens"])
def test_each_region_token_rewards_the_founder(piece: dict[str, Any]) -> None:
    """TG-403: the token stays and pays every founder."""
    s, _ = rich_turn()
    token(s, 7, piece["id"])
    before = Tally(s)
    play(s, do.Found(7))
    answer_all(s)
    assert before.gained(s) == promised(piece["reward"])
    assert BOX["region_tokens"][s.tokens[REGION_NUMBERS[7]]]["id"] == piece["id"]


@by_id(BOX["river"]["segments"][1:])
def test_each_river_segment_gives_its_reward_and_its_points_at_the_end(piece: dict[str, Any]) -> None:
    """TG-501, TG-503, TG-913."""
    s, p = rich_turn("S01")
    p.boat = piece["n"] - 1
    before = Tally(s)
    play(s, do.Sail())
    answer_all(s)
    assert before.gained(s) == promised(piece["reward"], [{"boat": 1}])
    assert river_points(p) == (piece["vp"] if piece["vp"] is not None else max(piece["end_spots"]))


@pytest.mark.parametrize("part", PART_IDS)
def test_each_part_of_the_university_gives_its_reward(part: str) -> None:
    """TG-521, TG-914."""
    data = next(one for sector in BOX["university"]["sectors"] for one in sector["parts"] if one["id"] == part)
    s, p = rich_turn("S03")
    p.sector = int(part[0]) - 1
    before = Tally(s)
    play(s, do.Research(part))
    answer_all(s)
    assert before.gained(s) == promised(data["reward"])
    assert university_points(p) == data["vp"]


@pytest.mark.parametrize("row", range(1, TOP_ROW + 1))
def test_each_row_of_the_emperor_track_has_its_price_and_reward(row: int) -> None:
    """TG-601."""
    data = BOX["emperor_track"]["rows"][row]
    quality = data["cost"]["quality"]
    s, p = rich_turn()
    p.leaves = leaves(fresh={1: 4, quality: 4 + (quality == 1)})
    p.tokens = data["cost"]["emperor_token"] - 1
    p.row = row - 1
    refuse(s, do.StepEmperor())
    p.tokens += 1
    before = Tally(s)
    play(s, do.StepEmperor())
    if question(s) == "pay":
        play(s, do.Pay(quality, False))
    answer_all(s)
    price = [{"emperor_token": -data["cost"]["emperor_token"]}, {f"q{quality}": -1}]
    assert before.gained(s) == promised(data["reward"], price)
    assert p.row == row


def test_the_map_is_symmetric_and_complete() -> None:
    """TG-102, TG-104: regions, provinces and borders of the data agree with each other."""
    regions = {region["id"]: region for region in BOX["map"]["regions"]}
    borders = {frozenset(border[:2]) for border in BOX["map"]["borders"]}
    assert borders == {frozenset((one, two)) for one in regions for two in regions[one]["neighbours"]}
    provinces = [region["province"] for region in regions.values()]
    assert [provinces.count(name) for name in ("yellow", "green", "blue", "orange", "red")] == [1, 4, 4, 3, 4]


def test_every_region_can_be_founded_in() -> None:
    """TG-401, TG-403: the chosen space's points are scored at once."""
    for region in BOX["map"]["regions"][1:]:
        s, _ = rich_turn()
        for neighbour in region["neighbours"][:1]:
            if neighbour != 1:
                garden(s, 0, neighbour)
        token(s, region["id"], "B01")
        before = Tally(s)
        play(s, do.Found(region["id"]))
        answer_all(s)
        points = region["spaces"][0]
        assert before.gained(s) == promised([{"emperor_token": 1}, {"vp": points}])


def test_the_positions_of_these_tests_have_all_pieces() -> None:
    s, p = at_start(("S01", "S02"), stacks=2)
    account(s)
    offer_card(s, "A509", 3)
    offer_caravan(s, "C30")
    offer_emperor(s, "E16")
    offer_tile(s, "T40", 2)
    token(s, 5, "B18")
    own_cups(s, p, "T03", "T04")
    garden(s, 0, 2)
    account(s)
    account(new_game(4))
