"""The look-ahead before laying cards is exact (TG-303, TG-304, RU-07, RU-08)."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.games.tea_garden.actions import reach
from services.games.tea_garden.actions.lookahead import can_begin, risky
from services.games.tea_garden.components import BASKETS, RIVER_END, TILE_IDS, TOP_ROW
from services.games.tea_garden.game import GAME
from services.games.tea_garden.state import TURN_START, Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.lookahead import Positions, batch, can_be_laid, compare
from tests.unit.tea_garden.table import at_start, cards, leaves, offer_emperor, own_cups, play, question, refuse

BATCHES, POSITIONS = 4, 500


def alone(hand: tuple[str, ...], stacks: int, **more: Any) -> tuple[State, Player]:
    """Nothing but what is said: no card to draw, no emperor card, no cup tile on the table."""
    s, p = at_start(hand, stacks=stacks, **more)
    p.deck, p.discard = [], []
    s.emperor_row, s.emperor_deck = [-1, -1, -1], []
    s.cup_stacks = [[] for _ in s.cup_stacks]
    return s, p


def repeating(hand: tuple[str, ...] = ()) -> tuple[State, Player]:
    """Row 4 lets research be done (2a or 2b), and its repeat (3a) draws a card: for three fermented leaves, which only
    two markers can make, and only if each is used to the full, on leaves in different baskets."""
    s, p = alone(hand, 0, leaves=leaves(fresh={1: 1, 2: 1, 3: 1, 5: 1}), tokens=2, row=3)
    p.sector = 1
    p.discard = cards("S11")
    own_cups(s, p, "T07", "T15", markers=[2])
    return s, p


def test_tg_303_a_turn_begins_if_leaves_of_different_baskets_can_be_fermented() -> None:
    """RU-08: a turn that was passed over until rules 2."""
    s, p = repeating()
    assert can_begin(s)
    play(s, do.UseMarker(1, 1, "T07"), do.FermentLeaf(2), do.FermentLeaf(1))
    play(s, do.UseMarker(1, 1, "T07"), do.FermentLeaf(3), do.StepEmperor())
    play(s, do.Resolve("side_action", 1, "any"), do.Research("2b"), do.RepeatSide("fermented"))
    play(s, do.Research("3a"), do.Resolve("draw", 1))
    assert p.hand == cards("S11")


def test_tg_303_a_turn_is_passed_over_if_one_leaf_is_missing() -> None:
    s, p = repeating()
    p.leaves[2] = 0
    assert not can_begin(s)


def test_tg_303_a_way_is_found_however_many_others_there_are() -> None:
    """RU-08: research (1b) after a step ferments a leaf; the markers, in whatever order they are used, do not help."""
    s, p = alone(("S01",), 3, leaves=leaves(fresh={1: 2, 2: 2, 3: 2, 4: 2, 5: 1}), tokens=2, row=3, scrolls=[0, 0, 1])
    for name, other in (("T01", "T03"), ("T06", "T11"), ("T09", "T14"), ("T17", "T19")):
        own_cups(s, p, name, other, markers=[3])
    p.boat, p.sector = 4, 4
    assert can_begin(s)
    p.sector = 1
    assert not can_begin(s)


def test_tg_304_the_last_card_may_be_removed_if_others_follow_for_certain() -> None:
    """RU-07, RU-08: refused until rules 2. The way to the next card is that of `repeating`."""
    s, p = repeating(("S01",))
    own_cups(s, p, "T02", "T04", markers=[0])
    p.row, p.tokens, p.leaves = 2, 4, leaves(fresh={1: 1, 2: 1, 3: 2, 5: 1})
    play(s, do.StepEmperor(), do.Pay(3, False))
    assert question(s) == "remove"
    play(s, do.RemoveCard("S01", "hand"))
    assert p.hand == [] and can_be_laid(s, set())
    s, p = repeating(("S01",))
    p.row, p.tokens, p.leaves = 2, 3, leaves(fresh={1: 1, 2: 1, 3: 2, 5: 1})  # a token too few for row 4
    play(s, do.StepEmperor(), do.Pay(3, False))
    refuse(s, do.RemoveCard("S01", "hand"))


def test_tg_304_the_leaf_that_a_later_step_pays_is_not_fermented_in_its_place() -> None:
    """RU-08: of the leaves that pay a step and the turn space, the lowest are fermented."""
    s, p = alone((), 3, leaves=leaves(fresh={1: 3, 4: 1, 5: 1}), tokens=5, row=3)
    p.boat, p.sector = 1, 2
    offer_emperor(s, "E05", 1)
    assert can_begin(s)
    play(s, do.StepEmperor(), do.Pay(4, False), do.Sail())
    assert question(s) == "ferment"
    refuse(s, do.FermentLeaf(5))
    play(s, do.FermentLeaf(1))
    play(s, do.StepEmperor(), do.LayTop("E05"))


@pytest.mark.parametrize("number", range(BATCHES))
def test_it_says_the_same_as_a_plain_one(number: int) -> None:
    """In 2,000 positions of turns in which cards or leaves are missing, with and without Pu-erh and Lu Yu."""
    seen = batch(number, POSITIONS)
    assert seen["positions"] >= POSITIONS
    assert min(seen["begins"], seen["passes"], seen["refused"]) > 5, f"too few of a kind: {seen}"


counts = st.lists(st.sampled_from((0, 0, 0, 0, 1, 2)), min_size=2 * BASKETS, max_size=2 * BASKETS)
rows = st.lists(st.lists(st.integers(0, len(TILE_IDS) - 1), min_size=2, max_size=3), max_size=1)


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    held=counts, tokens=st.integers(0, 3), row=st.integers(0, TOP_ROW), boat=st.integers(0, RIVER_END - 1),
    sector=st.integers(0, 4), scrolls=st.integers(0, 1), cups=rows, marked=st.integers(0, 1), stacks=st.integers(0, 4),
    cards_left=st.tuples(st.integers(0, 1), st.integers(0, 1)), pu_erh=st.booleans(), seed=st.integers(0, 99),
)  # fmt: skip
def test_it_says_the_same_of_whatever_hypothesis_finds(
    held: list[int], tokens: int, row: int, boat: int, sector: int, scrolls: int, cups: list[list[int]], marked: int,
    stacks: int, cards_left: tuple[int, int], pu_erh: bool, seed: int,
) -> None:  # fmt: skip
    hand, deck = cards_left
    s, p = at_start(("S01",)[:hand], stacks=min(stacks, 4 if pu_erh else 3), pu_erh=pu_erh)
    p.leaves, p.tokens, p.row, p.boat, p.sector, p.scrolls[2] = held, tokens, row, boat, sector, scrolls
    p.cups, p.markers = cups, [[marked] * (len(one) - 1) for one in cups]
    p.deck = p.deck[:deck]
    s.emperor_row, s.emperor_deck = [s.emperor_row[0], -1, -1], []
    s.cup_stacks = [stack[-1:] if at == seed % 5 else [] for at, stack in enumerate(s.cup_stacks)]
    compare(s, random.Random(seed))


def test_no_single_choice_takes_laying_away_where_none_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """TG-304: where `risky` says no, every answer leaves a way, so that nobody need look ahead."""
    made, looked = Positions("risky"), 0
    while looked < 200:
        s = made.built()
        p = s.players[0]
        p.hand = p.hand[:1] + cards("S05", "S06")
        p.leaves = [made.random.choice((0, 1, 2)) for _ in p.leaves]
        p.stacks = p.stacks[:3] or [[3], [4], [8]]
        for _ in range(6):
            if risky(s, p):
                break
            for action in GAME.legal(s):
                if type(action) in (do.LayTop, do.PassRound):
                    continue
                after = GAME.clone(s)
                GAME.apply(after, action, tell=False)
                assert can_be_laid(after, set()), action
                looked += 1
            free = [one for one in GAME.legal(s) if type(one) not in (do.LayTop, do.PassRound)]
            if not free:
                break
            GAME.apply(s, made.random.choice(free), tell=False)
            if s.question == TURN_START and made.random.random() < 0.2:
                break


def test_the_figures_of_the_box_are_those_for_which_the_shortcuts_are_proven() -> None:
    assert reach.PROVEN
