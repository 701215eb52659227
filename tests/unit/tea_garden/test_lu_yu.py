"""The solo game against Lu Yu (LY-…)."""

from collections import Counter
from typing import Any

import pytest

from services.engine.dice import Dice
from services.tea_garden import lu_yu_cards as solo
from services.tea_garden.components import (
    BASKETS,
    CARAVAN_IDS,
    COLUMNS,
    PROVINCES,
    REGION_NUMBERS,
    REGION_PROVINCE,
    TILE_IDS,
)
from services.tea_garden.game import GAME
from services.tea_garden.lu_yu import ImpossibleError, Turn, take_turn
from services.tea_garden.scoring import lu_yu_lines, outcome
from services.tea_garden.state import LU_YU, OVER, LuYu, Player, State
from services.tea_garden.upkeep import upkeep
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import garden, leaves, names, offer_tile, options, own_cups, play, solo_game, tiles

CARD = {name: number for number, name in enumerate(solo.IDS)}
CARDS = solo.DATA["cards"]


def his_turn(*deck: str, difficulty: str = "master") -> tuple[State, LuYu, Player]:
    """Lu Yu is to act; these cards are on top of his deck, the first one topmost."""
    s = solo_game(difficulty, first=1)
    lu = s.lu_yu
    assert lu is not None and s.question == LU_YU
    for name in reversed(deck):
        for pile in (lu.deck, lu.box, *lu.piles):
            if CARD[name] in pile:
                pile.remove(CARD[name])
        lu.deck.append(CARD[name])
    return s, lu, s.players[1]


def steps(events: list[Any]) -> list[tuple[str, bool]]:
    return [(event.operation, event.done) for event in events if isinstance(event, do.LuYuStep)]


def turn_with(back: str) -> tuple[State, LuYu, Player, Turn]:
    """An operation of his is to be read with this card's back."""
    s, lu, p = his_turn(back)
    return s, lu, p, Turn(s, lu, p)


def test_ly_101_set_up_as_for_two_players() -> None:
    s = solo_game()
    lu, p = s.lu_yu, s.players[1]
    assert lu is not None
    assert [len(stack) for stack in s.cup_stacks] == [5] * 5
    assert (len(s.action_row) + len(s.action_deck), len(s.caravan_row) + len(s.caravan_deck)) == (20, 22)
    assert (lu.fresh, lu.fermented, p.tokens, p.vp) == (2, 0, 0, 0)
    assert p.gardens == [REGION_NUMBERS[1]] and len(p.pagodas) == 6
    assert (p.boat, p.sector, p.row, p.hand, p.deck, sum(p.leaves), sum(p.scrolls)) == (0, 0, 0, [], [], 0, 0)
    account(s)


@pytest.mark.parametrize(("difficulty", "masters"), [("easy", 0), ("medium", 1), ("hard", 2), ("master", 3)])
def test_ly_102_his_deck(difficulty: str, masters: int) -> None:
    for seed in range(5):
        s = solo_game(difficulty, bytes([seed]) * 32, first=0)
        assert s.lu_yu is not None
        tiers = Counter(solo.TIERS[card] for card in s.lu_yu.deck)
        assert tiers == Counter(basic=3, advanced=3, master=masters)
        assert len(s.lu_yu.box) == 3 - masters


def test_ly_103_three_piles_by_the_symbol_on_the_back() -> None:
    s = solo_game()
    assert s.lu_yu is not None
    assert sum(map(len, s.lu_yu.piles)) == 15
    for side, pile in enumerate(s.lu_yu.piles, 1):
        assert all(solo.BACKS[card].side == side and solo.TIERS[card] == "advanced" for card in pile)


def test_ly_104_the_table_decides_who_starts_and_the_token_changes_sides() -> None:
    assert GAME.actor(solo_game(first=0)) == 0
    s = solo_game(first=1)
    assert GAME.actor(s) == 1 and GAME.legal(s) == [do.LuYuTurn()]
    upkeep(s, None)
    assert s.first == 0


def test_ly_105_the_human_plays_by_the_normal_rules() -> None:
    s = solo_game(first=0)
    play(s, options(s, do.LayTop)[0], do.Done(), do.Harvest(), do.EndTurn())
    assert s.players[0].leaves[1] == 3 and GAME.actor(s) == 1


