"""The five main actions and how they are paid (TG-4xx, TG-75x)."""

from itertools import permutations, product

from services.games.tea_garden.actions.costs import missing_teapots, payable
from services.games.tea_garden.components import (
    CARD_NEEDS_TEAPOTS,
    CARD_NUMBERS,
    FAR,
    NEAR,
    REGION_NUMBERS,
    STRENGTH_SCROLL,
    TEAPOT_SCROLL,
    count_teapots,
    members,
    pack_teapots,
    unpack_teapots,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.state import Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    at_start,
    cards,
    garden,
    in_turn,
    leaves,
    names,
    offer_caravan,
    offer_card,
    options,
    own_cups,
    play,
    question,
    refuse,
    token,
)


def regions(s: State) -> set[int]:
    return {action.region for action in options(s, do.Found)}


def test_ex_01_found_a_garden() -> None:
    """TG-401, TG-402, TG-403; RU-03, RU-04."""
    s, p = in_turn("S07", strength=5)
    assert p.pagodas == [2, 3, 3, 4, 5, 6]
    assert regions(s) == {2, 3, 6, 7, 4, 5, 8, 9}
    near = GAME.clone(s)
    play(near, do.Found(2))
    assert [a.strength for a in options(near, do.UsePagoda)] == [2, 3, 4, 5]
    token(s, 9, "B04")
    play(s, do.Found(9))
    assert [a.strength for a in options(s, do.UsePagoda)] == [2, 3]
    refuse(s, do.UsePagoda(4, 0))
    play(s, do.UsePagoda(3, 0))
    assert p.pagodas == [2, 3, 4, 5, 6]
    assert p.scrolls == [1, 0, 0] and p.vp == 0
    assert REGION_NUMBERS[9] in p.gardens
    account(s)


def test_tg_401_a_full_region_and_an_own_region_are_closed() -> None:
    """TG-404: one garden for each player and region, one for each main action."""
    s, _ = in_turn("S07", strength=5)
    garden(s, 1, 3, 0)
    s.spaces[REGION_NUMBERS[3]][1] = 1
    s.room &= ~(1 << REGION_NUMBERS[3])
    garden(s, 0, 2)
    assert 3 not in regions(s) and 2 not in regions(s)
    assert 5 in regions(s)  # through the full region: RU-04
    play(s, do.Found(6), do.UsePagoda(3, 0))
    refuse(s, do.Found(7))


def test_tg_402_distance_is_counted_in_borders() -> None:
    one = REGION_NUMBERS[1]
    assert members(NEAR[one]) == sorted(REGION_NUMBERS[r] for r in (2, 3, 6, 7))
    assert members(FAR[one]) == sorted(REGION_NUMBERS[r] for r in (1, 2, 3, 4, 5, 6, 7, 8, 9))
    s, p = in_turn("S07", strength=3)
    assert regions(s) == {2, 3, 6, 7}
    p.scrolls[STRENGTH_SCROLL] = 1
    assert 9 in regions(s)
    play(s, do.Found(9))
    assert p.scrolls[STRENGTH_SCROLL] == 0 and s.strength == 4
    s, p = in_turn("S07", strength=9)
    p.pagodas, p.gardens = [], p.gardens
    assert not regions(s)


def test_tg_403_the_chosen_space_scores_and_the_token_pays_every_founder() -> None:
    s, p = in_turn("S07", strength=2)
    garden(s, 0, 8)
    token(s, 10, "B17")
    p.pagodas = [2, 3, 4, 5, 6]
    play(s, do.Found(10))
    assert [a.space for a in options(s, do.ChooseSpace)] == [1, 2, 3]
    play(s, do.ChooseSpace(2))
    assert p.vp == 1 + 3
    assert s.spaces[REGION_NUMBERS[10]] == [-1, 0, -1]
    other, q = in_turn("S07", strength=2)
    garden(other, 0, 8)
    garden(other, 1, 10, 0)
    token(other, 10, "B17")
    q.pagodas = [2]
    play(other, do.Found(10), do.ChooseSpace(2))
    assert q.vp == 4


