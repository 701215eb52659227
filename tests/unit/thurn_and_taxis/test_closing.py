"""Step 3, closing a route: TT-35 … TT-59."""

from itertools import combinations

import pytest

from services.engine.game import IllegalAction
from services.games.thurn_and_taxis.components import CITIES, CITY, PROVINCE_OF, PROVINCES, STACKS
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import AFTER_PLAY, DISCARD, PLACE_HOUSES, POSTMASTER, State
from teahouse.games.thurn_and_taxis.v1.structs import (
    CardDiscarded,
    CarriageTaken,
    Close,
    DeclineCartwright,
    Discard,
    EndTurn,
    FinishHouses,
    HousePlaced,
    PlaceHouse,
    RouteClosed,
    RouteDiscarded,
    Start,
    TakeDeck,
    TileTaken,
    UseCartwright,
)
from tests.unit.thurn_and_taxis.positions import (
    cities,
    give_tiles,
    houses,
    kinds,
    legal,
    play,
    position,
    seat,
    tiles,
)

MIXED = ["sigmaringen", "stuttgart", "nuernberg", "regensburg", "ingolstadt", "augsburg"]
# Paths through the same cities, 3 to 9 cards long.
LONG = ["mannheim", "stuttgart", "ulm", "augsburg", "innsbruck", "salzburg", "passau", "linz", "budweis"]


def closing(
    route: list[str],
    standing: list[str] | None = None,
    carriage: int = 7,
    official: int = POSTMASTER,
    hand: tuple[str, ...] = (),
    seats: int = 2,
    taken: dict[str, int] | None = None,
    requires_baiern: bool = True,
) -> State:
    """Seat 0 has just closed the route."""
    state = position(
        seat(hand, route, standing or [], carriage),
        *(seat() for _ in range(seats - 1)),
        phase=AFTER_PLAY,
        official=official,
        taken=taken,
        requires_baiern=requires_baiern,
    )
    play(state, Close())
    return state


def place(state: State, *names: str) -> list[object]:
    """Places exactly these houses; finishing is automatic when no other house is possible."""
    events = play(state, *(PlaceHouse(name) for name in names))
    if state.seat == 0 and state.phase == PLACE_HOUSES:
        events += play(state, FinishHouses())
    return events


def test_tt_35_a_route_needs_3_cards_and_has_no_maximum() -> None:
    short = position(seat(["lodz"], LONG[:2]), phase=AFTER_PLAY)
    assert "close" not in kinds(short)
    with pytest.raises(IllegalAction):
        GAME.apply(short, Close())
    for length in range(3, 10):
        assert "close" in kinds(position(seat(["lodz"], LONG[:length]), phase=AFTER_PLAY))


def test_tt_35_closing_is_not_compulsory() -> None:
    state = position(seat(["lodz"], LONG[:5]), phase=AFTER_PLAY)
    play(state, EndTurn())
    assert len(state.players[0].route) == 5


def test_tt_36_houses_tiles_carriage_discard_in_this_order() -> None:
    hand = ("lodz", "lodz", "basel", "basel")
    state = position(seat(hand, LONG[:5], carriage=4), phase=AFTER_PLAY, official=POSTMASTER)
    events = play(state, Close())
    events += place(state, "mannheim")
    events += play(state, Discard("lodz"))
    order = [RouteClosed, HousePlaced, TileTaken, CarriageTaken, RouteDiscarded, CardDiscarded]
    assert [type(event) for event in events][: len(order)] == order


def test_tt_37_length_is_the_number_of_cards_not_of_houses() -> None:
    state = closing(LONG[:5], carriage=4)
    play(state, FinishHouses())
    assert tiles(state.players[0]) == [("length_5", 2)]
    assert state.players[0].carriage == 5


def test_tt_38_after_closing_there_is_no_route_until_the_next_turn() -> None:
    state = closing(LONG[:3], hand=("lodz",))
    play(state, FinishHouses())
    assert state.players[0].route == []
    assert state.seat == 1


def test_tt_39_option_1_one_city_in_each_province() -> None:
    state = closing(MIXED)
    play(state, PlaceHouse("sigmaringen"), PlaceHouse("stuttgart"))
    assert {action.city for action in legal(state, PlaceHouse)} == {"nuernberg", "regensburg", "ingolstadt", "augsburg"}
    place(state, "regensburg")
    assert houses(state.players[0]) == {"sigmaringen", "stuttgart", "regensburg"}


