"""Sections 4 and 5: the turn and the four actions, and the options of 14.2."""

from math import comb
from typing import Any

import pytest

from services.engine.game import IllegalAction
from services.games.geishas_road.actions.legal import MARKER_USES
from services.games.geishas_road.components import COMPROMISE, DOUBLE_GIFT, INTRIGUE, REVEAL
from services.games.geishas_road.game import GAME
from services.games.geishas_road.state import FACE, HIDE, LAY, PLACE, USE, State
from services.games.geishas_road.turn import start_turn
from teahouse.games.geishas_road.v1.structs import Chosen, Drawn, Lay, Offer, Place, Placed, Take, Use
from tests.unit.geishas_road.table import (
    BLUE,
    PINK,
    RED,
    A,
    B,
    act,
    cards,
    laid_out,
    name,
    place,
    position,
    take,
    told,
    total,
    use,
    used,
)

SIX = ("pink 1", "pink 4", "red 2", "red 3", "blue 2", "blue 3")


def test_gr_23_the_turn_begins_with_a_draw() -> None:
    state = laid_out()
    top, hand = state.deck[-1], state.hands[A][:]
    start_turn(state, None)
    assert state.hands[A] == [*hand, top]
    assert len(state.deck) == 7


def test_gr_23_the_draw_of_the_next_turn_follows_by_itself() -> None:
    state = position(a=SIX, b=("green 1",))
    events = use(state, "reveal", "pink 4")
    assert told(events, Drawn, B)[0].card is not None
    assert told(events, Drawn, A)[0].card is None
    assert GAME.actor(state) == B


def test_gr_24_every_unused_marker_can_be_chosen_and_no_other() -> None:
    state = position(a=SIX, used=(used("reveal", "double_gift"), 0))
    assert GAME.legal(state) == [Use("intrigue"), Use("compromise")]
    with pytest.raises(IllegalAction):
        act(state, Use("reveal"))


def test_gr_25_the_marker_is_used_up_and_the_turn_passes() -> None:
    state = position(a=SIX)
    use(state, "reveal", "pink 4")
    assert state.used == [1 << REVEAL, 0]
    assert (state.active, state.turn) == (B, 2)


def test_gr_26_reveal_places_one_card_on_the_own_side() -> None:
    state = position(a=SIX)
    events = use(state, "reveal", "red 3")
    [placed] = told(events, Placed)
    assert (placed.seat, placed.card) == (A, "gift-red-3")
    assert state.totals[A][RED] == 3
    assert state.pawns[RED] == 4


def test_gr_27_intrigue_lays_left_and_right_and_moves_nothing() -> None:
    state = position(a=SIX)
    use(state, "intrigue", "blue 2", "pink 1")
    assert state.intrigue[A] == cards("blue 2", "pink 1")
    assert state.pawns == state.began
    assert GAME.view(state, A).players[A].intrigue.left == "gift-blue-2"
    assert GAME.view(state, A).players[A].intrigue.right == "gift-pink-1"
    seen_by_rival = GAME.view(state, B).players[A].intrigue
    assert (seen_by_rival.left, seen_by_rival.right) == (None, None)


def test_s_2_no_action_exchanges_the_intrigue_cards() -> None:
    state = position(a=SIX)
    use(state, "intrigue", "blue 2", "pink 1")
    laid = state.intrigue[A]
    use(state, "reveal", "pink 1")
    assert all(isinstance(action, Use) for action in GAME.legal(state))
    assert state.intrigue[A] == laid


def test_gr_28_compromise_the_rival_must_take_one_of_three() -> None:
    state = position(a=SIX)
    use(state, "compromise", "pink 4", "red 2", "blue 2")
    assert GAME.actor(state) == B
    assert GAME.legal(state) == [Take((0,)), Take((1,)), Take((2,))]
    take(state, 1)
    assert total(state, B, "red") == 2
    assert GAME.actor(state) == A
    assert GAME.legal(state) == [Place(0), Place(2)]
    place(state, 2)
    assert (total(state, A, "blue"), total(state, A, "pink")) == (2, 4)


def test_gr_29_double_gift_the_rival_must_take_a_pair() -> None:
    state = position(a=SIX)
    use(state, "double_gift", "pink 4", "red 2", "blue 2", "blue 3")
    assert GAME.legal(state) == [Take((0, 1)), Take((2, 3))]
    take(state, 2, 3)
    assert (GAME.actor(state), GAME.legal(state)) == (B, [Place(2), Place(3)])
    place(state, 3)
    assert (GAME.actor(state), GAME.legal(state)) == (A, [Place(0), Place(1)])
    place(state, 0)
    assert [total(state, B, "blue"), total(state, A, "pink"), total(state, A, "red")] == [5, 4, 2]


def test_gr_30_the_first_chooser_places_everything_first() -> None:
    state = position(a=SIX)
    use(state, "double_gift", "pink 4", "red 2", "blue 2", "blue 3")
    events = take(state, 0, 1) + place(state, 1) + place(state, 3)
    placed = [(event.seat, event.card) for event in told(events, Placed)]
    assert placed == [(B, name("red 2")), (B, name("pink 4")), (A, name("blue 3")), (A, name("blue 2"))]
    assert told(events, Chosen)[0].positions == [0, 1]


def test_gr_31_no_special_action_outside_advanced_mode() -> None:
    for mode in ("basic", "harder"):
        state = position(mode, a=SIX, b=("green 1", "green 2"))
        use(state, "compromise", "pink 4", "red 2", "blue 2")
        assert state.phase == FACE
        assert all(isinstance(action, Take) for action in GAME.legal(state))


