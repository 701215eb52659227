"""The Pu-erh expansion: setup, scoring, and what each seat may know (PE-1…, PE-4…)."""

import json
from collections import Counter

import pytest
from msgspec import UNSET

from services.engine import registry
from services.engine.dice import Dice
from services.engine.registry import GAMES
from services.games.tea_garden.components import CARAVAN_BASIC, CARD_NUMBERS, TOKEN_IDS
from services.games.tea_garden.game import GAME
from services.games.tea_garden.pu_erh.components import (
    DECREE_IDS,
    DECREE_KINDS,
    DECREE_SIDE,
)
from services.games.tea_garden.scoring import counted, final_lines
from services.games.tea_garden.state import QUESTIONS
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import account
from tests.unit.tea_garden.table import (
    SEED,
    answer_until,
    at_start,
    cards,
    court_turn,
    leaves,
    line,
    new_game,
    offer_token,
    options,
    own_cups,
    own_set,
    play,
    proclaim,
    question,
)

CODEC = registry.codec("tea_garden")
GREEN, PINK = 0, 1


def test_pe_101_the_added_pieces_are_mixed_in() -> None:
    on_map: set[str] = set()
    dealt: set[int] = set()
    for seed in range(30):
        s = new_game(2, bytes([seed]) * 32, pu_erh=True)
        account(s)
        assert sum(one >= 0 for one in s.tokens) == 15
        on_map |= {TOKEN_IDS[one] for one in s.tokens if one >= 0}
        assert CARD_NUMBERS["E17"] in s.emperor_row + s.emperor_deck
        order = [CARAVAN_BASIC[caravan] for caravan in s.caravan_row + s.caravan_deck[::-1]]
        assert order == [True] * 7 + [False] * 19
        dealt |= set(s.caravan_row)
    assert {"B19", "B20"} <= on_map
    assert any(caravan >= 30 for caravan in dealt)


def test_pe_101_the_base_game_knows_nothing_of_it() -> None:
    s = new_game(4)
    assert CARD_NUMBERS["E17"] not in s.emperor_row + s.emperor_deck
    assert s.players[0].turn_spaces == 4
    assert GAME.view(s, 0).pu_erh is UNSET and b"pu_erh" not in CODEC.view(s, 0)
    account(s)


def test_pe_102_three_tokens_of_each_kind_lie_open() -> None:
    s = new_game(3, pu_erh=True)
    shown = GAME.view(s, None).pu_erh
    assert shown is not None
    assert (len(shown.basic_row), shown.basic_pile) == (3, 9)
    assert (len(shown.premium_row), shown.premium_pile) == (3, 27)
    assert all(name.startswith("PB") for name in shown.basic_row)
    assert all(name.startswith("PP") for name in shown.premium_row)


@pytest.mark.parametrize(("players", "halls"), [(2, 2), (3, 3), (4, 3)])
def test_pe_103_halls_for_the_number_of_players(players: int, halls: int) -> None:
    s = new_game(players, pu_erh=True)
    assert len(s.court.halls) == halls and len(s.court.hall_deck) == 15 - halls


def test_pe_104_two_easy_and_two_hard_decrees() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(40):
        s = new_game(2, bytes([seed]) * 32, pu_erh=True)
        in_play = [(DECREE_IDS[one], DECREE_SIDE[one]) for one in s.court.decrees]
        assert [side for _, side in in_play] == ["brown", "brown", "red", "red"]
        assert len({name for name, _ in in_play}) == 4
        seen.update(in_play)
    assert len(seen) == 14


def test_pe_105_messengers_and_a_fifth_turn_space_that_costs_as_the_fourth() -> None:
    s, p = at_start(("S01", "S02"), stacks=4, pu_erh=True, leaves=leaves(fresh={1: 2}, fermented={1: 1}))
    assert (p.messengers, p.waiting, p.turn_spaces) == (2, 2, 5)
    play(s, do.LayTop("S01"), do.Done())
    assert len(p.stacks) == 5 and not any(p.leaves)
    s, p = at_start(("S01",), stacks=4, pu_erh=True, leaves=leaves(fresh={1: 9}))
    assert not options(s, do.LayTop)
    s, p = at_start(("S01",), stacks=5, pu_erh=True, leaves=leaves(fermented={1: 9}))
    assert not options(s, do.LayTop)
    s, p = at_start(("S01",), stacks=4, leaves=leaves(fermented={1: 9}))
    assert not options(s, do.LayTop)  # the base game has no fifth space