def test_tt_40_option_2_every_city_in_one_province() -> None:
    state = closing(MIXED)
    play(state, PlaceHouse("nuernberg"), PlaceHouse("augsburg"))
    assert {action.city for action in legal(state, PlaceHouse)} == {"regensburg", "ingolstadt"}
    place(state, "regensburg", "ingolstadt")
    assert state.players[0].houses_left == 16


def test_tt_41_only_on_the_route_and_never_twice_whatever_others_have() -> None:
    state = position(
        seat(["lodz"], MIXED, ["stuttgart"], 7), seat(houses=CITIES[:20]), phase=AFTER_PLAY, official=POSTMASTER
    )
    play(state, Close())
    assert {action.city for action in legal(state, PlaceHouse)} == set(MIXED) - {"stuttgart"}
    for name in ("stuttgart", "lodz", "atlantis"):
        with pytest.raises(IllegalAction):
            GAME.apply(state, PlaceHouse(name))


def test_tt_42_houses_may_be_left_out() -> None:
    """TT-42, R-11."""
    state = closing(MIXED)
    assert GAME.legal(state)[-1] == FinishHouses()
    play(state, FinishHouses())
    assert state.players[0].houses_left == 20


@pytest.mark.parametrize(("standing", "left_over"), [([], 20), (["nuernberg", "stuttgart"], 18), (["augsburg"], 3)])
def test_tt_43_the_small_steps_reach_exactly_the_legal_sets(standing: list[str], left_over: int) -> None:
    """TT-43, and TT-44 where the stock is short."""
    state = closing(MIXED, standing)
    state.players[0].houses_left = left_over
    reached: set[frozenset[int]] = set()
    todo = [state]
    while todo:
        current = todo.pop()
        reached.add(frozenset(current.placed))
        for action in legal(current, PlaceHouse):
            following = GAME.clone(current)
            before = frozenset(current.placed)
            GAME.apply(following, action)
            if following.phase == PLACE_HOUSES and following.seat == 0:
                todo.append(following)
            else:
                reached.add(before | {CITY[action.city]})
    free = [CITY[name] for name in MIXED if name not in standing]
    expected = {
        frozenset(chosen)
        for size in range(min(left_over, len(free)) + 1)
        for chosen in combinations(free, size)
        if len({PROVINCE_OF[city] for city in chosen}) in (size, min(size, 1))
    }
    assert reached == expected


def test_tt_44_with_too_few_houses_the_player_chooses_where_they_go() -> None:
    """TT-44, R-12."""
    full = [name for name in CITIES if name not in (*MIXED[:3], "lodz")][:18]
    state = closing([*MIXED[:3], "pilsen"], [name for name in full if name != "pilsen"] + ["lodz"])
    assert state.players[0].houses_left == 2
    play(state, PlaceHouse("stuttgart"), PlaceHouse("pilsen"))
    assert state.players[0].houses_left == 0
    assert state.phase != PLACE_HOUSES


def test_tt_45_every_condition_is_tested_and_several_tiles_may_be_earned() -> None:
    """TT-45, R-14: one closing of 5 cards completes Baden and is long."""
    route = ["freiburg", "karlsruhe", "mannheim", "stuttgart", "ulm"]
    state = closing(route)
    place(state, "freiburg", "karlsruhe", "mannheim")
    assert tiles(state.players[0]) == [("length_5", 2), ("baden", 3)]


def test_r_14_nothing_is_earned_between_closings() -> None:
    state = position(seat(["ulm"], houses=["freiburg", "karlsruhe", "mannheim"]))
    play(state, TakeDeck(), Start("ulm"), EndTurn())
    assert tiles(state.players[0]) == []


@pytest.mark.parametrize(
    ("length", "tile"),
    [
        (3, []),
        (4, []),
        (5, [("length_5", 2)]),
        (6, [("length_6", 3)]),
        (7, [("length_7", 4)]),
        (8, [("length_7", 4)]),
        (9, [("length_7", 4)]),
    ],
)
def test_tt_46_one_tile_for_the_length(length: int, tile: list[tuple[str, int]]) -> None:
    state = closing(LONG[:length])
    play(state, FinishHouses())
    assert tiles(state.players[0]) == tile


