"""Upkeep, the end of the game and the final scoring (TG-8xx, TG-9xx)."""

import pytest

from services.games.tea_garden.components import CUP_LINK_VP, REGION_NUMBERS
from services.games.tea_garden.game import GAME
from services.games.tea_garden.scoring import cup_points, emperor_points, matched_links, outcome, player_lines
from services.games.tea_garden.state import OVER, Player, State
from services.games.tea_garden.upkeep import harvest, ripen, upkeep
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import (
    cards,
    garden,
    in_turn,
    kinds,
    leaves,
    names,
    new_game,
    options,
    play,
    tiles,
)


def bare(**more: object) -> Player:
    """A player with nothing that scores."""
    p = new_game().players[0]
    p.hand, p.deck, p.discard, p.leaves = [], [], [], leaves()
    for name, value in more.items():
        setattr(p, name, value)
    return p


def points(p: Player) -> dict[str, int]:
    return {line.label: line.points for line in player_lines(p) if line.points}


def end_round(s: State) -> list[object]:
    events = []
    while s.round == 1:
        events += play(s, do.PassRound())
    return events


def test_tg_801_tg_802_tg_808_the_next_round_begins_with_the_next_player() -> None:
    s = new_game(3, first=2)
    end_round(s)
    assert (s.round, s.first, s.seat) == (2, 0, 0)
    assert not any(p.passed for p in s.players)


def test_tg_803_the_card_in_column_one_leaves_the_game() -> None:
    s = new_game()
    row, coming = s.action_row.copy(), s.action_deck[-1]
    events = end_round(s)
    assert s.action_row == [*row[1:], coming] and s.removed == row[:1]
    assert kinds(events)["Dismissed"] == 1
    s = new_game()
    s.box_cards = s.box_cards + s.action_deck
    s.action_deck = []
    end_round(s)
    assert len(s.action_row) == 5
    s.action_row = []
    upkeep(s, None)
    assert s.action_row == []


def test_tg_804_tg_807_cards_under_the_board_can_be_drawn_again() -> None:
    """Order D before G; unplayed cards stay in hand; RU-21."""
    s, p = in_turn("S07", hand=("S01", "S02"))
    p.deck, p.discard = cards("S03"), []
    s.players[1].passed = True
    play(s, do.EndTurn(), do.PassRound())
    assert s.round == 2 and p.stacks == [] and p.teapots == 0
    assert len(p.hand) == 4 and set(cards("S01", "S02", "S03", "S07")) == set(p.hand)  # all there are


def test_tg_807_four_cards_are_drawn_and_the_discard_pile_shuffled_on_the_way() -> None:
    s = new_game()
    p = s.players[0]
    p.deck, p.discard = p.deck[:2], p.deck[2:]
    held = p.hand.copy()
    end_round(s)
    assert p.hand[:4] == held and len(p.hand) == 8
    assert p.discard == [] and len(p.deck) == 3


def test_tg_805_ex_11_ripening() -> None:
    p = bare(leaves=leaves(fresh={1: 1, 3: 2}, fermented={4: 2, 6: 1}))
    ripen(p)
    assert p.leaves == leaves(fresh={1: 1, 2: 2}, fermented={5: 2, 6: 1})
    p.leaves = leaves(fresh={1: 1, 2: 1, 6: 1}, fermented={1: 1, 5: 1, 6: 1})
    ripen(p)
    assert p.leaves == leaves(fresh={1: 2, 5: 1}, fermented={2: 1, 6: 2})


def test_tg_806_ex_12_harvest() -> None:
    s = new_game()
    p = s.players[0]
    p.leaves = leaves()
    for region in (3, 4, 10, 11, 12):
        garden(s, 0, region)
    harvest(p, 0, None)
    assert p.leaves == leaves(fresh={2: 2, 3: 2, 4: 2, 5: 2, 6: 4})


def test_tg_806_the_new_leaves_do_not_ripen() -> None:
    s = new_game()
    end_round(s)
    assert s.players[0].leaves == leaves(fresh={1: 2, 2: 2})


def test_tg_901_the_game_ends_after_round_five_without_upkeep() -> None:
    s = new_game()
    while s.round < 5:
        play(s, do.PassRound())
    held = [(p.leaves.copy(), p.hand.copy()) for p in s.players]
    assert outcome(s) is None
    play(s, do.PassRound(), do.PassRound())
    assert GAME.actor(s) is None and GAME.legal(s) == []
    assert [(p.leaves, p.hand) for p in s.players] == held
    assert outcome(s) is not None


def test_tg_911_action_cards_wherever_they_are() -> None:
    p = bare(hand=cards("A101"), deck=cards("A201"), discard=cards("A509"), stacks=[cards("A401", "S01")])
    assert points(p) == {"action_cards": 1 + 3 + 11 + 6}


