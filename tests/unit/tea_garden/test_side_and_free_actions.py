"""Side actions, free actions and rewards (TG-5xx, TG-6xx, TG-7xx)."""

from services.games.tea_garden.actions.rewards import grant, settle
from services.games.tea_garden.components import REPEAT_SCROLL, compile_reward
from services.games.tea_garden.game import GAME
from services.games.tea_garden.scoring import matched_links, river_points, university_points
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import (
    at_start,
    cards,
    garden,
    in_turn,
    leaves,
    names,
    offer_caravan,
    offer_card,
    offer_tile,
    options,
    own_cups,
    play,
    question,
    refuse,
    tiles,
    token,
)


def test_ex_06_river() -> None:
    """TG-501, TG-503."""
    s, p = in_turn("S01")
    p.boat = 2
    play(s, do.Sail())
    assert (p.boat, p.tokens, p.vp) == (3, 1, 0)
    assert river_points(p) == 2


def test_tg_501_boats_do_not_block() -> None:
    s, p = in_turn("S01")
    p.boat = s.players[1].boat = 2
    s.players[1].boat = 3
    play(s, do.Sail())
    assert p.boat == s.players[1].boat == 3


def test_tg_502_the_end_of_the_river_has_spots() -> None:
    """RU-36."""
    s, p = in_turn("S01")
    q = s.players[1]
    q.boat, q.spot = 9, s.spots.pop(0)
    p.boat = 8
    play(s, do.Sail(), do.Decline())
    assert (q.spot, p.spot, s.spots) == (23, 21, [20, 19])
    assert river_points(p) == 21
    assert not options(s, do.Sail)


def test_tg_511_stacks_of_provinces_with_an_own_garden() -> None:
    """RU-27: the start garden gives access to the yellow stack."""
    s, p = in_turn("S02")
    assert [a.province for a in options(s, do.MakeCup)] == ["yellow"]
    garden(s, 0, 6)
    assert [a.province for a in options(s, do.MakeCup)] == ["yellow", "blue"]
    s.cup_stacks[0] = []  # TG-955
    assert [a.province for a in options(s, do.MakeCup)] == ["blue"]
    below = s.cup_stacks[2][-2]
    top = s.cup_stacks[2][-1]
    play(s, do.MakeCup("blue"))
    assert p.cups == [[top]] and s.cup_stacks[2][-1] == below


def test_tg_512_new_row_or_either_end() -> None:
    s, p = in_turn("S02")
    own_cups(s, p, "T01", "T02")
    own_cups(s, p, "T03")
    offer_tile(s, "T05", 0)
    play(s, do.MakeCup("yellow"))
    ends = {(a.row, a.end) for a in options(s, do.PlaceCup)}
    assert ends == {(0, "right"), (1, "left"), (1, "right"), (2, "left"), (2, "right")}
    new = GAME.clone(s)
    play(new, do.PlaceCup(0, "right"))
    assert new.players[0].cups[2] == tiles("T05")
    play(s, do.PlaceCup(1, "left"))
    assert p.cups == [tiles("T05", "T01", "T02"), tiles("T03")]
    assert p.markers == [[1, 0], []]


def test_tg_513_a_new_link_gets_a_marker_whatever_the_colours() -> None:
    """T05 is blue and green, T01 blue on both sides."""
    for end, matched in (("left", 0), ("right", 1)):
        s, p = in_turn("S02")
        own_cups(s, p, "T01")
        offer_tile(s, "T05", 0)
        play(s, do.MakeCup("yellow"), do.PlaceCup(1, end))
        assert p.markers == [[1]] and matched_links(p) == matched


def test_tg_514_a_link_holds_any_number_of_markers() -> None:
    """TG-707: the player chooses the link."""
    s, p = in_turn("S01", strength=9, leaves=leaves(fresh={1: 5}))
    own_cups(s, p, "T01", "T02", "T03", markers=[3, 0])
    p.boat = 5
    play(s, do.Sail(), do.MarkLink(1, 1))
    assert p.markers == [[4, 0]]
    s, p = in_turn("S01")
    p.boat = 5
    play(s, do.Sail())  # no link: the marker is lost
    assert question(s) == "open" and not p.markers