def test_ex_02_buy_with_a_teapot_scroll() -> None:
    """TG-411 to TG-415."""
    s, p = in_turn("S04", strength=4, leaves=leaves(fresh={3: 2}), scrolls=[0, 1, 0])
    offer_card(s, "A201", 5)
    sixth = s.action_row[5]
    coming = s.action_deck[-1]
    play(s, do.Buy("A201"))
    assert p.scrolls == [0, 0, 0] and not any(p.leaves)
    assert names(p.hand) == ["A201"] and not options(s, do.LayTop)
    assert s.action_row[4:] == [sixth, coming]


def test_tg_411_columns_ask_for_strength() -> None:
    """Columns 1, 1, 2, 3, 4, 5; missing strength by scrolls."""
    for column, needed in enumerate((1, 1, 2, 3, 4, 5), 1):
        s, p = in_turn("S07", strength=needed, leaves=leaves(fresh={2: 2}), scrolls=[0, 1, 0])
        offer_card(s, "A107", column)
        assert do.Buy("A107") in GAME.legal(s)
        s.strength = needed - 1
        refuse(s, do.Buy("A107"))
        p.scrolls[STRENGTH_SCROLL] = 1
        play(s, do.Buy("A107"))
        assert p.scrolls == [0, 0, 0]


def test_tg_413_teapots_of_earlier_top_cards_serve_every_purchase_of_the_round() -> None:
    """RU-09, RU-10."""
    s, p = at_start(("S05",), leaves=leaves(fresh={2: 4}))
    offer_card(s, "A102", 1)
    offer_card(s, "A108", 2)
    p.leaves = leaves(fresh={2: 5})
    play(s, do.LayTop("S05"), do.Buy("A102"), do.EndTurn(), do.PassRound())
    assert GAME.actor(s) == 0
    play(s, do.LayTop("A102"))
    play(s, do.Buy("A108"))
    assert names(p.hand) == ["A108"] and p.teapots == pack_teapots((0, 1, 0, 0))


def test_tg_413_missing_teapots_by_scroll_by_leaves_or_by_fermented_leaves() -> None:
    """RU-11, RU-12, TG-752: each is paid for itself, with other leaves than the card."""
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={1: 3, 4: 2}, fermented={1: 2}), scrolls=[0, 1, 0])
    offer_card(s, "A307", 1)
    play(s, do.Buy("A307"))
    assert {a.by for a in options(s, do.CoverTeapot)} == {"scroll", "leaves", "fermented"}
    play(s, do.CoverTeapot("leaves"))
    assert {a.by for a in options(s, do.CoverTeapot)} == {"scroll", "fermented"}
    play(s, do.CoverTeapot("fermented"))
    assert not any(p.leaves) and p.scrolls == [0, 1, 0] and names(p.hand) == ["A307"]
    s, p = in_turn("S07", strength=1, leaves=leaves(fermented={4: 3}))
    offer_card(s, "A307", 1)
    refuse(s, do.Buy("A307"))  # 2 + 2 + 2 leaves are needed


def test_tg_414_teapots_are_matched_exactly() -> None:
    """The formula covers as many teapots as the best assignment found by trying all."""
    colours = ("green", "red", "blue", "any")

    def best(needs: list[str], have: list[str]) -> int:
        slots = have + ["none"] * len(needs)
        return max(
            sum((n == "any" and h != "none") or h in (n, "any") for n, h in zip(needs, chosen, strict=False))
            for chosen in permutations(slots, len(needs))
        )

    for card in ("A101", "A107", "A201", "A307", "A406", "A501", "A508", "A509"):
        number = CARD_NUMBERS[card]
        counts = unpack_teapots(CARD_NEEDS_TEAPOTS[number])
        needs = [colour for colour, count in zip(colours, counts, strict=True) for _ in range(count)]
        for size in range(4):
            for have in product(colours, repeat=size):
                visible = pack_teapots(count_teapots(list(have)))
                assert missing_teapots(number, visible) == len(needs) - best(needs, list(have)), (card, have)


