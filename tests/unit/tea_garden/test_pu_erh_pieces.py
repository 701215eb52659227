"""Every piece of the Pu-erh expansion is used once, and does what the data say."""

from typing import Any

import pytest

from services.games.tea_garden.components import PU_ERH, REGION_NUMBERS, TOKEN_IDS
from services.games.tea_garden.game import GAME
from services.games.tea_garden.pu_erh.components import PU_ERH_NUMBERS
from services.games.tea_garden.pu_erh.decrees import decree_points, newly_met, progress
from services.games.tea_garden.scoring import cake_points
from services.games.tea_garden.state import TURN_START, Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    Tally,
    answer_all,
    cards,
    garden,
    leaves,
    names,
    offer_caravan,
    offer_emperor,
    offer_tile,
    offer_token,
    open_hall,
    options,
    own_cups,
    own_set,
    play,
    proclaim,
    promised,
    question,
    refuse,
    rich_turn,
    token,
)
from tests.unit.tea_garden.test_pieces import by_id

ALL_TOKENS = PU_ERH["pu_erh_basic"] + PU_ERH["pu_erh_premium"]


def quiet_court(top: str = "S07", strength: int = 9) -> tuple[State, Player]:
    """A rich turn in which no decree is near, and basic tokens that give a leaf of quality 1 are on offer."""
    s, p = rich_turn(top, strength, pu_erh=True)
    proclaim(s, ("D1", "red"), ("D2", "red"))
    for position, name in enumerate(("PB01", "PB02", "PB03"), 1):
        offer_token(s, name, position)
    return s, p