def test_ly_201_with_all_turn_spaces_used_he_passes() -> None:
    s, lu, p = his_turn()
    lu.laid = [lu.deck.pop(0) for _ in range(4)]
    lu.fresh = lu.fermented = 9
    play(s, do.LuYuTurn())
    assert p.passed and len(lu.laid) == 4 and (lu.fresh, lu.fermented) == (9, 9)


@pytest.mark.parametrize(
    ("fresh", "fermented", "after"),
    [(4, 1, (2, 0)), (1, 3, (0, 1)), (0, 3, (0, 0)), (4, 0, None), (1, 1, None), (0, 2, None)],
)
def test_ly_202_the_fourth_space_costs_him_leaves(fresh: int, fermented: int, after: tuple[int, int] | None) -> None:
    """RU-47."""
    s, lu, p = his_turn("LA18")
    lu.laid = [lu.deck.pop(0) for _ in range(3)]
    lu.fresh, lu.fermented = fresh, fermented
    play(s, do.LuYuTurn())
    assert p.passed == (after is None)
    assert (lu.fresh, lu.fermented) == (after or (fresh, fermented))


def test_ex_33_fourth_space() -> None:
    """LY-202, RU-58: he passes without revealing a card."""
    s, lu, p = his_turn()
    lu.laid = [lu.deck.pop(0) for _ in range(3)]
    lu.fresh, lu.fermented = 4, 0
    deck = lu.deck.copy()
    events = play(s, do.LuYuTurn())
    assert p.passed and lu.deck == deck and do.Passed(1, True) in events
    assert not any(isinstance(event, do.LuYuCard) for event in events)


def test_ex_31_a_turn_of_lu_yu() -> None:
    """LY-203, LY-206."""
    s, lu, p = his_turn("LA01", "LA07")
    p.tokens, p.boat, p.row = 2, 4, 1
    right, card = s.caravan_row[2], s.emperor_row[2]
    next_caravan, next_card = s.caravan_deck[-1], s.emperor_deck[-1]
    events = play(s, do.LuYuTurn())
    assert (lu.fresh, lu.fermented) == (2, 2)  # 2 + 2 gained, 2 of them fermented
    assert p.caravans == [right] and s.caravan_row[2] == next_caravan
    assert p.boat == 5 and p.scrolls == [0, 0, 0]
    assert (p.tokens, p.row) == (0, 2)
    assert card in s.removed and s.emperor_row[2] == next_card
    assert steps(events) == [
        ("leaves", True),
        ("caravan", True),
        ("ferment", True),
        ("side_action", True),
        ("repeat_side", False),
        ("emperor_step", True),
    ]
    [revealed] = [event for event in events if isinstance(event, do.LuYuCard)]
    assert (revealed.card, revealed.indicators.side_action, revealed.indicators.caravan_position) == (
        "LA01",
        "river",
        3,
    )
    s, lu, p = his_turn("LA01", "LA07")
    lu.fermented, p.boat = 1, 4
    play(s, do.LuYuTurn())
    assert (p.boat, lu.fermented) == (6, 0)


def test_ly_204_else_only_if_the_first_is_impossible() -> None:
    s, lu, p = his_turn("LA14", "LA07")
    p.pagodas = []
    fresh = lu.fresh
    events = play(s, do.LuYuTurn())
    assert steps(events)[:3] == [("garden", False), ("ferment", True), ("leaves", True)]
    assert (lu.fresh, lu.fermented) == (fresh - 2 + 1, 2)
    s, lu, p = his_turn("LA14", "LA07")
    p.pagodas, lu.fresh = [], 0
    assert steps(play(s, do.LuYuTurn()))[:3] == [("garden", False), ("ferment", False), ("leaves", True)]


def test_ly_205_without_the_expansion_court_and_market_are_impossible() -> None:
    s, lu, p = his_turn("LA05", "LA07")
    assert steps(play(s, do.LuYuTurn()))[:2] == [("market", False), ("leaves", True)]
    s, lu, p = his_turn("LA16", "LA07")
    assert steps(play(s, do.LuYuTurn()))[:2] == [("court", False), ("garden", True)]
    assert len(p.gardens) == 2 and lu.seat in s.spaces[p.gardens[1]]