EX_15 = [
    ("E01", {"leaves": leaves(fermented={2: 3, 6: 4})}, 18),
    ("E03", {"leaves": leaves(fresh={1: 4})}, 8),
    ("E05", {}, 12),
    ("E07", {"scrolls": [0, 3, 0]}, 12),
    ("E09", {"gardens": [0, 1, 2, 3, 4, 5, 6]}, 18),
    ("E10", {"caravans": [0, 1, 2, 3, 4]}, 15),
    ("E12", {"deck": cards(*(f"S{n:02}" for n in range(1, 8)))}, 11),
    ("E13", {"deck": cards("S01", "A101", "A108")}, 12),
    ("E16", {"deck": cards("S04", "S05", "S06", "A104", "A105", "A106", "A204", "A301", "A308")}, 18),
    ("E02", {"leaves": leaves(fresh={2: 3})}, 0),
    ("E04", {"leaves": leaves(fresh={2: 12})}, 18),
    ("E06", {}, 12),
    ("E08", {"gardens": [0]}, 3),
    ("E11", {"caravans": [1, 2, 3, 4, 5, 6, 7]}, 18),
    ("E14", {"deck": cards("A103", "A109", "A205")}, 12),
    ("E15", {"deck": cards("S02")}, 6),
]


@pytest.mark.parametrize(("card", "have", "expected"), EX_15, ids=[row[0] for row in EX_15])
def test_tg_912_ex_15_emperor_cards_at_the_end(card: str, have: dict[str, object], expected: int) -> None:
    """RU-32: a card counts itself if it shows the symbol (E13, E14, E15 and E16 do)."""
    p = bare(**have)
    p.hand = cards(card)
    assert emperor_points(p, p.hand + p.deck) == expected


def test_tg_912_two_cards_with_the_same_condition_both_score() -> None:
    """RU-31; RU-30 and TG-917: unused teapot scrolls score here too."""
    p = bare(hand=cards("E01", "E02", "E07"), leaves=leaves(fermented={1: 2}), scrolls=[0, 3, 0])
    assert points(p) == {"emperor_cards": 6 + 6 + 12, "scrolls": 3}


def test_tg_913_river() -> None:
    assert points(bare(boat=8)) == {"river": 17}
    assert points(bare(boat=9, spot=21)) == {"river": 21}


def test_tg_914_university() -> None:
    """RU-28: nothing on the start."""
    assert points(bare()) == {}
    assert points(bare(sector=3, part=4, centre=2)) == {"university": 26}


def test_tg_915_top_of_the_emperor_track() -> None:
    assert points(bare(row=6)) == {"emperor_track": 10}
    assert points(bare(row=5)) == {}


def test_tg_916_ex_16_cup_scoring() -> None:
    p = bare(
        cups=[
            tiles("T01", "T02", "T03", "T10", "T05"),  # three matched, then white beside blue
            tiles("T04", "T06", "T14", "T20"),  # matched, matched, blue beside green
        ]
    )
    assert matched_links(p) == 5 and sum(len(row) - 1 for row in p.cups) == 7
    assert cup_points(p) == 11


def test_tg_916_the_table_ends_at_seven_links() -> None:
    """RU-29."""
    assert CUP_LINK_VP == (0, 1, 2, 4, 7, 11, 16, 22)
    blue = tiles("T01", "T02", "T03", "T04")
    assert cup_points(bare(cups=[blue, blue, blue])) == 22
    assert matched_links(bare(cups=[blue, blue, blue])) == 9


def test_tg_917_unused_scrolls_and_tokens_but_no_leaves() -> None:
    p = bare(scrolls=[1, 2, 3], tokens=4, leaves=leaves(fresh={6: 9}))
    assert points(p) == {"scrolls": 6, "emperor_tokens": 4}


def finished(*rows: tuple[int, list[int]]) -> State:
    s = new_game(len(rows))
    s.question, s.round = OVER, 5
    for p, (vp, held) in zip(s.players, rows, strict=True):
        p.vp, p.leaves = vp, held
    return s


def test_tg_918_most_points_then_leaves_then_fermented_leaves_then_shared() -> None:
    few, many = leaves(fresh={1: 2}), leaves(fresh={1: 3})
    brown = leaves(fresh={1: 2}, fermented={1: 1})
    for rows, places, reason in (
        ([(10, few), (9, many), (11, few)], [2, 3, 1], "points"),
        ([(10, few), (10, many)], [2, 1], "tie_break"),
        ([(10, brown), (10, many)], [1, 2], "tie_break"),
        ([(10, many), (10, many), (3, few)], [1, 1, 3], "shared"),
    ):
        result = outcome(finished(*rows))
        assert result is not None and (result.places, result.reason) == (places, reason)


def test_a_breakdown_names_every_source() -> None:
    s = new_game()
    while GAME.actor(s) is not None:
        play(s, options(s, do.PassRound)[0])
    result = outcome(s)
    assert result is not None
    labels = [line.label for line in result.breakdown[0]]
    assert labels == [
        "during_game",
        "action_cards",
        "emperor_cards",
        "river",
        "university",
        "emperor_track",
        "cups",
        "scrolls",
        "emperor_tokens",
    ]
    assert REGION_NUMBERS[1] in s.players[0].gardens and names([]) == []