def test_ex_08_research_over_the_start() -> None:
    """TG-521, TG-522."""
    s, p = in_turn("S03", strength=4, leaves=leaves(fresh={2: 2, 3: 1}))
    p.sector, p.part = 4, 6
    assert {a.part for a in options(s, do.Research)} == {"1a", "1b"}
    play(s, do.Research("1b"), do.FermentLeaf(3), do.FermentLeaf(2))
    assert p.leaves == leaves(fresh={2: 1}, fermented={2: 1, 3: 1})
    assert (p.sector, p.centre, p.workers) == (1, 1, 5)
    assert university_points(p) == 10 + 2
    assert options(s, do.Found)


def test_tg_522_without_workers_nothing_happens() -> None:
    s, p = in_turn("S03")
    p.sector, p.centre, p.workers = 4, 6, 0
    play(s, do.Research("1a"))
    assert (p.sector, p.centre, p.workers) == (1, 6, 0)


def test_tg_523_workers_do_not_block() -> None:
    s, p = in_turn("S03")
    s.players[1].sector, s.players[1].part = 1, 0
    play(s, do.Research("1a"))
    assert p.part == s.players[1].part


def test_ex_07_cup_marker() -> None:
    """TG-603: one tile's bonus or the other's, not both."""
    s, p = in_turn("S07")
    own_cups(s, p, "T04", "T09", markers=[1])
    other = GAME.clone(s)
    play(s, do.UseMarker(1, 1, "T04"))
    assert (p.tokens, p.vp, p.markers) == (1, 0, [[0]])
    refuse(s, do.UseMarker(1, 1, "T09"))
    play(other, do.UseMarker(1, 1, "T09"))
    assert (other.players[0].tokens, other.players[0].vp) == (0, 3)


def test_ex_09_emperor_step() -> None:
    """TG-601, TG-602, TG-704."""
    s, p = in_turn("S07", leaves=leaves(fresh={1: 1}), tokens=2)
    coming = s.emperor_deck[-1]
    first, deck = s.emperor_row[0], sorted(p.deck)
    play(s, do.StepEmperor(), do.Resolve("emperor_card", 1), do.TakeEmperorCard(names([first])[0]))
    assert (p.row, p.tokens, sum(p.leaves)) == (1, 0, 0)
    assert p.hand == [first] and s.emperor_row[0] == coming
    assert question(s) == "remove"
    assert GAME.view(s, 0).turn.deck == names(deck) and GAME.view(s, 1).turn.deck == []
    gone = names(deck)[0]
    counter = s.dice.counter
    play(s, do.RemoveCard(gone, "deck"))
    assert sorted(p.deck) == deck[1:] and names(s.removed) == [gone]
    assert s.dice.counter > counter  # the deck was shuffled


def test_tg_601_steps_repeat_while_they_can_be_paid_and_end_on_top() -> None:
    s, p = in_turn("S07", leaves=leaves(fresh={6: 3}), tokens=6, row=4)
    play(s, do.StepEmperor())
    play(s, options(s, do.TakeEmperorCard)[0], do.StepEmperor())
    assert (p.row, p.tokens) == (6, 0)
    p.tokens = 9
    refuse(s, do.StepEmperor())


def test_tg_602_without_emperor_cards_the_reward_is_lost() -> None:
    """RU-37, TG-954."""
    s, p = in_turn("S07", leaves=leaves(fresh={5: 1}), tokens=3, row=4)
    s.emperor_row, s.emperor_deck = [-1, -1, -1], []
    play(s, do.StepEmperor())
    assert p.row == 5 and p.hand == [] and question(s) == "open"


def test_ex_10_a_whole_turn() -> None:
    """TG-604: a scroll gained in the side action repeats it; a second repeat is illegal."""
    s, p = at_start(("S01", "S11"), leaves=leaves(fresh={5: 3}, fermented={1: 1, 4: 1}))
    p.boat = 4
    p.stacks = [cards("S06")]
    p.deck.remove(cards("S06")[0])
    p.teapots = 1 << 10
    own_cups(s, p, "T01", "T03")
    offer_card(s, "A401", 4)
    play(s, do.LayTop("S01"), do.LayUnder("S11"))
    s.strength = 4
    play(s, do.Sail())
    assert (p.boat, p.tokens, p.scrolls[REPEAT_SCROLL]) == (5, 1, 1)
    assert question(s) == "repeat"
    play(s, do.RepeatSide("scroll"))
    assert (p.boat, p.markers, p.scrolls[REPEAT_SCROLL]) == (6, [[1]], 0)
    play(s, do.Buy("A401"))
    if question(s) == "cover":
        play(s, do.CoverTeapot("fermented"))
    assert names(p.hand) == ["A401"] and not any(p.leaves)
    p.scrolls[REPEAT_SCROLL] = 1
    refuse(s, do.RepeatSide("scroll"))


