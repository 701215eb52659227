"""Lu Yu with the Pu-erh expansion (LY-…)."""

from collections import Counter
from typing import Any

import pytest

from services.games.tea_garden.game import GAME
from services.games.tea_garden.lu_yu import cards as solo
from services.games.tea_garden.lu_yu.turn import ImpossibleError, Turn, take_turn
from services.games.tea_garden.pu_erh.components import HALL_IDS, HALL_SPACES, PU_ERH_IDS
from services.games.tea_garden.pu_erh.halls import close_halls
from services.games.tea_garden.scoring import final_lines
from services.games.tea_garden.state import OVER, LuYu, Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden import table
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import garden, kinds, options, own_cups, play, proclaim

CARD = {name: number for number, name in enumerate(solo.IDS)}
CARDS = solo.DATA["cards"]
HIM = 1


def turn_with(back: str) -> tuple[State, LuYu, Player, Turn]:
    s, lu, p = table.his_turn(back, pu_erh=True)
    return s, lu, p, Turn(s, lu, p)


def indicators(name: str) -> dict[str, Any]:
    back: dict[str, Any] = next(card["back"] for card in CARDS if card["id"] == name)
    return back


def score(s: State) -> dict[str, int]:
    return {line.label: line.points for line in final_lines(s, HIM) if line.points}


def test_ly_101_two_halls_and_his_messengers() -> None:
    s, _, p = table.his_turn(pu_erh=True)
    assert len(s.court.halls) == 2
    assert (p.messengers, p.waiting, p.turn_spaces) == (2, 2, 5)
    account(s)


def test_ly_201_ru_59_he_has_five_turn_spaces() -> None:
    s, lu, _ = table.his_turn(pu_erh=True)
    lu.laid, lu.deck = lu.deck[:5], lu.deck[5:]
    lu.fresh = lu.fermented = 9
    assert not take_turn(s, None) and len(lu.laid) == 5


@pytest.mark.parametrize(("fresh", "fermented", "after"), [(2, 1, (0, 0)), (9, 0, None), (0, 3, (0, 0)), (1, 1, None)])
def test_ly_202_ru_59_the_fifth_space_costs_as_the_fourth(
    fresh: int, fermented: int, after: tuple[int, int] | None
) -> None:
    s, lu, p = table.his_turn("LA18", pu_erh=True)
    lu.laid, lu.deck = lu.deck[:4], lu.deck[4:]
    lu.fresh, lu.fermented = fresh, fermented
    before = len(lu.deck)
    assert take_turn(s, None) == (after is not None)
    assert len(lu.laid) == (5 if after is not None else 4)
    assert after is not None or (len(lu.deck) == before and (lu.fresh, lu.fermented) == (fresh, fermented))
    assert p.hand == []


@pytest.mark.parametrize("card", CARDS, ids=[card["id"] for card in CARDS])
def test_ly_204_ly_205_each_front_with_the_expansion(card: dict[str, Any]) -> None:
    """Court and market are possible now: what stands to the right of their slash is not done."""
    top = "LB3" if card["id"] != "LB3" else "LA06"
    s, lu, p = table.his_turn(card["id"], top, pu_erh=True)
    lu.fresh, lu.fermented, p.tokens = 9, 9, 4
    told = play(s, do.LuYuTurn())
    steps = [(event.step, event.operation) for event in told if isinstance(event, do.LuYuStep) and event.done]
    expected = [
        (number, step["do"].get("main") or next(iter(step["do"]))) for number, step in enumerate(card["front"], 1)
    ]
    assert steps == expected
    counted = Counter(name for _, name in steps)
    assert sum(spaces.count(HIM) for spaces in s.court.spaces) == counted["court"]
    assert bool(p.sets) == bool(counted["market"])
    account(s)


def test_ly_206_no_reward_from_halls_or_tokens() -> None:
    _, lu, p, turn = turn_with("LA01")
    before = (lu.fresh, lu.fermented, p.tokens, p.vp, p.boat, p.sector, p.scrolls.copy())
    turn.court(6, None)
    turn.market(5, None)
    assert (lu.fresh, lu.fermented, p.tokens, p.vp, p.boat, p.sector, p.scrolls) == before
    assert sum(map(len, p.sets)) == 3


def test_ly_207_ru_57_decrees_after_his_turn_best_space_first() -> None:
    s, _, p = table.his_turn("LB1", pu_erh=True)
    proclaim(s, ("D4", "brown"), ("D6", "brown"), ("D3", "brown"))
    for region in (2, 3):
        garden(s, HIM, region)
    own_cups(s, p, "T01", "T02", "T03", "T04")
    p.centre, p.workers = 1, 5
    s.court.honours[1] = [0, -1]
    s.court.honours[2] = [0, 0]
    told = play(s, do.LuYuTurn())  # LB1 founds his fourth garden
    assert s.court.honours == [[HIM, -1], [0, HIM], [0, 0]] and s.court.beside == [[], [], [HIM]]
    assert (p.messengers, p.waiting) == (4, 0)
    fulfilled = [event for event in told if isinstance(event, do.DecreeFulfilled)]
    assert fulfilled == [
        do.DecreeFulfilled(HIM, "D4", 4, True),
        do.DecreeFulfilled(HIM, "D6", 2, True),
        do.DecreeFulfilled(HIM, "D3", 0, False),
    ]
    assert kinds(told)["LuYuStep"] and not options(s, do.ChooseHonour)
    assert score(s)["decrees"] == 6


