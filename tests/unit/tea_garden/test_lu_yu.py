"""The solo game against Lu Yu: setup, his turn, upkeep and score (LY-1…, LY-2…, LY-4…, LY-5…)."""

from collections import Counter

import pytest

from services.engine.dice import Dice
from services.games.tea_garden.components import (
    CARAVAN_IDS,
    REGION_NUMBERS,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.scoring import lu_yu_lines, outcome
from services.games.tea_garden.state import OVER, State
from services.games.tea_garden.upkeep import upkeep
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    CARDS,
    garden,
    his_turn,
    leaves,
    names,
    options,
    play,
    solo_game,
    steps,
    tiles,
)


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