def test_tg_604_repeat_for_three_fermented_leaves_the_same_kind_once_a_turn() -> None:
    """RU-16, RU-17, RU-19."""
    s, p = in_turn("A404", strength=4, leaves=leaves(fermented={1: 2, 3: 4}), scrolls=[0, 0, 1])
    play(s, do.MakeCup("yellow"))
    assert set(GAME.legal(s)) == {do.Decline(), do.RepeatSide("scroll"), do.RepeatSide("fermented")}
    play(s, do.RepeatSide("fermented"), do.Pay(1, True), do.Pay(3, True))
    assert p.leaves == leaves(fermented={1: 1, 3: 2})
    assert question(s) == "side" and {type(a) for a in GAME.legal(s)} == {do.MakeCup}
    play(s, do.MakeCup("yellow"), do.PlaceCup(1, "right"))
    assert question(s) == "open" and p.scrolls[REPEAT_SCROLL] == 1
    assert len(p.cups[0]) == 2


def test_tg_604_a_side_action_from_a_reward_can_be_repeated_at_once() -> None:
    """RU-16, RU-18: at once, and only after the rewards of the side action."""
    s, p = in_turn("S07", strength=3, leaves=leaves(fresh={1: 5}), scrolls=[0, 0, 2])
    offer_caravan(s, "C15")
    p.boat = 1
    play(s, do.SellTea("C15", 1, 1), do.Sail(), do.FermentLeaf(1))
    assert question(s) == "repeat"
    assert not options(s, do.EndTurn)
    play(s, do.RepeatSide("scroll"))
    assert (p.boat, p.tokens) == (3, 1) and question(s) == "open"
    assert not s.side_used


def test_tg_605_scrolls_have_no_other_use() -> None:
    s, _ = in_turn("S07", scrolls=[1, 1, 1])
    kinds = {type(action) for action in GAME.legal(s)}
    assert kinds <= {do.EndTurn, do.Found, do.Buy, do.SellTea, do.Ferment, do.Harvest}


def test_tg_701_the_player_orders_rewards_gained_together() -> None:
    """RU-15: a side action is finished with its repeat window before the next reward."""
    s, p = in_turn("S07", leaves=leaves(fresh={4: 1}), tokens=2, row=3, scrolls=[0, 0, 1])
    play(s, do.StepEmperor())
    assert set(GAME.legal(s)) == {do.Resolve("side_action", 1, "any"), do.Resolve("remove_card", 1)}
    other = GAME.clone(s)
    play(other, do.Resolve("remove_card", 1), do.Decline())
    assert question(other) == "side"
    play(s, do.Resolve("side_action", 1, "any"), do.Sail())
    assert question(s) == "repeat"
    play(s, do.Decline())
    assert question(s) == "remove" and p.boat == 1


def test_tg_702_draw_from_the_deck_then_from_the_shuffled_discard_pile() -> None:
    """RU-22, RU-23."""
    s, p = in_turn("A109", strength=1)
    p.discard, p.deck = p.deck, []
    held = sorted(p.discard)
    play(s, do.UseEffect(1))
    assert len(p.hand) == 1 and p.discard == [] and sorted(p.hand + p.deck) == held
    s, p = in_turn("A109", strength=1)
    p.deck = []
    assert not options(s, do.UseEffect)


def test_tg_702_a_draw_may_be_declined() -> None:
    s, p = in_turn("S03")
    p.sector = 2
    play(s, do.Research("3a"))
    assert set(GAME.legal(s)) == {do.Resolve("draw", 1), do.Decline("draw", 1)}
    play(s, do.Decline("draw", 1))
    assert p.hand == [] and question(s) == "open"


