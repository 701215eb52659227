"""What a seat may know, empty decks, and chance (TG-95x)."""

import msgspec

from services.engine import registry
from services.engine.dice import Dice
from services.games.tea_garden.game import GAME
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import (
    SEED,
    at_start,
    cards,
    in_turn,
    leaves,
    names,
    new_game,
    offer_caravan,
    offer_card,
    options,
    play,
    solo_game,
)

CODEC = registry.codec("tea_garden")


def test_tg_951_public_things_are_shown_to_all() -> None:
    s, p = in_turn("S01", hand=("S02",), scrolls=[1, 2, 3], tokens=4, caravans=[0])
    for seat in (0, 1, None):
        shown = GAME.view(s, seat).players[0]
        assert (shown.hand_size, shown.deck_size, shown.emperor_tokens) == (1, len(p.deck), 4)
        assert (shown.strength_scrolls, shown.teapot_scrolls, shown.repeat_scrolls) == (1, 2, 3)
        assert [stack.cards for stack in shown.stacks] == [["S01"]]
    view = GAME.view(s, None)
    assert (view.action_deck, view.caravan_deck, view.emperor_deck) == (14, 19, 13)


def test_tg_952_hands_and_deck_orders_are_hidden() -> None:
    s, p = at_start(("S02", "S05"))
    assert GAME.view(s, 0).players[0].hand == ["S02", "S05"]
    assert GAME.view(s, 1).players[0].hand == GAME.view(s, None).players[0].hand == []
    before = CODEC.view(s, 0)
    p.deck.reverse()
    s.action_deck.reverse()
    s.caravan_deck.reverse()
    s.emperor_deck.reverse()
    for stack in s.cup_stacks:
        stack[:-1] = reversed(stack[:-1])
    s.dice = Dice(bytes(32), 77)
    assert CODEC.view(s, 0) == before
    assert SEED not in before


def test_tg_952_a_draw_is_told_to_the_seat_that_drew() -> None:
    s, p = in_turn("A109", strength=1)
    [event] = [e for e in GAME.apply(s, do.UseEffect(1)) if isinstance(e.public, do.Drawn)]
    assert event.public == do.Drawn(0, 1, [], False)
    assert event.private == {0: do.Drawn(0, 1, names(p.hand), False)}
    assert event.reveals


def test_tg_952_a_redealt_position_mixes_what_is_hidden() -> None:
    s = new_game(3)
    other = GAME.redeal(s, 0, Dice(b"r" * 32))
    assert CODEC.view(s, 0) == CODEC.view(other, 0)
    assert s.players[0].hand == other.players[0].hand
    assert s.players[1].hand != other.players[1].hand
    assert s.action_deck != other.action_deck and s.cup_stacks != other.cup_stacks
    assert [s.tokens, s.action_row] == [other.tokens, other.action_row]
    assert other.dice.seed != s.dice.seed


def test_tg_953_the_discard_pile_is_open() -> None:
    """RU-35."""
    s, p = at_start(("S01",))
    p.discard = cards("S09", "S02")
    assert GAME.view(s, 1).players[0].discard == ["S09", "S02"]


def test_tg_954_empty_decks_no_longer_refill() -> None:
    s, p = in_turn("S07", strength=1, leaves=leaves(fresh={2: 2}), scrolls=[0, 1, 0])
    offer_card(s, "A107", 1)
    s.action_deck = []
    row = s.action_row.copy()
    play(s, do.Buy("A107"))
    assert s.action_row == row[1:]
    s, p = in_turn("S07", strength=2, leaves=leaves(fresh={2: 2}))
    offer_caravan(s, "C01", 2)
    s.caravan_deck = []
    row = s.caravan_row.copy()
    play(s, do.SellTea("C01", 1, 1))
    assert s.caravan_row == [row[0], -1, row[2]]
    assert GAME.view(s, 1).caravan_row[1] == ""
    s, p = in_turn("S07", leaves=leaves(fresh={1: 1}), tokens=2)
    s.emperor_deck = []
    first = s.emperor_row[0]
    play(s, do.StepEmperor(), do.Resolve("emperor_card", 1), do.TakeEmperorCard(names([first])[0]))
    assert s.emperor_row[0] == -1 and first in p.hand


def test_tg_955_an_empty_cup_stack_is_shown_empty() -> None:
    s, _ = in_turn("S02")
    s.cup_stacks[0] = []
    view = GAME.view(s, 0).cup_stacks[0]
    assert (view.top, view.size) == ("", 0) and not options(s, do.MakeCup)


def test_tg_956_supplies_are_unlimited() -> None:
    """RU-33."""
    s, p = in_turn("S03", leaves=leaves(fresh={2: 99}), tokens=50, scrolls=[20, 20, 20])
    play(s, do.Research("1a"), do.Decline())
    assert p.leaves[1] == 102


def test_tg_957_the_seed_decides_everything() -> None:
    for make in (new_game, solo_game):
        assert CODEC.encode(make(seed=b"a" * 32)) == CODEC.encode(make(seed=b"a" * 32))
        assert CODEC.encode(make(seed=b"a" * 32)) != CODEC.encode(make(seed=b"b" * 32))


def test_the_rules_version_changes_with_the_data() -> None:
    version, _ = msgspec.msgpack.decode(CODEC.encode(new_game()))
    assert version == CODEC.rules_version and version.startswith(f"{CODEC.game.rules}-")
