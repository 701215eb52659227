"""What the operations on Lu Yu's cards do (LY-3…)."""

import pytest

from services.games.tea_garden.components import (
    COLUMNS,
    PROVINCES,
    REGION_NUMBERS,
    REGION_PROVINCE,
)
from services.games.tea_garden.lu_yu.turn import ImpossibleError
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import garden, his_turn, offer_tile, own_cups, play, tiles, turn_with


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