def with_token(reward: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The reward, and the bonus of the basic token that it brings."""
    basic = [{"leaves": {"quality": 1, "count": 1}} for part in reward if "pu_erh_basic" in part]
    return reward + basic


def test_the_box_is_complete() -> None:
    box = PU_ERH["box"]
    assert len(PU_ERH["hall_tiles"]) == box["hall_tiles"] and len(PU_ERH["decrees"]) == box["decrees"]
    assert len(PU_ERH["pu_erh_basic"]) == box["pu_erh_basic"] and len(PU_ERH["pu_erh_premium"]) == box["pu_erh_premium"]
    assert len(PU_ERH["caravans"]) == box["caravan_cards"]
    assert len(PU_ERH["region_tokens"]) == box["region_tokens"]


@by_id(PU_ERH["hall_tiles"])
def test_each_hall_gives_its_reward(piece: dict[str, Any]) -> None:
    """PE-201."""
    s, p = quiet_court(strength=4)
    open_hall(s, piece["id"], 2)
    side = next((part["side_action"] for part in piece["reward"] if "side_action" in part), "")
    before = Tally(s)
    refuse(s, do.VisitCourt(piece["id"], 6))
    play(s, do.VisitCourt(piece["id"], 4))
    if side in ("cups", "research"):
        play(s, do.MakeCup("yellow") if side == "cups" else do.Research("1a"))
        answer_all(s)
        gained = before.gained(s)
        assert gained.get("cup_marker", 0) == 0 and (len(p.cups) == 2 or p.sector == 1)
        assert gained["q3"] == 1
        return
    answer_all(s)
    gained = before.gained(s)
    expected = promised(with_token([part for part in piece["reward"] if "harvest_each" not in part]))
    if "harvest_each" in piece["reward"][0]:
        expected = {"q2": 1}  # the start garden
    assert gained == expected
    assert p.messengers == 1 and s.court.spaces[1] == [-1, 0, -1, -1, -1]


@by_id(PU_ERH["pu_erh_basic"])
def test_each_basic_token_is_taken_and_gives_its_bonus(piece: dict[str, Any]) -> None:
    """PE-212, PE-213."""
    s, p = quiet_court()
    token(s, 7, "B20")
    offer_token(s, piece["id"], 3)
    before = Tally(s)
    play(s, do.Found(7))
    while question(s) != "pu_erh_basic":
        play(s, GAME.legal(s)[0])
    play(s, do.TakePuErh(piece["id"]))
    answer_all(s)
    assert before.gained(s) == promised(piece["bonus"], [{"pu_erh_basic": 1}])
    assert p.sets == [[PU_ERH_NUMBERS[piece["id"]]]]


@by_id(PU_ERH["pu_erh_premium"])
def test_each_premium_token_is_bought_for_its_price(piece: dict[str, Any]) -> None:
    """PE-211, PE-213, TG-753."""
    green, brown = piece["price"].get("green", 0), piece["price"].get("brown", 0)
    s, p = quiet_court(strength=1)
    others = [one["id"] for one in PU_ERH["pu_erh_premium"] if one["price"] == {"green": 2, "brown": 2}]
    others = [one for one in others if one != piece["id"]]
    offer_token(s, piece["id"], 1)
    offer_token(s, others[0], 2)
    offer_token(s, others[1], 3)
    p.leaves = leaves(fresh={4: green}, fermented={5: brown - 1}) if brown else leaves(fresh={4: green - 1})
    assert not options(s, do.VisitMarket) or do.BuyPuErh(piece["id"]) not in GAME.legal(s)
    p.leaves = leaves(fresh={4: green}, fermented={5: brown})
    before = Tally(s)
    play(s, do.VisitMarket(0), do.BuyPuErh(piece["id"]))
    answer_all(s)
    price = [{"q4": -green}, {"q5": -brown}, {"fermented": -brown}]
    expected = promised([part for part in piece["bonus"] if "ferment" not in part], [{"pu_erh_basic": 1}], price)
    assert before.gained(s) == expected
    assert question(s) == "open"


@by_id(ALL_TOKENS)
def test_each_token_has_its_stars_and_points(piece: dict[str, Any]) -> None:
    """PE-401: in a cake with one star and one point besides."""
    s, p = quiet_court()
    star, point = (one for one in ("PP10", "PB07", "PP11", "PB08") if one != piece["id"] and one[:2] == "PP"), "PB09"
    own_set(s, p, piece["id"], next(star), point if piece["id"] != point else "PB08")
    assert cake_points(p) == (piece["stars"] + 1) * (piece["points"] + 1)


def approach(s: State, p: Player, kind: str, need: int) -> do.Action:
    """Brings the seat one step short of a decree; the action that takes the last step."""
    if kind == "river_segment":
        p.boat = need - 1
        return do.Sail()
    if kind == "emperor_row":
        p.row, p.tokens = need - 1, 9
        return do.StepEmperor()
    if kind == "centre_workers":
        p.sector, p.centre, p.workers = 4, need - 1, 7 - need
        return do.Research("1a")
    if kind == "gardens":
        for region in (2, 3, 6, 9)[: need - 2]:
            garden(s, 0, region)
        token(s, 7, "B01")
        return do.Found(7)
    if kind == "caravans":
        p.caravans = list(range(need - 1))
        offer_caravan(s, "C16")
        return do.SellTea("C16", 1, 1)
    if kind == "cup_tiles":
        p.cups, p.markers = [], []
        own_cups(s, p, *[f"T{number:02}" for number in range(1, need)])
        offer_tile(s, "T40", 0)
        return do.MakeCup("yellow")
    for number in range(need - 1):
        own_set(s, p, *[f"PB{3 * number + one:02}" for one in (1, 2, 3)])
    own_set(s, p, "PB10", "PB11")
    offer_token(s, "PP13")
    return do.VisitMarket(0)


@pytest.mark.parametrize("side", ["brown", "red"])
@by_id(PU_ERH["decrees"])
def test_each_side_of_each_decree(piece: dict[str, Any], side: str) -> None:
    """PE-311, PE-313, RU-42, RU-44: fulfilled by the last step and not before."""
    terms = piece[side]
    s, p = rich_turn("E17", pu_erh=True)
    proclaim(s, (piece["id"], side))
    step = approach(s, p, piece["kind"], terms["need"])
    kinds = [one["kind"] for one in PU_ERH["decrees"]]
    assert progress(p, kinds.index(piece["kind"])) == terms["need"] - 1 and newly_met(s, p) < 0
    play(s, step)
    while question(s) != "decree_space":
        buy_or_join = [one for one in GAME.legal(s) if one in (do.BuyPuErh("PP13"), do.PlacePuErh(terms["need"]))]
        play(s, buy_or_join[0] if buy_or_join else GAME.legal(s)[0])
    play(s, do.ChooseHonour(piece["id"], 1))
    assert s.court.honours[0][0] == 0 and decree_points(s, 0) == terms["vp"][0]
    assert (p.messengers, p.waiting) == (3, 1)
    s.court.honours[0] = [1, 0]
    assert decree_points(s, 0) == terms["vp"][1]


@pytest.mark.parametrize("trade", [1, 2])
@pytest.mark.parametrize("strength", [1, 2])
@by_id(PU_ERH["caravans"])
def test_each_added_caravan_pays_each_pair_of_options(piece: dict[str, Any], trade: int, strength: int) -> None:
    """PE-101, TG-421, TG-422."""
    terms, least = piece["trade"][trade - 1], piece["strength"][strength - 1]
    s, p = quiet_court(strength=least["min"] - 1)
    offer_caravan(s, piece["id"])
    refuse(s, do.SellTea(piece["id"], trade, strength))
    s.strength += 1
    before, had = Tally(s), sum(p.leaves)
    play(s, do.SellTea(piece["id"], trade, strength))
    answer_all(s)
    reward = with_token(terms["reward"]) + least["reward"]
    gained = {what: count for what, count in before.gained(s).items() if what[0] != "q" and what != "fermented"}
    assert gained == {what: count for what, count in promised(reward).items() if what[0] != "q"}
    paid = had - sum(p.leaves) + sum(part["leaves"]["count"] for part in reward if "leaves" in part)
    assert paid == terms["cost"].get("green", 0) + terms["cost"].get("brown", 0)
    account_tokens(s)


def account_tokens(s: State) -> None:
    assert all(one >= 0 for one in s.court.basic_row + s.court.premium_row)


@by_id(PU_ERH["emperor_cards"])
def test_the_added_emperor_card_is_taken_and_played(piece: dict[str, Any]) -> None:
    """PE-101, TG-305, TG-602."""
    s, p = quiet_court()
    p.tokens = 9
    offer_emperor(s, piece["id"], 3)
    play(s, do.StepEmperor())
    while question(s) != "emperor_card":
        play(s, GAME.legal(s)[0])
    play(s, do.TakeEmperorCard(piece["id"]))
    assert piece["id"] in names(p.hand)
    s.question, s.laid, p.hand = TURN_START, False, cards(piece["id"])
    play(s, do.LayTop(piece["id"]))
    assert s.strength == piece["strength"]
    assert options(s, do.Sail) and options(s, do.MakeCup) and options(s, do.Research)


@by_id(PU_ERH["region_tokens"])
def test_each_added_region_token_gives_a_basic_token(piece: dict[str, Any]) -> None:
    """PE-101, TG-403."""
    s, _ = quiet_court()
    token(s, 7, piece["id"])
    before = Tally(s)
    play(s, do.Found(7))
    answer_all(s)
    assert before.gained(s) == promised(with_token(piece["reward"]))
    assert TOKEN_IDS[s.tokens[REGION_NUMBERS[7]]] == piece["id"]


def test_the_positions_of_these_tests_have_all_pieces() -> None:
    s, p = rich_turn(pu_erh=True)
    offer_token(s, "PB05")
    offer_token(s, "PP30", 2)
    own_set(s, p, "PB01", "PP02")
    open_hall(s, "H15", 2)
    token(s, 5, "B20")
    offer_emperor(s, "E17")
    account(s)
