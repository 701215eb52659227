"""Every card of Lu Yu, front and back."""

from collections import Counter
from typing import Any

import pytest

from services.games.tea_garden.components import (
    BASKETS,
    COLUMNS,
    PROVINCES,
    REGION_PROVINCE,
    TILE_IDS,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.lu_yu.turn import take_turn
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    CARDS,
    his_turn,
    play,
    turn_with,
)


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
