"""The worked examples of section 12, by number."""

import pytest

from services.games.thurn_and_taxis.actions.steps import begin_turn
from services.games.thurn_and_taxis.components import CARRIAGE_POINTS, CITIES, STACKS
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.scoring import lines, places, score
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    GAME_OVER,
    PLACE_HOUSES,
    PLAY_FIRST,
    POSTMASTER,
    TAKE_FIRST,
    State,
)
from teahouse.games.thurn_and_taxis.v1.structs import (
    Abandon,
    CarrierExtend,
    Close,
    DeckFormed,
    DeclineCartwright,
    EndTurn,
    Extend,
    FinishHouses,
    PlaceHouse,
    Start,
    TakeDeck,
    TakeDisplay,
    UseAdministrator,
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
    told,
)

ROUTE_1 = ["karlsruhe", "stuttgart", "nuernberg", "regensburg"]
ROUTE_2 = ["sigmaringen", "stuttgart", "nuernberg", "regensburg", "ingolstadt", "augsburg"]
ROUTE_9 = ["mannheim", "stuttgart", "ulm", "augsburg", "innsbruck", "salzburg", "passau", "linz", "budweis"]


def close_with(state: State, *names: str) -> None:
    play(state, Close(), *(PlaceHouse(name) for name in names))
    if state.phase == PLACE_HOUSES and state.seat == 0:
        play(state, FinishHouses())


def test_ex_1_which_cards_fit() -> None:
    """R-1: Innsbruck fits at neither end."""
    hand = ["innsbruck", "wuerzburg", "stuttgart"]
    state = position(seat(hand, ROUTE_1), phase=PLAY_FIRST, official=POSTMASTER)
    assert GAME.legal(state) == [Abandon()]
    play(state, Abandon())
    assert GAME.legal(state) == [Start("innsbruck"), Start("stuttgart"), Start("wuerzburg")]


def test_ex_1_control_what_the_ends_accept() -> None:
    state = position(seat(CITIES, ROUTE_1), phase=PLAY_FIRST)
    ends = {end: {action.city for action in legal(state, Extend) if action.end == end} for end in ("left", "right")}
    assert ends == {"left": {"freiburg", "mannheim"}, "right": {"ingolstadt", "muenchen", "passau", "pilsen"}}


def test_ex_2_option_1() -> None:
    state = position(seat(["lodz"], ROUTE_2), phase=AFTER_PLAY, official=POSTMASTER)
    play(state, Close(), PlaceHouse("sigmaringen"), PlaceHouse("stuttgart"), PlaceHouse("ingolstadt"))
    assert state.players[0].houses_left == 17
    assert state.phase != PLACE_HOUSES, "no second Bavarian city is possible"
    assert tiles(state.players[0]) == [("length_6", 3)]


def test_ex_2_option_2() -> None:
    state = position(seat(["lodz"], ROUTE_2), phase=AFTER_PLAY, official=POSTMASTER)
    bavarian = ["nuernberg", "regensburg", "ingolstadt", "augsburg"]
    play(state, Close(), *(PlaceHouse(name) for name in bavarian[:2]))
    assert not {action.city for action in legal(state, PlaceHouse)} & {"sigmaringen", "stuttgart"}
    play(state, *(PlaceHouse(name) for name in bavarian[2:]))
    assert state.players[0].houses_left == 16
    assert houses(state.players[0]) == set(bavarian)
    assert tiles(state.players[0]) == [("length_6", 3)]


@pytest.mark.parametrize(("before", "value"), [(0, 3), (1, 2), (2, 1), (3, None)])
def test_ex_3_province_tile(before: int, value: int | None) -> None:
    red = seat(["lodz"], ["sigmaringen", "ulm", "augsburg"], ["stuttgart"])
    taken = {"wuerttemberg_hohenzollern": before}
    state = position(red, seat(), seat(), seat(), phase=AFTER_PLAY, official=POSTMASTER, taken=taken)
    close_with(state, "sigmaringen", "ulm")
    expected = [] if value is None else [("wuerttemberg_hohenzollern", value)]
    assert tiles(state.players[0]) == expected


def test_ex_4_carriages_one_by_one() -> None:
    first = position(seat(["lodz"], ROUTE_9[:3]), phase=AFTER_PLAY)
    close_with(first)
    assert first.players[0].carriage == 3
    second = position(seat(["lodz"], ROUTE_9[:5], carriage=3), phase=AFTER_PLAY)
    close_with(second)
    assert second.players[0].carriage == 4
    assert tiles(second.players[0]) == [("length_5", 2)]
    third = position(seat(["lodz"], ROUTE_9[:4], carriage=4), phase=AFTER_PLAY)
    close_with(third)
    helped = GAME.clone(third)
    play(third, DeclineCartwright())
    assert third.players[0].carriage == 4
    play(helped, UseCartwright())
    assert helped.players[0].carriage == 5


def test_ex_5_cartwright() -> None:
    state = position(seat(["lodz"], ROUTE_9[:5], carriage=6), phase=AFTER_PLAY)
    close_with(state)
    play(state, UseCartwright())
    assert state.players[0].carriage == 7
    assert tiles(state.players[0]) == [("length_5", 2), ("game_end", 1)]
    assert state.ended_by == 0


def test_ex_5_three_cards_missing_are_too_many() -> None:
    state = position(seat(["lodz"], ROUTE_9[:4], carriage=6), phase=AFTER_PLAY)
    close_with(state)
    assert state.seat == 1
    assert state.players[0].carriage == 6