def test_ly_206_he_gains_nothing_from_what_he_reaches() -> None:
    for card in CARDS:
        s, _lu, p = his_turn(card["id"], "LB2" if card["id"] != "LB2" else "LB1")
        p.boat, p.sector, p.tokens = 4, 1, 2
        play(s, do.LuYuTurn())
        assert p.vp == 0 and p.hand == [] and p.scrolls == [0, 0, 0] and not any(p.leaves)
        assert not any(count for row in p.markers for count in row)


def test_ly_208_his_turn_is_one_action_without_options() -> None:
    s, lu, p = his_turn()
    assert GAME.actor(s) == 1 and GAME.legal(s) == [do.LuYuTurn()]
    play(s, do.LuYuTurn())
    assert GAME.actor(s) == 0 and len(lu.laid) == 1 and not p.passed


def test_ly_209_the_view_shows_backs_and_no_fronts() -> None:
    s, lu, p = his_turn("LM1", "LA07")
    view = GAME.view(s, 0).lu_yu
    assert view is not None and view.top.side_action == "cups" and view.top.emperor_position == 2
    play(s, do.LuYuTurn())
    view = GAME.view(s, 0).lu_yu
    assert view is not None and view.laid == ["LM1"] and view.top.caravan_position == 3
    assert [pile.size for pile in view.piles] == [len(pile) for pile in lu.piles]
    assert all("LA" not in str(value) for value in (view.top, view.piles))
    assert p.passed is False


def test_ly_209_a_redealt_position_keeps_the_backs_that_lie_open() -> None:
    s, lu, _ = his_turn(difficulty="medium")
    play(s, do.LuYuTurn())
    changed = 0
    for number in range(20):
        other = GAME.redeal(s, 0, Dice(bytes([number]) * 32)).lu_yu
        assert other is not None and other.deck[-1] == lu.deck[-1] and other.laid == lu.laid
        assert [pile[-1:] for pile in other.piles] == [pile[-1:] for pile in lu.piles]
        changed += other.deck != lu.deck
    assert changed > 10


def test_ly_301_garden_by_value_then_province_then_number() -> None:
    """RU-48. From region 1: 2, 3 (green) and 6, 7 (blue), all of value 3."""
    for back, region in (("LA01", 6), ("LB1", 2)):  # blue before green; green before blue
        s, _, p, turn = turn_with(back)
        turn.garden(0, None)
        assert p.gardens[1:] == [REGION_NUMBERS[region]]
        turn.garden(0, None)  # now a region of value 4 is adjacent
        assert REGION_PROVINCE[p.gardens[2]] == REGION_PROVINCE[p.gardens[1]]
    s, _lu, p, turn = turn_with("LA01")
    garden(s, 1, 9)
    turn.garden(0, None)
    assert p.gardens[-1] == REGION_NUMBERS[10]
    assert (
        s.spaces[REGION_NUMBERS[10]] == [1, -1, -1] and p.vp == 0
    )  # the space with most points, which he does not get
    p.pagodas = []
    with pytest.raises(ImpossibleError):
        turn.garden(0, None)


def test_ly_301_he_founds_only_next_to_his_gardens() -> None:
    s, _, _, turn = turn_with("LA01")
    for region in (2, 3, 6, 7):
        s.spaces[REGION_NUMBERS[region]] = [0] * len(s.spaces[REGION_NUMBERS[region]])
        s.room &= ~(1 << REGION_NUMBERS[region])
    with pytest.raises(ImpossibleError):
        turn.garden(9, None)


@pytest.mark.parametrize(("strength", "column"), [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (9, 6)])
def test_ly_302_ex_32_buying(strength: int, column: int) -> None:
    s, lu, _, turn = turn_with("LA01")  # back.strength 0
    row, coming = s.action_row.copy(), s.action_deck[-1]
    turn.buy(strength, None)
    assert lu.cards == [row[column - 1]]
    assert s.action_row == row[: column - 1] + row[column:] + [coming]
    assert COLUMNS == (1, 1, 2, 3, 4, 5)