def test_ly_209_the_backs_show_halls_and_market() -> None:
    s, _, _ = table.his_turn("LA07", pu_erh=True)
    back = indicators("LA07")
    view = GAME.view(s, 0).lu_yu
    assert view is not None and view.top.pu_erh == do.LuYuCourtBack(back["hall_priority"], back["market_order"])
    told = play(s, do.LuYuTurn())
    [card] = [event for event in told if isinstance(event, do.LuYuCard)]
    assert card.indicators.pu_erh is not None


@pytest.mark.parametrize("card", CARDS, ids=[card["id"] for card in CARDS])
def test_ly_304_each_back_names_the_hall(card: dict[str, Any]) -> None:
    """The highest free space within his total strength, in the first hall of the priority that has one."""
    back = card["back"]
    s, _, p, turn = turn_with(card["id"])
    first, second = (hall - 1 for hall in back["hall_priority"])
    total = 2 + back["strength"]
    reached = [space for space, strength in enumerate(HALL_SPACES) if strength <= total]
    assert turn.court(2, None) == ("hall_priority", total, HALL_IDS[s.court.halls[first]])
    assert s.court.spaces[first][reached[0]] == HIM and p.messengers == 1
    for space in reached:
        s.court.spaces[first][space] = 0
    turn.court(2, None)
    assert s.court.spaces[second][reached[0]] == HIM and p.messengers == 0


def test_ly_304_impossible_without_messenger_or_space() -> None:
    s, _, p, turn = turn_with("LA01")  # back.strength 0
    with pytest.raises(ImpossibleError, match="no_hall_space"):
        turn.court(0, None)
    s.court.spaces = [[-1, 0, 0, 0, 0], [-1, 0, 0, 0, 0]]
    with pytest.raises(ImpossibleError, match="no_hall_space"):
        turn.court(5, None)
    p.messengers = 0
    with pytest.raises(ImpossibleError, match="no_messenger"):
        turn.court(6, None)


@pytest.mark.parametrize("card", CARDS, ids=[card["id"] for card in CARDS])
def test_ly_305_each_back_gives_the_order_of_the_market(card: dict[str, Any]) -> None:
    back = card["back"]
    s, lu, p, turn = turn_with(card["id"])
    total = 3 + back["strength"]
    count = 3 if total >= 5 else 2
    row, refill = s.court.premium_row.copy(), s.court.premium_deck[::-1]
    leaves = lu.fresh, lu.fermented
    assert turn.market(3, None)[:2] == ("market_order", total)
    wanted = [position - 1 for position in back["market_order"]][:count]
    assert p.sets == [[row[position] for position in wanted]]
    assert [s.court.premium_row[position] for position in wanted] == refill[:count]
    assert (lu.fresh, lu.fermented) == leaves


@pytest.mark.parametrize(("strength", "tokens"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
def test_ly_305_tokens_by_strength(strength: int, tokens: int) -> None:
    _, _, p, turn = turn_with("LA01")
    turn.market(strength, None)
    assert sum(map(len, p.sets)) == tokens


def test_ly_305_cakes_of_three_in_order_of_gain() -> None:
    """PE-214 does not apply to him."""
    s, _, p, turn = turn_with("LA01")
    turn.market(3, None)
    story: list[Any] = []
    turn.market(5, story)
    assert [len(own) for own in p.sets] == [3, 2]
    placed = [event.public for event in story if isinstance(event.public, do.PuErhPlaced)]
    assert [(event.set, event.cake) for event in placed] == [(1, True), (2, False), (2, False)]
    taken = [event.public.token for event in story if isinstance(event.public, do.PuErhTaken)]
    assert taken == [PU_ERH_IDS[one] for one in (p.sets[0][2], *p.sets[1])]
    assert len(s.court.premium_deck) == 27 - 5


def test_ly_305_an_empty_place_uses_up_no_token_and_nothing_is_impossible() -> None:
    s, _, p, turn = turn_with("LA01")
    first, second, third = (position - 1 for position in indicators("LA01")["market_order"])
    row = s.court.premium_row.copy()
    s.court.premium_row[first] = -1
    turn.market(3, None)
    assert p.sets == [[row[second], row[third]]]
    s.court.premium_row = [-1, -1, -1]
    with pytest.raises(ImpossibleError, match="no_pu_erh"):
        turn.market(5, None)
    s.court.premium_row = row
    with pytest.raises(ImpossibleError, match="no_pu_erh"):
        turn.market(0, None)


def test_ly_501_ru_53_his_score_with_the_expansion() -> None:
    s, lu, p = table.his_turn(pu_erh=True)
    lu.fresh = lu.fermented = 0
    p.sets = [[12, 13, 14], [15, 16, 17], [18]]
    proclaim(s, ("D1", "brown"), ("D2", "red"))
    s.court.honours = [[HIM, -1], [0, HIM]]
    s.court.spaces[0] = [HIM, -1, -1, -1, -1]
    s.court.spaces[1] = [0, HIM, -1, -1, -1]
    close_halls(s, None)
    s.question = OVER
    assert score(s) == {"halls": 7, "cakes": 25, "decrees": 9}
    result = GAME.outcome(s)
    assert result is not None and result.scores[HIM] == 41