def test_w_5_compromise() -> None:
    state = position(a=("pink 1", "pink 4", "red 2", "blue 3", "green 3", "green 4"))
    first = state.upper[0]
    use(state, "compromise", "pink 1", "pink 4", "red 2")
    take(state, 1)
    assert total(state, B, "pink") == 4
    assert state.pawns[PINK] == 4
    assert GAME.legal(state) == [Place(0), Place(2)]
    place(state, 0)
    assert state.pawns[PINK] == 0
    assert state.tiles[PINK] == [first]
    assert state.returns[PINK] == 1
    assert state.pawns[RED] == 3


@pytest.mark.parametrize(("first", "stops"), [(0, [4, 2]), (1, [0, 2])])
def test_w_6_double_gift_and_separate_moves(first: int, stops: list[int]) -> None:
    state = position(a=("blue 2", "blue 3", "red 1", "green 4", "pink 1", "pink 2"))
    use(state, "double_gift", "blue 2", "blue 3", "red 1", "green 4")
    events = take(state, 0, 1) + place(state, first)
    placed = told(events, Placed)
    assert [event.to_position for event in placed] == stops
    assert [event.return_number for event in placed] == [0, 1]
    assert state.returns[BLUE] == 1


@pytest.mark.parametrize(("first", "teahouse"), [(0, 4), (1, 2)])
def test_w_6_in_harder_mode_the_order_decides_where_the_token_is_taken(first: int, teahouse: int) -> None:
    state = position("harder", a=("blue 2", "blue 3", "red 1", "green 4", "pink 1", "pink 2"))
    use(state, "double_gift", "blue 2", "blue 3", "red 1", "green 4")
    take(state, 0, 1)
    place(state, first)
    assert GAME.actor(state) == B
    assert (state.stop, state.due) == (teahouse, 1)


def test_the_last_marker_and_the_last_card_are_taken_without_asking() -> None:
    state = position(a=("pink 1",), used=(used("reveal", "compromise", "double_gift"), 0))
    assert state.marker == INTRIGUE
    assert state.phase == LAY
    left = state.hands[A][0]
    act(state, GAME.legal(state)[0])
    assert state.intrigue[A][0] == left
    assert len(state.intrigue[A]) == 2


def chains(state: State) -> list[State]:
    """Every position at the end of the actor's preparation."""
    if state.phase not in (USE, LAY, HIDE) or state.actor != A:
        return [state]
    found = []
    for action in GAME.legal(state):
        child = GAME.clone(state)
        GAME.apply(child, action, tell=False)
        found += chains(child)
    return found


@pytest.mark.parametrize("mode", ["basic", "advanced"])
def test_14_2_every_option_of_every_action_can_be_reached(mode: str) -> None:
    n = 6
    state = position(mode, a=SIX[:5], b=("green 1", "green 2"))
    assert len(state.hands[A]) == n
    made: dict[int, set[Any]] = {REVEAL: set(), INTRIGUE: set(), COMPROMISE: set(), DOUBLE_GIFT: set()}
    for end in chains(state):
        made[_marker(end)].add(_essence(end))
    hidden = mode == "advanced"
    assert len(made[REVEAL]) == n
    assert len(made[INTRIGUE]) == n * (n - 1)
    assert len(made[COMPROMISE]) == comb(n, 3) * (4 if hidden else 1)
    assert len(made[DOUBLE_GIFT]) == 3 * comb(n, 4) * (5 if hidden else 1)


def _marker(end: State) -> int:
    if end.intrigue[A]:
        return INTRIGUE
    return end.marker if end.phase == FACE else REVEAL


def _essence(end: State) -> Any:
    """The offer without the order of laying."""
    if end.intrigue[A]:
        return tuple(end.intrigue[A])
    if end.phase != FACE:
        return tuple(end.sides[A])
    shown = list(zip(end.laid, end.hidden, strict=True))
    pairs = [shown] if end.marker == COMPROMISE else [shown[:2], shown[2:]]
    return frozenset(frozenset(pair) for pair in pairs)


def test_14_2_choices_of_an_offer_are_positions() -> None:
    state = position("advanced", a=SIX, b=("green 1", "green 2"))
    use(state, "compromise", "pink 4", "red 2", "blue 2")
    kinds = [type(action).__name__ for action in GAME.legal(state)]
    assert kinds == ["Take"] * 3 + ["Counter"] * 3


def test_an_illegal_action_changes_nothing_and_says_why() -> None:
    state = position("advanced", a=SIX)
    before = GAME.clone(state)
    wrong: list[Any] = [Take((0,)), Place(0), Lay("gift-red-1"), Lay("nonsense"), Offer(), Offer(0), object()]
    for action in wrong:
        with pytest.raises(IllegalAction, match=r"."):
            act(state, action)
    assert state == before
    act(state, MARKER_USES[COMPROMISE])
    before_laying = GAME.clone(state)
    with pytest.raises(IllegalAction, match="hand"):
        act(state, Lay("gift-green-4"))
    assert state == before_laying


def test_gr_38_each_pair_is_ordered_by_its_owner() -> None:
    """And the order is asked even when it changes nothing (14.2)."""
    state = position(a=SIX)
    use(state, "compromise", "pink 4", "red 2", "blue 2")
    take(state, 0)
    assert state.phase == PLACE
    with pytest.raises(IllegalAction):
        place(state, 0)
    assert GAME.legal(state) == [Place(1), Place(2)]