def test_ly_302_the_back_adds_strength_and_gaps_are_skipped() -> None:
    s, lu, _, turn = turn_with("LM2")  # back.strength 3
    row = s.action_row.copy()
    turn.buy(1, None)
    assert lu.cards == [row[4]]
    s.action_deck, s.action_row = [], row[:2]
    turn.buy(4, None)
    assert lu.cards[1] == row[1]
    s.action_row = []
    with pytest.raises(ImpossibleError):
        turn.buy(4, None)


def test_ly_303_caravan_at_the_position() -> None:
    s, _, p, turn = turn_with("LB3")
    third = s.caravan_row[2]
    turn.caravan(0, None)
    assert p.caravans == [third]
    s.caravan_row[2] = -1
    with pytest.raises(ImpossibleError):
        turn.caravan(0, None)


def test_ly_304_ly_305_court_and_market_wait_for_the_expansion() -> None:
    """LY-207 too: without Pu-erh there are no decrees to check after his turn."""
    _, _, _, turn = turn_with("LB3")
    for name in ("court", "market"):
        with pytest.raises(ImpossibleError, match="needs_expansion"):
            turn.operations[name](6, None)


def test_ly_311_research_river_and_their_ends() -> None:
    """RU-50, RU-51."""
    s, _, p, turn = turn_with("LB3")
    for _ in range(5):
        turn.side_action(0, None)
    assert (p.sector, p.centre, p.workers) == (1, 1, 5)
    s, _, p, turn = turn_with("LB1")
    p.boat = 8
    turn.side_action(0, None)
    assert (p.boat, p.spot, s.spots) == (9, 23, [21, 20, 19])
    with pytest.raises(ImpossibleError):
        turn.side_action(0, None)


def test_ly_311_cups_first_the_matching_ones_by_priority() -> None:
    """RU-49. LB2 prefers green, orange, yellow, blue, red."""
    s, _lu, p, turn = turn_with("LB2")
    top = s.cup_stacks[0][-1]
    turn.side_action(0, None)
    assert p.cups == [[top]]  # only the yellow stack is open to him
    garden(s, 1, 2)
    garden(s, 1, 6)
    p.cups, p.markers = [], []
    own_cups(s, p, "T01")  # blue, blue
    offer_tile(s, "T20", 1)  # green stack: green, green: no match
    offer_tile(s, "T14", 0)  # yellow stack: green, blue: matches at the left end
    offer_tile(s, "T02", 2)  # blue stack: blue, blue: matches too, but yellow has priority
    turn.side_action(0, None)
    assert p.cups == [tiles("T14", "T01")] and p.markers == [[0]]
    offer_tile(s, "T19", 0)  # green, green: matches the left end of T14
    offer_tile(s, "T37", 2)  # white, white: no match
    turn.side_action(0, None)
    assert p.cups == [tiles("T20", "T14", "T01")]  # the green stack has priority, its tile matches at the left
    offer_tile(s, "T40", 1)
    offer_tile(s, "T39", 0)
    turn.side_action(0, None)
    assert p.cups == [tiles("T20", "T14", "T01", "T40")]  # none matches: first in priority, right end
    s.cup_stacks = [[] for _ in PROVINCES]
    with pytest.raises(ImpossibleError):
        turn.side_action(0, None)


def test_ly_311_right_end_before_left_end() -> None:
    s, _, p, turn = turn_with("LB2")
    own_cups(s, p, "T01")
    offer_tile(s, "T02", 0)
    turn.side_action(0, None)
    assert p.cups == [tiles("T01", "T02")]


def test_ly_312_repeat_side() -> None:
    s, lu, p, turn = turn_with("LB1")
    with pytest.raises(ImpossibleError):
        turn.repeat_side(3, None)  # nothing to repeat
    turn.side_action(0, None)
    lu.fermented = 2
    with pytest.raises(ImpossibleError):
        turn.repeat_side(3, None)
    lu.fermented = 4
    turn.repeat_side(3, None)
    assert (p.boat, lu.fermented) == (2, 1)
    p.boat, p.spot, lu.fermented = 9, s.spots.pop(0), 3
    with pytest.raises(ImpossibleError):
        turn.repeat_side(3, None)
    assert lu.fermented == 3


