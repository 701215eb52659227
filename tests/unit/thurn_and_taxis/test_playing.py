"""Step 2, playing a city card: TT-5, TT-25 … TT-34."""

from typing import Any

import pytest

from services.engine.game import IllegalAction
from services.games.thurn_and_taxis.game import GAME
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    PLAY_FIRST,
    POSTAL_CARRIER,
    POSTMASTER,
    START_ANEW,
)
from teahouse.games.thurn_and_taxis.v1.structs import (
    Abandon,
    CarrierExtend,
    Close,
    EndTurn,
    Extend,
    RouteAbandoned,
    Start,
    TakeDeck,
)
from tests.unit.thurn_and_taxis.positions import cities, kinds, legal, play, position, seat, tiles, told


def test_tt_5_a_route_is_a_row_without_branches_or_repeats() -> None:
    state = position(seat(["ulm", "ulm", "augsburg"]), phase=PLAY_FIRST)
    play(state, Start("ulm"))
    assert legal(state, CarrierExtend) == [CarrierExtend("augsburg", "right")]
    play(state, CarrierExtend("augsburg", "right"))
    assert cities(state.players[0].route) == ["ulm", "augsburg"]


def test_tt_25_exactly_one_card_is_played() -> None:
    state = position(seat(["ulm", "augsburg", "kempten"]), phase=PLAY_FIRST, official=POSTMASTER)
    play(state, Start("ulm"))
    assert len(state.players[0].route) == 1
    assert state.seat == 1


def test_tt_26_without_a_route_any_card_starts_one() -> None:
    state = position(seat(["ulm", "ulm", "lodz"]), phase=PLAY_FIRST, official=POSTMASTER)
    assert GAME.legal(state) == [Start("ulm"), Start("lodz")]
    for action in (Abandon(), Extend("ulm", "right")):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)