@pytest.mark.parametrize(
    ("length", "taken", "tile"),
    [
        (7, {"length_7": 4}, [("length_6", 3)]),
        (7, {"length_7": 4, "length_6": 3}, [("length_5", 2)]),
        (8, {"length_7": 4, "length_6": 3, "length_5": 2}, []),
        (6, {"length_6": 3}, [("length_5", 2)]),
        (6, {"length_6": 3, "length_5": 1}, [("length_5", 1)]),
        (5, {"length_5": 2}, []),
    ],
)
def test_tt_47_an_empty_length_stack_falls_through(
    length: int, taken: dict[str, int], tile: list[tuple[str, int]]
) -> None:
    state = closing(LONG[:length], taken=taken)
    play(state, FinishHouses())
    assert tiles(state.players[0]) == tile


def test_tt_48_a_lower_stack_is_not_chosen_though_it_is_worth_more() -> None:
    """TT-48, R-13."""
    state = closing(LONG[:7], taken={"length_7": 3})
    play(state, FinishHouses())
    assert tiles(state.players[0]) == [("length_7", 1)]


def test_tt_49_length_tiles_of_the_same_number_may_be_collected() -> None:
    state = closing(LONG[:6])
    state.players[0].tiles.append(4)
    state.stacks[STACKS.index("length_6")] -= 1
    play(state, FinishHouses())
    assert tiles(state.players[0]) == [("length_6", 3), ("length_6", 2)]


@pytest.mark.parametrize(
    ("stack", "route", "last", "standing", "value"),
    [
        ("baiern", ["ulm", "kempten", "innsbruck"], "kempten", ["wuerzburg", "nuernberg", "regensburg", "ingolstadt",
         "augsburg", "muenchen", "passau"], 5),
        ("baden", ["freiburg", "karlsruhe", "stuttgart"], "freiburg", ["karlsruhe", "mannheim"], 3),
        ("wuerttemberg_hohenzollern", ["ulm", "sigmaringen", "zuerich"], "sigmaringen", ["ulm", "stuttgart"], 3),
        ("schweiz_tyrol", ["kempten", "innsbruck", "salzburg"], "innsbruck", ["basel", "zuerich"], 3),
        ("boehmen_salzburg", ["pilsen", "budweis", "linz"], "budweis", ["pilsen", "linz", "salzburg"], 4),
    ],
)  # fmt: skip
def test_tt_50_houses_in_all_cities_earn_the_province_tile(
    stack: str, route: list[str], last: str, standing: list[str], value: int
) -> None:
    """TT-50, TT-51: the other houses come from earlier closings."""
    state = closing(route, standing)
    place(state, last)
    assert tiles(state.players[0]) == [(stack, value)]
    missed = closing(route, standing)
    play(missed, FinishHouses())
    assert tiles(missed.players[0]) == []


def test_tt_51_polen_belongs_to_no_province_stack() -> None:
    state = closing(["lodz", "pilsen", "nuernberg"])
    place(state, "lodz")
    assert tiles(state.players[0]) == []


ONE_IN_EACH = ["mannheim", "wuerzburg", "pilsen", "sigmaringen", "lodz", "linz", "basel", "innsbruck", "stuttgart"]


def test_tt_52_a_house_in_each_of_the_9_provinces_earns_the_tile() -> None:
    """TT-52, R-2."""
    assert {PROVINCES[PROVINCE_OF[CITY[name]]] for name in ONE_IN_EACH} == set(PROVINCES)
    state = closing(["mannheim", "stuttgart", "ulm"], ONE_IN_EACH[:-1])
    place(state, "stuttgart")
    assert tiles(state.players[0]) == [("all_provinces", 6)]


@pytest.mark.parametrize("requires_baiern", [True, False])
def test_r_2_the_switch_decides_whether_baiern_counts(requires_baiern: bool) -> None:
    without = [name for name in ONE_IN_EACH[:-1] if name != "wuerzburg"]
    state = closing(["mannheim", "stuttgart", "ulm"], without, requires_baiern=requires_baiern)
    place(state, "stuttgart")
    assert tiles(state.players[0]) == ([] if requires_baiern else [("all_provinces", 6)])


@pytest.mark.parametrize("missing", range(9))
def test_tt_52_with_one_province_missing_there_is_no_tile(missing: int) -> None:
    standing = [name for index, name in enumerate(ONE_IN_EACH) if index != missing]
    state = closing(["mannheim", "wuerzburg", "stuttgart"], standing)
    if state.phase == PLACE_HOUSES:
        play(state, FinishHouses())
    assert tiles(state.players[0]) == []


