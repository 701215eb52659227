"""Terms and setup (TG-1xx, TG-2xx)."""

import pytest

from services.engine.game import BadOptions
from services.games.tea_garden.components import (
    ACTION_CARDS,
    BASE_BOX,
    BOX,
    CARAVAN_BASIC,
    CARD_LEVEL,
    PAGODAS,
    PROVINCES,
    REGION_HEX,
    REGION_NUMBERS,
    ROUNDS,
    SPACE_COSTS,
    START_CARDS,
    SUPPLY_WORKERS,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.scoring import own_cards
from services.games.tea_garden.state import State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.table import SEED, cards, in_turn, leaves, new_game, play

COUNTS = [2, 3, 4]


@pytest.fixture(params=COUNTS)
def s(request: pytest.FixtureRequest) -> State:
    return new_game(request.param)


def test_tg_101_two_to_four_players_and_five_rounds() -> None:
    assert (GAME.info.min_seats, GAME.info.max_seats, ROUNDS) == (2, 4, 5)
    for seats in (["player"], ["player"] * 5, ["player", "robot"], ["player", "player", "lu_yu"]):
        with pytest.raises(BadOptions):
            GAME.new(seats, do.Options(), SEED)
    with pytest.raises(BadOptions):
        GAME.new(["player"] * 2, do.Options(first_seat=2), SEED)


def test_tg_102_tg_103_regions_provinces_values_spaces_and_tokens(s: State) -> None:
    assert len(REGION_NUMBERS) == 16 and len(PROVINCES) == 5
    assert [token >= 0 for token in s.tokens] == list(REGION_HEX)
    assert not REGION_HEX[0] and all(REGION_HEX[1:])  # RU-26
    assert all(len(spaces) >= 2 for spaces in s.spaces)


def test_tg_104_the_river_does_not_separate() -> None:
    across = [border[:2] for border in BOX["map"]["borders"] if border[2]]
    assert [5, 6] in across
    assert 6 in BOX["map"]["regions"][4]["neighbours"]


def test_tg_105_six_baskets_and_gained_leaves_are_fresh() -> None:
    s, p = in_turn("S03", leaves=leaves())
    play(s, do.Research("1a"))
    assert p.leaves == leaves(fresh={2: 3})


def test_tg_106_tg_107_tg_108_what_a_player_owns(s: State) -> None:
    for p in s.players:
        assert len(p.pagodas) + len(p.gardens) == 7
        assert p.workers + 2 == 8  # one on the University start, one on the emperor track
        assert len(own_cards(p)) == len(START_CARDS) == 11
        assert p.scrolls == [0, 0, 0]
    assert {colour for card in BOX["start_deck"] for colour in card["teapots"]} == {"green", "red", "blue"}


def test_tg_109_the_deck_of_cards_is_deck_discard_hand_and_board() -> None:
    _s, p = in_turn("A101", hand=("S01",))
    p.discard = cards("E05")
    assert sorted(own_cards(p)) == sorted([*p.deck, *cards("A101", "S01", "E05")])


def test_tg_201_region_tokens_lie_open_on_every_hexagon(s: State) -> None:
    on_map = [token for token in s.tokens if token >= 0]
    assert len(on_map) == len(set(on_map)) == 15


@pytest.mark.parametrize(("players", "size"), [(2, 5), (3, 6), (4, 8)])
def test_tg_202_cup_stacks(players: int, size: int) -> None:
    s = new_game(players)
    assert [len(stack) for stack in s.cup_stacks] == [size] * 5
    view = GAME.view(s, 0)
    assert [stack.size for stack in view.cup_stacks] == [size] * 5
    assert len({tile for stack in s.cup_stacks for tile in stack}) + len(s.box_tiles) == 40


@pytest.mark.parametrize(("players", "each"), [(2, 4), (3, 5), (4, 6)])
def test_tg_203_action_deck_by_levels(players: int, each: int) -> None:
    s = new_game(players)
    levels = [CARD_LEVEL[card] for card in s.action_row + s.action_deck[::-1]]
    assert levels == [level for level in (1, 2, 3, 4, 5) for _ in range(each)]
    assert len(s.action_row) == 6
    assert len(levels) + len(s.box_cards) == len(ACTION_CARDS)


@pytest.mark.parametrize(("players", "basic"), [(2, 7), (3, 10), (4, 13)])
def test_tg_204_caravans_basic_before_advanced(players: int, basic: int) -> None:
    s = new_game(players)
    order = [CARAVAN_BASIC[caravan] for caravan in s.caravan_row + s.caravan_deck[::-1]]
    assert order == [True] * basic + [False] * 15
    assert len(s.caravan_row) == 3
    assert all(CARAVAN_BASIC[caravan] for caravan in s.box_caravans)


def test_tg_205_three_emperor_cards_lie_open(s: State) -> None:
    assert sorted(s.emperor_row + s.emperor_deck) == list(BASE_BOX.emperor_cards)
    assert len(s.emperor_row) == 3


def test_tg_206_tg_207_each_player_begins_alike(s: State) -> None:
    for seat, p in enumerate(s.players):
        assert p.pagodas == list(PAGODAS) and p.gardens == [REGION_NUMBERS[1]]
        assert s.spaces[REGION_NUMBERS[1]][seat] == seat
        assert p.leaves == leaves(fresh={2: 2})
        assert len(p.hand) == 4 and len(p.deck) == 7
        assert sorted(p.hand + p.deck) == list(START_CARDS)
        assert (p.sector, p.centre, p.row, p.boat, p.vp, p.tokens) == (0, 0, 0, 0, 0, 0)
        assert p.workers == SUPPLY_WORKERS == 6


def test_tg_208_round_one_and_a_first_player_drawn_or_chosen() -> None:
    assert new_game(4, first=2).first == new_game(4, first=2).seat == 2
    drawn = {GAME.new(["player"] * 3, do.Options(), bytes([n]) * 32).first for n in range(20)}
    assert drawn == {0, 1, 2}
    assert new_game().round == 1


def test_the_fourth_space_has_the_cost_of_the_data() -> None:
    assert SPACE_COSTS[: new_game().players[0].turn_spaces] == (None, None, None, (3, 1, 1))