def test_tg_415_the_row_slides_and_refills() -> None:
    s, _ = in_turn("S07", strength=1, leaves=leaves(fresh={2: 3}), scrolls=[0, 3, 0])
    row, coming = s.action_row.copy(), s.action_deck[-1]
    bought = options(s, do.Buy)[0]
    column = row.index(CARD_NUMBERS[bought.card])
    events = play(s, bought)
    assert s.action_row == row[:column] + row[column + 1 :] + [coming]
    assert do.Bought(0, bought.card, column + 1) in events
    refuse(s, do.Buy(names(s.action_row)[0]))


def test_ex_03_caravan() -> None:
    """TG-421, TG-422, TG-423; RU-13, RU-14."""
    s, p = in_turn("S07", strength=6, leaves=leaves(fresh={1: 1, 3: 2}, fermented={2: 1}))
    own_cups(s, p, "T01", "T02")
    offer_caravan(s, "C16", 2)
    coming = s.caravan_deck[-1]
    assert do.SellTea("C16", 1, 1) in GAME.legal(s)  # the lower option is open too
    play(s, do.SellTea("C16", 1, 2))
    assert not any(p.leaves)
    assert p.markers == [[1]] and p.vp == 8 and p.tokens == 1
    assert GAME.view(s, 0).players[0].caravans == ["C16"]
    assert s.caravan_row[1] == coming
    refuse(s, do.SellTea(GAME.view(s, 0).caravan_row[0], 1, 1))


def test_tg_421_both_options_must_be_met() -> None:
    s, p = in_turn("S07", strength=3, leaves=leaves(fresh={1: 4}))
    offer_caravan(s, "C16")
    refuse(s, do.SellTea("C16", 1, 1))  # strength 4
    s.strength = 4
    refuse(s, do.SellTea("C16", 1, 1))  # one leaf must be fermented
    p.leaves = leaves(fresh={1: 3}, fermented={1: 1})
    assert do.SellTea("C16", 1, 1) in GAME.legal(s)
    refuse(s, do.SellTea("C16", 1, 2))


def test_ex_04_ferment() -> None:
    """TG-431, RU-05."""
    s, p = in_turn("S07", strength=4, leaves=leaves(fresh={3: 3, 4: 2}, fermented={5: 2}))
    play(s, do.Ferment())
    refuse(s, do.Done())
    play(s, do.FermentLeaf(4), do.FermentLeaf(4), do.FermentLeaf(3))
    assert do.Done() in GAME.legal(s)
    play(s, do.FermentLeaf(3))
    assert p.leaves == leaves(fresh={3: 1}, fermented={3: 2, 4: 2, 5: 2})
    assert question(s) == "open"


def test_tg_431_strength_scrolls_ferment_more() -> None:
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={3: 3}), scrolls=[1, 0, 0])
    play(s, do.Ferment(), do.FermentLeaf(3))
    assert set(GAME.legal(s)) == {do.AddStrength(), do.Done()}
    play(s, do.AddStrength(), do.FermentLeaf(3))
    assert p.leaves == leaves(fresh={3: 1}, fermented={3: 2}) and p.scrolls == [0, 0, 0]
    s, p = in_turn("S07", leaves=leaves(fermented={3: 3}))
    refuse(s, do.Ferment())


def six_gardens(strength: int) -> tuple[State, Player]:
    s, p = in_turn("S07", strength=strength, leaves=leaves())
    for region in (3, 4, 10, 11, 12):
        garden(s, 0, region)
    return s, p


def test_ex_05_extra_harvest() -> None:
    """TG-441, RU-06. Values 2, 3, 4, 5, 6, 6."""
    s, p = six_gardens(4)
    play(s, do.Harvest(), *map(do.HarvestGarden, (4, 10, 11, 12)))
    assert p.leaves == leaves(fresh={4: 1, 5: 1, 6: 2})
    s, p = six_gardens(3)
    play(s, do.Harvest(), *map(do.HarvestGarden, (1, 3, 12)))
    assert p.leaves == leaves(fresh={2: 1, 3: 1, 6: 1})
    s, p = six_gardens(9)
    play(s, do.Harvest())
    assert p.leaves == leaves(fresh={2: 1, 3: 1, 4: 1, 5: 1, 6: 2})