def test_tt_53_one_tile_per_player_of_each_province_stack() -> None:
    state = closing(["freiburg", "karlsruhe", "mannheim"])
    place(state, "freiburg", "karlsruhe", "mannheim")
    player = state.players[0]
    assert tiles(player) == [("baden", 3)]
    again = position(seat(["lodz"], LONG[:3], ["freiburg", "karlsruhe", "mannheim"], 7), phase=AFTER_PLAY, official=1)
    again.seat = 1
    give_tiles(again, STACKS.index("baden"), 1)
    again.seat = 0
    play(again, Close(), FinishHouses())
    assert tiles(again.players[0]) == [("baden", 3)]


def test_tt_53_an_empty_stack_gives_nothing() -> None:
    state = closing(["freiburg", "karlsruhe", "mannheim"], seats=4, taken={"baden": 3})
    place(state, "freiburg", "karlsruhe", "mannheim")
    assert tiles(state.players[0]) == []


def test_tt_54_a_house_that_was_not_left_does_not_count() -> None:
    others = [name for name in CITIES if name not in ("linz", "salzburg", "basel")][:19]
    state = closing(["passau", "linz", "salzburg"], others)
    assert state.players[0].houses_left == 1
    place(state, "linz")
    assert ("boehmen_salzburg", 4) not in tiles(state.players[0])


@pytest.mark.parametrize(
    ("carriage", "length", "taken"),
    [(0, 3, 3), (0, 9, 3), (3, 4, 4), (3, 7, 4), (4, 5, 5), (5, 6, 6), (6, 7, 7), (3, 3, 3), (5, 5, 5), (7, 9, 7)],
)
def test_tt_56_tt_57_the_next_carriage_if_the_route_is_long_enough(carriage: int, length: int, taken: int) -> None:
    """TT-56, TT-57, R-15, R-16: automatic, one at a time, none skipped."""
    state = closing(LONG[:length], carriage=carriage)
    play(state, FinishHouses())
    assert state.players[0].carriage == taken
    assert state.seat == 1


@pytest.mark.parametrize("carriage", [0, 3, 4, 5, 6])
@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
def test_tt_58_the_cartwright_helps_with_1_or_2_cards_missing(carriage: int, length: int) -> None:
    following = carriage + 1 if carriage else 3
    state = closing(LONG[:length], carriage=carriage, official=0)
    play(state, FinishHouses())
    if following - length in (1, 2):
        assert GAME.legal(state) == [UseCartwright(), DeclineCartwright()]
        declined = GAME.clone(state)
        play(declined, DeclineCartwright())
        assert declined.players[0].carriage == carriage
        play(state, UseCartwright())
        assert state.players[0].carriage == following
    else:
        assert state.seat == 1
        assert state.players[0].carriage == (following if length >= following else carriage)


def test_r_16_the_cartwright_does_not_help_a_route_of_2() -> None:
    state = position(seat(["lodz"], LONG[:2], carriage=3), phase=AFTER_PLAY)
    assert "close" not in kinds(state)


def test_r_17_there_is_a_carriage_of_each_value_for_everybody() -> None:
    players = [
        seat(["lodz"] if n == 0 else [], LONG[:7] if n == 0 else [], carriage=6 if n == 0 else 7) for n in range(4)
    ]
    state = position(*players, phase=AFTER_PLAY)
    play(state, Close(), FinishHouses())
    assert state.players[0].carriage == 7
    assert state.carriages == [0, 0, 0, 0, 0]


def test_tt_59_the_hand_is_reduced_to_exactly_3_cards_of_own_choice() -> None:
    """TT-59, R-22."""
    hand = ("lodz", "basel", "basel", "freiburg", "linz", "linz")
    state = closing(LONG[:3], hand=hand)
    play(state, FinishHouses())
    assert state.phase == DISCARD
    assert GAME.legal(state) == [Discard("freiburg"), Discard("basel"), Discard("linz"), Discard("lodz")]
    play(state, Discard("basel"), Discard("basel"))
    assert state.phase == DISCARD
    play(state, Discard("linz"))
    assert sorted(cities(state.players[0].hand)) == ["freiburg", "linz", "lodz"]
    assert cities(state.discard) == [*LONG[:3], "basel", "basel", "linz"]
    assert state.seat == 1


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_tt_59_with_3_or_fewer_cards_nothing_is_discarded(count: int) -> None:
    state = closing(LONG[:3], hand=("lodz", "basel", "freiburg")[:count])
    play(state, FinishHouses())
    assert state.seat == 1
    assert len(state.players[0].hand) == count


def test_closing_decisions_are_refused_at_other_times() -> None:
    state = position(seat(["ulm"]))
    for action in (PlaceHouse("ulm"), FinishHouses(), UseCartwright(), DeclineCartwright(), Discard("ulm"), Close()):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)