def test_ex_6_final_score() -> None:
    """R-3: the 6-carriage prints 7 points."""
    player = seat(houses=CITIES[:16], carriage=6)
    state = position(player, seat())
    state.seat = 1
    for stack in ("all_provinces", "baiern", "length_7", "game_end"):
        give_tiles(state, STACKS.index(stack), 1)
    assert sum(value for _, value in tiles(player)) == 16
    assert score(player) == 7 + 16 - 4 == 19
    assert {line.label: line.points for line in lines(player)} == {
        "carriage": CARRIAGE_POINTS[6],
        "length_tiles": 4,
        "all_provinces_tiles": 6,
        "province_tiles": 5,
        "game_end_tiles": 1,
        "houses_left": -4,
    }


def test_ex_7_forced_postmaster() -> None:
    state = GAME.new(["player"] * 3, GAME.structs.Options(), bytes(32))
    me = state.seat
    assert kinds(state) == {"take_display", "take_deck"}
    play(state, TakeDeck(), TakeDisplay(0))
    assert kinds(state) == {"start"}
    play(state, legal(state, Start)[0])
    assert len(state.players[me].hand) == 1
    assert len(state.players[me].route) == 1
    assert state.seat == (me + 1) % 3, "no Postal Carrier is offered"


@pytest.mark.parametrize(
    ("length", "taken", "tile"),
    [
        (9, {"length_7": 4, "length_6": 1}, [("length_6", 2)]),
        (7, {"length_7": 3}, [("length_7", 1)]),
        (5, {"length_5": 2}, []),
    ],
)
def test_ex_8_length_fall_through(length: int, taken: dict[str, int], tile: list[tuple[str, int]]) -> None:
    state = position(seat(["lodz"], ROUTE_9[:length]), phase=AFTER_PLAY, official=POSTMASTER, taken=taken)
    close_with(state)
    assert tiles(state.players[0]) == tile


def test_ex_9_running_out_of_houses() -> None:
    standing = [name for name in CITIES if name not in ("linz", "salzburg", "lodz", "basel")]
    route = ["muenchen", "passau", "linz", "salzburg"]
    state = position(seat(["lodz"], route, standing, 3), phase=AFTER_PLAY, official=POSTMASTER)
    assert state.players[0].houses_left == 2
    close_with(state, "linz", "salzburg")
    assert ("boehmen_salzburg", 4) in tiles(state.players[0])
    assert ("game_end", 1) in tiles(state.players[0])
    assert state.ended_by == 0


@pytest.mark.parametrize("last", ["linz", "salzburg"])
def test_ex_9_with_one_house_left(last: str) -> None:
    standing = [name for name in CITIES if name not in ("linz", "salzburg", "basel")]
    route = ["muenchen", "passau", "linz", "salzburg"]
    state = position(seat(["lodz"], route, standing, 3), phase=AFTER_PLAY, official=POSTMASTER)
    play(state, Close())
    assert {action.city for action in legal(state, PlaceHouse)} == {"linz", "salzburg"}
    play(state, PlaceHouse(last))
    assert "boehmen_salzburg" not in dict(tiles(state.players[0]))
    assert state.ended_by == 0


def test_ex_10_final_round() -> None:
    players = [seat(["lodz"], ["ulm"]), seat(["basel"]), seat(["linz"], ROUTE_9[:7], carriage=6), seat(["passau"])]
    state = position(*players, phase=AFTER_PLAY, first=1, actor=2)
    play(state, Close(), FinishHouses())
    order = []
    while state.phase != GAME_OVER:
        order.append(state.seat)
        play(state, TakeDeck())
        if state.players[state.seat].route:
            play(state, Abandon())
        play(state, legal(state, Start)[0], EndTurn())
    assert order == [3, 0]


@pytest.mark.parametrize(("scores", "expected"), [([21, 21, 18, 15], [1, 2, 3, 4]), ([21, 21, 21, 15], [2, 3, 1, 4])])
def test_ex_10_tie(scores: list[int], expected: list[int]) -> None:
    state = position(seat(), seat(), seat(), seat(), first=1, actor=1)
    give_tiles(state, STACKS.index("game_end"), 1)
    state.ended_by = 2
    assert places(state, scores) == expected


def test_ex_11_administrator_with_a_short_deck() -> None:
    six = ("ulm", "basel", "linz", "passau", "lodz", "kempten")
    four = ("mannheim", "karlsruhe", "pilsen", "budweis")
    state = position(seat(["ulm"]), display=six, deck=four)
    events = play(state, UseAdministrator())
    assert [event.cards for event in told(events, DeckFormed)] == [6]
    assert tuple(cities(state.display[:4])) == four
    assert len(state.deck) == 4
    assert set(cities(state.display[4:] + state.deck)) == set(six)
    assert state.discard == []
    assert state.phase == TAKE_FIRST


def test_ex_12_abandoning() -> None:
    display = ("pilsen", "mannheim", "karlsruhe", "linz", "passau", "budweis")
    state = position(seat(["lodz"], ["basel", "zuerich", "kempten"]), display=display)
    play(state, TakeDisplay(0))
    assert legal(state, Extend) == []
    play(state, Abandon())
    assert cities(state.discard) == ["basel", "zuerich", "kempten"]
    assert GAME.legal(state) == [Start("pilsen"), Start("lodz")]
    play(state, Start("lodz"), CarrierExtend("pilsen", "right"))
    player = state.players[0]
    assert (cities(player.route), player.hand, player.houses) == (["lodz", "pilsen"], [], 0)
    assert state.seat == 1, "an official is used and the route is short: the turn is over"
    state.seat = 0
    begin_turn(state, None)
    assert state.official == POSTMASTER
    assert kinds(state) == {"take_display", "take_deck"}