def test_tg_441_each_garden_once_and_scrolls_reach_more_gardens() -> None:
    s, p = in_turn("S07", strength=1, leaves=leaves(), scrolls=[1, 0, 0])
    garden(s, 0, 2)
    garden(s, 0, 3)
    play(s, do.Harvest(), do.HarvestGarden(1))
    refuse(s, do.HarvestGarden(1))
    play(s, do.AddStrength(), do.HarvestGarden(3))
    assert p.leaves == leaves(fresh={2: 1, 3: 1})
    assert question(s) == "open"


def test_ex_13_three_leaves_of_quality_two() -> None:
    """TG-751: as a price any leaves of at least that quality, as a reward three fresh leaves in basket 2."""
    assert payable(leaves(fresh={2: 1, 4: 1}, fermented={2: 1}), [(3, 0, 2)])
    assert not payable(leaves(fresh={1: 3}), [(3, 0, 2)])
    s, p = in_turn("S03", leaves=leaves(fresh={2: 1, 4: 1}, fermented={2: 1}), scrolls=[0, 9, 0])
    offer_card(s, "A108", 1)
    s.strength = 1
    play(s, do.Buy("A108"))
    assert not any(p.leaves)
    play(s, do.Research("1a"))
    assert p.leaves == leaves(fresh={2: 3})


def test_tg_751_the_payer_chooses_the_leaves_and_gets_no_change() -> None:
    s, p = in_turn("S07", strength=2, leaves=leaves(fresh={1: 2, 6: 2}, fermented={3: 1}))
    offer_caravan(s, "C01")
    play(s, do.SellTea("C01", 1, 1))
    assert set(GAME.legal(s)) == {do.Pay(1, False), do.Pay(3, True), do.Pay(6, False)}
    play(s, do.Pay(3, True))
    assert p.leaves == leaves(fresh={1: 2, 6: 1}) and p.vp == 4  # only leaves above basket 3 are left to pay


def test_tg_751_a_brown_cost_takes_fermented_leaves_only() -> None:
    s, p = in_turn("S07", strength=4, leaves=leaves(fresh={1: 5}, fermented={2: 1, 5: 1}))
    offer_caravan(s, "C24")
    play(s, do.SellTea("C24", 1, 1))
    assert p.leaves == leaves(fresh={1: 5})


def test_tg_752_leaves_for_the_teapot_are_left_when_the_card_is_paid() -> None:
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={2: 2}, fermented={2: 2}))
    offer_card(s, "A107", 1)
    play(s, do.Buy("A107"))
    assert not any(p.leaves) and names(p.hand) == ["A107"]
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={2: 3}, fermented={2: 2}))
    offer_card(s, "A107", 1)
    play(s, do.Buy("A107"))
    if question(s) == "cover":
        play(s, do.CoverTeapot("fermented"))
    assert p.leaves == leaves(fresh={2: 1})  # the fermented leaves had to stay for the teapot


def test_tg_753_nothing_is_paid_in_part() -> None:
    s, p = in_turn("S07", strength=9, leaves=leaves(fresh={1: 1}), tokens=2, row=1)
    offer_caravan(s, "C09")
    refuse(s, do.SellTea("C09", 1, 1))
    refuse(s, do.StepEmperor())
    assert p.leaves == leaves(fresh={1: 1}) and p.tokens == 2
    assert p.scrolls[TEAPOT_SCROLL] == 0 and cards("S07") == p.stacks[0]


def test_every_payment_can_be_made_in_one_order_only() -> None:
    s, _ = in_turn("S07", strength=2, leaves=leaves(fresh={1: 2, 3: 2}))
    offer_caravan(s, "C01")
    play(s, do.SellTea("C01", 1, 1))
    assert set(GAME.legal(s)) == {do.Pay(1, False), do.Pay(3, False)}
    play(s, do.Pay(3, False))
    assert question(s) == "open"  # the other leaf comes from basket 3 too