def test_tt_27_tt_28_a_suitable_card_goes_to_the_end_it_is_adjacent_to() -> None:
    state = position(seat(["karlsruhe", "augsburg", "lodz"], ["mannheim", "stuttgart", "ulm"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == [Extend("karlsruhe", "left"), Extend("augsburg", "right")]
    play(state, Extend("karlsruhe", "left"))
    assert cities(state.players[0].route) == ["karlsruhe", "mannheim", "stuttgart", "ulm"]


def test_tt_28_a_city_adjacent_to_both_ends_may_go_to_either() -> None:
    state = position(seat(["ulm"], ["sigmaringen", "stuttgart"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == [Extend("ulm", "left"), Extend("ulm", "right")]


def test_tt_28_a_city_of_the_route_is_not_suitable() -> None:
    state = position(seat(["ulm", "ulm"], ["ulm", "stuttgart"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == []


def test_on_a_route_of_one_card_only_the_right_end_is_used() -> None:
    state = position(seat(["ulm"], ["stuttgart"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == [Extend("ulm", "right")]
    ends: list[Any] = ["left", "middle"]
    for end in ends:
        with pytest.raises(IllegalAction):
            GAME.apply(state, Extend("ulm", end))


def test_tt_29_cards_are_never_inserted_moved_or_taken_back() -> None:
    state = position(seat(["wuerzburg"], ["karlsruhe", "stuttgart", "nuernberg", "regensburg"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == []
    assert kinds(state) <= {"abandon", "postmaster_take_display", "postmaster_take_deck"}


def test_tt_30_the_province_does_not_matter() -> None:
    state = position(seat(["augsburg", "basel"], ["ulm"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == [Extend("augsburg", "right")]


def test_tt_31_a_route_may_be_abandoned_even_with_a_suitable_card() -> None:
    """TT-31, R-9: the new route comes from the hand, but may show a city of the old one."""
    state = position(seat(["stuttgart", "zuerich"], ["stuttgart", "sigmaringen"]), phase=PLAY_FIRST)
    assert legal(state, Extend) == [Extend("zuerich", "right")]
    events = play(state, Abandon())
    assert told(events, RouteAbandoned) == [RouteAbandoned(0, ["stuttgart", "sigmaringen"])]
    assert state.phase == START_ANEW
    assert GAME.legal(state) == [Start("zuerich"), Start("stuttgart")]
    play(state, Start("stuttgart"))
    assert cities(state.players[0].route) == ["stuttgart"]


def test_tt_32_abandoning_scores_nothing_and_keeps_the_hand() -> None:
    route = ["ulm", "augsburg", "innsbruck", "salzburg", "linz"]
    hand = ["lodz", "basel", "freiburg", "mannheim", "zuerich"]
    state = position(seat(hand, route), phase=PLAY_FIRST, official=POSTMASTER)
    play(state, Abandon(), Start("lodz"))
    player = state.players[0]
    assert (player.houses, player.carriage, tiles(player)) == (0, 0, [])
    assert len(player.hand) == 4
    assert cities(state.discard) == route


def test_tt_33_the_postal_carrier_adds_a_second_suitable_card_at_either_end() -> None:
    """TT-33, R-8."""
    state = position(seat(["zuerich", "augsburg", "lodz"], ["sigmaringen"]), phase=PLAY_FIRST)
    assert "carrier_extend" not in kinds(state)
    play(state, Extend("zuerich", "right"))
    assert legal(state, CarrierExtend) == []
    state = position(seat(["ulm", "zuerich", "augsburg", "lodz"], ["sigmaringen"]), phase=PLAY_FIRST)
    play(state, Extend("ulm", "right"))
    assert legal(state, CarrierExtend) == [CarrierExtend("zuerich", "left"), CarrierExtend("augsburg", "right")]
    play(state, CarrierExtend("zuerich", "left"))
    assert state.official == POSTAL_CARRIER
    assert kinds(state) == {"close", "end_turn"}


def test_tt_33_the_postal_carrier_also_follows_the_start_of_a_route_but_never_abandons() -> None:
    state = position(seat(["lodz", "pilsen", "basel"], ["ulm", "kempten"]), phase=PLAY_FIRST)
    play(state, Abandon(), Start("lodz"))
    assert kinds(state) == {"carrier_extend", "end_turn"}
    with pytest.raises(IllegalAction):
        GAME.apply(state, Abandon())
    with pytest.raises(IllegalAction):
        GAME.apply(state, CarrierExtend("basel", "right"))


def test_the_postmaster_cannot_be_called_between_abandoning_and_starting() -> None:
    """Taking belongs to step 1."""
    state = position(seat(["lodz"], ["ulm", "kempten"]), phase=PLAY_FIRST)
    play(state, Abandon())
    assert kinds(state) == {"start"}


def test_tt_34_a_long_route_that_cannot_be_extended_is_lost() -> None:
    """TT-34, R-10: there is no closing before a card is played."""
    state = position(seat(["lodz"], ["basel", "zuerich", "kempten"]), phase=PLAY_FIRST, official=POSTMASTER)
    assert GAME.legal(state) == [Abandon()]
    for action in (Close(), EndTurn()):
        with pytest.raises(IllegalAction):
            GAME.apply(state, action)


def test_r_20_the_postal_carrier_needs_a_suitable_card() -> None:
    state = position(seat(["lodz"], ["basel", "zuerich"]), phase=AFTER_PLAY)
    assert GAME.legal(state) == [EndTurn()]


def test_whether_the_turn_ends_by_itself_depends_on_open_things_only() -> None:
    """With cards in hand and the official free the seat is asked even if no card fits: silence would tell that."""
    asked = position(seat(["lodz", "basel"], ["ulm"]), phase=PLAY_FIRST)
    play(asked, Abandon(), Start("lodz"))
    assert GAME.legal(asked) == [EndTurn()]
    alone = position(seat(["lodz"], ["ulm"]), phase=PLAY_FIRST)
    play(alone, Abandon(), Start("lodz"))
    assert alone.seat == 1


def test_a_card_that_is_not_in_hand_cannot_be_played() -> None:
    state = position(seat(["ulm"]))
    play(state, TakeDeck())
    for name in ("atlantis", "innsbruck" if "innsbruck" not in cities(state.players[0].hand) else "linz"):
        with pytest.raises(IllegalAction):
            GAME.apply(state, Start(name))