def test_ly_313_leaves_ferment_tokens() -> None:
    _, lu, p, turn = turn_with("LB1")
    turn.leaves(2, None)
    turn.ferment(3, None)
    turn.emperor_token(2, None)
    assert (lu.fresh, lu.fermented, p.tokens) == (1, 3, 2)
    turn.ferment(3, None)
    assert (lu.fresh, lu.fermented) == (0, 4)
    with pytest.raises(ImpossibleError):
        turn.ferment(1, None)


def test_ly_314_emperor_step() -> None:
    """RU-52."""
    s, _, p, turn = turn_with("LB1")  # emperor position 2
    second = s.emperor_row[1]
    with pytest.raises(ImpossibleError):
        turn.emperor_step(2, None)
    p.tokens = 5
    turn.emperor_step(2, None)
    assert (p.row, p.tokens) == (1, 3) and second in s.removed
    s.emperor_row[1] = -1
    removed = len(s.removed)
    turn.emperor_step(2, None)
    assert (p.row, p.tokens, len(s.removed)) == (2, 1, removed)
    p.row, p.tokens = 6, 9
    with pytest.raises(ImpossibleError):
        turn.emperor_step(2, None)
    assert p.tokens == 9


def test_ly_315_advanced_card_goes_on_top_and_is_read_at_once() -> None:
    s, lu, _ = his_turn("LB2", "LA04")  # LA04: river
    pile = lu.piles[0].copy()
    size = len(lu.deck)
    play(s, do.LuYuTurn())
    assert lu.deck[-1] == pile[-1] and len(lu.deck) == size
    assert lu.piles[0] == pile[:-1]
    _, lu, _, turn = turn_with("LA04")
    lu.piles[0] = []
    with pytest.raises(ImpossibleError):
        turn.advanced_card(1, None)


def test_ly_401_ly_402_ly_403_upkeep() -> None:
    """His harvest, no ripening, his cards under the deck, the action row as usual."""
    s, lu, p = his_turn(difficulty="easy")
    for region in (2, 4):
        garden(s, 1, region)
    play(s, do.LuYuTurn(), do.PassRound())
    while s.round == 1:
        play(s, do.LuYuTurn())
        if s.round == 1:
            laid, deck, fresh, fermented = lu.laid.copy(), lu.deck.copy(), lu.fresh, lu.fermented
    assert len(lu.deck) >= 6 and lu.laid == []
    assert set(lu.deck[: len(laid)]) == set(laid) and lu.deck[len(laid) :] == deck
    assert (lu.fresh, lu.fermented) == (fresh + 2 * len(p.gardens), fermented)
    assert [lu.played_in[card] for card in laid] == [1] * len(laid)


def final(s: State) -> dict[str, int]:
    assert s.lu_yu is not None
    return {line.label: line.points for line in lu_yu_lines(s.players[1], s.lu_yu) if line.points}


def test_ly_501_his_score() -> None:
    s, lu, p = his_turn()
    lu.cards = [CARD_A509, CARD_A101]
    lu.fresh, lu.fermented = 7, 4
    p.caravans = [CARAVAN_IDS.index("C01"), CARAVAN_IDS.index("C02")]
    p.boat, p.sector, p.centre, p.row = 6, 3, 1, 4
    p.cups = [tiles("T01", "T02", "T03")]
    assert final(s) == {
        "action_cards": 12,
        "caravans": 10,
        "river": 10,
        "university": 16,
        "emperor_track": 13,
        "cups": 2,
        "fresh_leaves": 3,
        "fermented_leaves": 4,
    }


CARD_A509, CARD_A101 = (names(list(range(60))).index(name) for name in ("A509", "A101"))


def test_ly_502_nothing_for_tokens_gardens_or_the_top_row() -> None:
    s, lu, p = his_turn()
    garden(s, 1, 2)
    p.tokens, p.row, lu.fresh = 9, 6, 0
    assert final(s) == {"emperor_track": 24}


@pytest.mark.parametrize(("vp", "places"), [(1, [1, 2]), (0, [2, 1]), (-1, [2, 1])])
def test_ly_503_a_tie_is_a_loss(vp: int, places: list[int]) -> None:
    """RU-54."""
    s, lu, p = his_turn()
    s.question = OVER
    lu.fresh, lu.fermented = 0, 10
    s.players[0].vp = 10 + vp
    result = outcome(s)
    assert result is not None and result.places == places and result.scores == [10 + vp, 10]
    assert p.vp == 0 and leaves() == p.leaves