def test_pe_105_ru_46_the_fifth_space_comes_after_the_fourth() -> None:
    s, p = at_start(("S01", "S02"), stacks=3, pu_erh=True, leaves=leaves(fermented={1: 6}))
    play(s, do.LayTop("S01"), do.Done())
    assert len(p.stacks) == 4 and sum(p.leaves) == 3


def test_pe_402_the_points_of_decrees_count_at_the_end() -> None:
    s, p = court_turn()
    proclaim(s, ("D1", "brown"), ("D3", "red"))
    s.court.honours = [[1, 0], [0, 1]]
    assert (line(s, 0, "decrees"), line(s, 1, "decrees")) == (2 + 8, 4 + 5)
    assert p.vp == 0


@pytest.mark.parametrize(("number", "points"), [(0, 0), (1, 5), (4, 20), (5, 20)])
def test_pe_403_tg_912_the_added_emperor_card_counts_cakes(number: int, points: int) -> None:
    s, p = court_turn()
    p.sets = [[0, 1, 2]] * number + [[3, 4]]
    p.hand = cards("E17")
    assert counted(p, p.hand, "pu_erh_cake") == number
    assert line(s, 0, "emperor_cards") == points


def test_what_is_hidden_is_dealt_anew_and_the_view_stays() -> None:
    """PE-102, PE-103, TG-952."""
    s = new_game(3, pu_erh=True)
    changed = 0
    for number in range(5):
        other = GAME.redeal(s, 0, Dice(bytes([number]) * 32))
        account(other)
        assert CODEC.view(other, 0) == CODEC.view(s, 0)
        changed += other.court.premium_deck != s.court.premium_deck
        changed += other.court.basic_deck != s.court.basic_deck
        changed += other.court.hall_deck != s.court.hall_deck
    assert changed == 15
    before = CODEC.view(s, None)
    for deck in (s.court.premium_deck, s.court.basic_deck, s.court.hall_deck):
        deck.reverse()
    assert CODEC.view(s, None) == before


def test_the_same_seed_deals_the_same_court() -> None:
    one, two = new_game(seed=SEED, pu_erh=True), new_game(seed=SEED, pu_erh=True)
    assert CODEC.encode(one) == CODEC.encode(two)
    assert CODEC.encode(CODEC.decode(CODEC.encode(one))) == CODEC.encode(one)


def test_cup_links_and_cakes_give_the_piece_in_question() -> None:
    s, p = court_turn(strength=1, leaves=leaves(fresh={1: 1, 2: 1, 3: 1}))
    own_cups(s, p, "T01", "T02")
    own_set(s, p, "PB01")
    offer_token(s, "PP13")
    play(s, do.VisitMarket(0), do.BuyPuErh("PP13"))
    view = GAME.view(s, 0).turn
    assert (view.paying_for, view.piece) == ("pu_erh", "PP13")
    answer_until(s, "place_pu_erh")
    assert GAME.view(s, 0).turn.piece == "PP13"
    proclaim(s, ("D5", "brown"))
    p.caravans = [0, 1, 2]
    play(s, do.PlacePuErh(0))
    assert (question(s), GAME.view(s, 0).turn.piece) == ("decree_space", "D5")


@pytest.mark.parametrize("seats", [["player", "player"], ["player", "lu_yu"]])
def test_everything_a_player_reads_has_a_text(seats: list[str]) -> None:
    s = GAME.new(seats, do.Options(pu_erh=True), SEED)
    shown = GAME.view(s, None).pu_erh
    assert shown is not None
    texts = json.loads((GAMES / "tea_garden" / "texts.json").read_text(encoding="utf-8"))
    keys = [f"score.{one.label}" for seat in range(len(s.players)) for one in final_lines(s, seat)]
    keys += [f"question.{one}" for one in QUESTIONS] + [f"decree.{one}" for one in (*DECREE_KINDS, "brown", "red")]
    keys += [f"display.{one}" for one in ("basic", "premium", "hall")] + ["reward.pu_erh_basic", "option.pu_erh"]
    keys += [f"why.{one}" for one in ("no_messenger", "no_hall_space", "hall_priority", "no_pu_erh", "market_order")]
    for language in ("en", "pl"):
        assert [key for key in keys if not texts[language].get(key)] == []