def test_tg_703_draw_and_discard_as_many() -> None:
    s, p = in_turn("S07", hand=("S01",))
    own_cups(s, p, "T08", "T01", markers=[1])
    play(s, do.UseMarker(1, 1, "T08"))
    assert len(p.hand) == 3
    play(s, do.DiscardCard("S01"))
    drawn = names(p.hand)
    play(s, do.DiscardCard(drawn[0]))  # a drawn card may go too
    assert names(p.hand) == drawn[1:] and names(p.discard) == ["S01", drawn[0]]
    s, p = in_turn("S07", hand=("S01",))
    p.deck = p.deck[:1]
    own_cups(s, p, "T08", "T01", markers=[1])
    play(s, do.UseMarker(1, 1, "T08"), do.DiscardCard("S01"))
    assert len(p.hand) == 1 and question(s) == "open"  # only one was drawn


def test_tg_704_remove_from_hand_deck_or_discard_pile_but_not_from_the_board() -> None:
    """RU-24, RU-25."""
    s, p = in_turn("S07", hand=("S01",), strength=3, leaves=leaves(fresh={1: 3}))
    p.discard = [p.deck.pop(0)]
    offer_caravan(s, "C13")
    play(s, do.SellTea("C13", 1, 1))
    places = {(a.card, a.place) for a in options(s, do.RemoveCard)}
    assert places == {
        ("S01", "hand"),
        *((card, "deck") for card in names(p.deck)),
        *((card, "discard") for card in names(p.discard)),
    }
    refuse(s, do.RemoveCard("S07", "hand"))
    declined = GAME.clone(s)
    play(declined, do.Decline())
    assert declined.removed == []
    play(s, do.RemoveCard("S01", "hand"))
    assert p.hand == [] and names(s.removed) == ["S01"]


def test_tg_705_sell_leaves_split_over_the_turn_six_in_all() -> None:
    """RU-34."""
    s, p = in_turn("A408", leaves=leaves(fresh={1: 4}, fermented={6: 4}))
    play(s, do.SellLeaf(1, False), do.SellLeaf(6, True))
    assert p.vp == 3
    play(s, do.Harvest())
    for _ in range(2):
        play(s, do.SellLeaf(6, True), do.SellLeaf(1, False))
    assert p.vp == 9
    refuse(s, do.SellLeaf(6, True))


def test_tg_706_ferment_up_to_n() -> None:
    """RU-61: with fewer fresh leaves those there are, without any nothing."""
    s, p = in_turn("A208", leaves=leaves(fresh={3: 1}, fermented={2: 1}))
    play(s, do.UseEffect(1), do.FermentLeaf(3))
    assert p.leaves == leaves(fermented={2: 1, 3: 1}) and question(s) == "open"
    s, p = in_turn("A208", leaves=leaves(fresh={3: 2}))
    play(s, do.UseEffect(1), do.FermentLeaf(3), do.Done())
    assert p.leaves == leaves(fresh={3: 1}, fermented={3: 1})
    s, p = in_turn("A208", leaves=leaves(fermented={2: 1}))
    refuse(s, do.UseEffect(1))


def test_tg_701_a_marker_waits_for_the_link_that_a_side_action_makes() -> None:
    s, p = in_turn("S07", strength=9, leaves=leaves(fresh={1: 9}))
    own_cups(s, p, "T01")
    s.frames = [[0, *pending("cup_marker", "side_action")]]
    settle(s, p, None)
    assert question(s) == "side"
    play(s, do.MakeCup("yellow"), do.PlaceCup(1, "right"))
    assert p.markers == [[2]] and question(s) == "open"


def pending(*kinds: str) -> list[int]:
    words: dict[str, object] = {"cup_marker": 1, "side_action": "any", "scroll": "any", "harvest_each": 1}
    return [code for kind in kinds for code in compile_reward([{kind: words[kind]}])]


def test_the_rest_of_the_reward_vocabulary_works_too() -> None:
    """A scroll of the player's choice, and a leaf from every garden: words of the data that this box does not use."""
    s, p = in_turn("S07", leaves=leaves())
    garden(s, 0, 2)
    grant(s, p, tuple(pending("scroll", "harvest_each")), None)
    settle(s, p, None)
    assert p.leaves == leaves(fresh={2: 1, 3: 1})
    play(s, do.TakeScroll("repeat"))
    assert p.scrolls == [0, 0, 1] and question(s) == "open"


def test_a_founder_may_order_token_rewards_after_the_points() -> None:
    s, p = in_turn("S07", strength=2)
    garden(s, 0, 8)
    token(s, 10, "B18")
    p.pagodas = [2]
    play(s, do.Found(10), do.ChooseSpace(1))
    assert p.vp == 2 and question(s) == "side"
    play(s, do.Research("1a"))
    assert p.sector == 1