@pytest.mark.parametrize("card", CARDS, ids=[card["id"] for card in CARDS])
def test_each_card_front_is_resolved_step_by_step(card: dict[str, Any]) -> None:
    """LY-204 for every card: each step, or what stands to the right of its slash, with its numbers."""
    top = "LB3" if card["id"] != "LB3" else "LA06"  # both research
    s, lu, p = his_turn(card["id"], top)
    lu.fresh, lu.fermented, p.tokens = 9, 9, 4
    play_events = play(s, do.LuYuTurn())
    told = [(e.step, e.operation, e.done, e.value) for e in play_events if isinstance(e, do.LuYuStep)]
    expected = []
    for number, step in enumerate(card["front"], 1):
        for word in ("do", "else"):
            if word in step:
                name = step[word].get("main") or next(iter(step[word]))
                done = name not in ("court", "market")
                expected.append((number, name, done))
                if done:
                    break
    assert [one[:3] for one in told] == expected
    done_names = Counter(name for _, name, done in expected if done)
    assert len(p.gardens) == 1 + done_names["garden"]
    assert len(lu.cards) == done_names["buy"] and len(p.caravans) == done_names["caravan"]
    assert p.row == done_names["emperor_step"]
    moves = done_names["side_action"] + done_names["repeat_side"]
    assert p.sector + 4 * p.centre == moves
    amounts: Counter[str] = Counter()
    for step in card["front"]:
        op = step["do"] if step["do"].get("main") not in ("court", "market") else step["else"]
        for name in ("ferment", "emperor_token"):
            amounts[name] += op.get(name, 0)
        amounts["leaves"] += op.get("leaves", {}).get("count", 0)
    assert lu.fermented == 9 + amounts["ferment"] - 3 * done_names["repeat_side"]
    assert lu.fresh == 9 + amounts["leaves"] - amounts["ferment"]
    assert p.tokens == 4 + amounts["emperor_token"] - 2 * done_names["emperor_step"]
    account(s)


@pytest.mark.parametrize("card", CARDS, ids=[card["id"] for card in CARDS])
def test_each_card_back_indicates(card: dict[str, Any]) -> None:
    """LY-203, LY-209: strength, side action, priorities and positions of every back."""
    back = card["back"]
    s, lu, p, turn = turn_with(card["id"])
    p.tokens = 2
    caravan, emperor = s.caravan_row[back["caravan_position"] - 1], s.emperor_row[back["emperor_position"] - 1]
    reachable = [column for column in range(6) if COLUMNS[column] <= 1 + back["strength"]]
    bought = s.action_row[reachable[-1]]
    turn.caravan(0, None)
    turn.emperor_step(2, None)
    turn.buy(1, None)
    turn.garden(0, None)
    assert p.caravans == [caravan] and s.removed == [emperor] and lu.cards == [bought]
    first = next(name for name in back["region_priority"] if name in ("green", "blue"))
    assert PROVINCES[REGION_PROVINCE[p.gardens[1]]] == first
    p.provinces = 31
    if back["side_action"] == "cups":
        tile = s.cup_stacks[PROVINCES.index(back["cup_priority"][0])][-1]
        turn.side_action(0, None)
        assert p.cups == [[tile]]
    else:
        turn.side_action(0, None)
        assert (p.boat, p.sector) == ((1, 0) if back["side_action"] == "river" else (0, 1))
        tops = {name: s.cup_stacks[PROVINCES.index(name)][-1] for name in PROVINCES}
        turn.make_cup(None)
        assert p.cups == [[tops[back["cup_priority"][0]]]]
    shown = GAME.view(s, 0).lu_yu
    assert shown is not None and shown.top.cup_priority == back["cup_priority"]
    assert len(TILE_IDS) == 40 and BASKETS == 6


def test_given_the_same_deck_he_always_does_the_same() -> None:
    s, _, _ = his_turn()
    one, two = GAME.clone(s), GAME.clone(s)
    for _ in range(3):
        take_turn(one, None)
        take_turn(two, [])
    assert one == two
