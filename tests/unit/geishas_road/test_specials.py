"""Section 8: Hidden offer, Counter-offer and their chains (advanced mode)."""

from typing import Any

import pytest

from services.engine.game import IllegalAction
from services.games.geishas_road.components import COUNTER_OFFER, HIDDEN_OFFER
from services.games.geishas_road.game import GAME
from services.games.geishas_road.state import FACE, State
from teahouse.games.geishas_road.v1.structs import (
    Counter,
    Countered,
    Lay,
    Offer,
    Offered,
    Place,
    Placed,
    Take,
    TurnedUp,
    Use,
)
from tests.unit.geishas_road.table import (
    A,
    B,
    act,
    cards,
    counter,
    name,
    place,
    position,
    take,
    tokens,
    told,
    total,
    use,
    used,
)

A_HAND = ("pink 4", "red 2", "blue 1", "yellow 4", "yellow 3", "pink 3")
B_HAND = ("green 3", "green 4", "red 3")


def offered(hidden: int | None = None) -> State:
    """Turn 3: A lays the Compromise of W-10, B faces it."""
    state = position("advanced", A_HAND, B_HAND, turn_number=3)
    use(state, "compromise", "pink 4", "red 2", "blue 1", hidden=hidden)
    return state


def settle(state: State) -> list[Any]:
    """Plays on with the first choices until the offer is placed."""
    story = []
    turn = state.turn
    while state.turn == turn and state.phase != FACE:
        story += act(state, GAME.legal(state)[0])
    return story


def counterable(state: State) -> list[int]:
    return [action.position for action in GAME.legal(state) if isinstance(action, Counter)]


def test_w_10_counter_offer() -> None:
    state = offered()
    assert (GAME.actor(state), len(state.deck)) == (B, 5)
    hands = [len(hand) for hand in state.hands]
    events = counter(state, 0, "green 3")
    assert state.laid == cards("green 3", "red 2", "blue 1")
    assert GAME.actor(state) == A
    assert len(state.deck) == 5
    assert [len(hand) for hand in state.hands] == hands
    assert state.specials == [0, COUNTER_OFFER]
    [told_to_all] = told(events, Countered)
    assert (told_to_all.returned, told_to_all.card, told_to_all.drawn) == (name("pink 4"), name("green 3"), None)
    assert told(events, Countered, B)[0].drawn is not None
    take(state, 0, 2)
    assert (GAME.actor(state), GAME.legal(state)) == (A, [Place(0), Place(2)])
    placed = [(event.seat, event.card) for event in told(place(state, 0) + settle(state), Placed)]
    assert placed == [(A, name("green 3")), (A, name("blue 1")), (B, name("red 2"))]
    assert GAME.view(state, None).players[B].special_markers == ["hidden_offer"]


def test_w_11_answering_it() -> None:
    state = offered()
    counter(state, 0, "green 3")
    counter(state, 1, "yellow 4", hidden=True)
    assert GAME.actor(state) == B
    assert GAME.legal(state) == [Take((0,)), Take((1,)), Take((2,))]
    seen = [card.card for card in GAME.view(state, B).offer.cards]
    assert seen == [name("green 3"), None, name("blue 1")]
    assert state.specials == [COUNTER_OFFER | HIDDEN_OFFER, COUNTER_OFFER]
    events = take(state, 1)
    [turned] = told(events, TurnedUp)
    assert [card.card for card in turned.cards] == [name("green 3"), name("yellow 4"), name("blue 1")]
    events += settle(state)
    placed = [(event.seat, event.card) for event in told(events, Placed)]
    assert placed == [(B, name("yellow 4")), (A, name("green 3")), (A, name("blue 1"))]


def test_gr_44_specials_are_voluntary_and_once_a_round() -> None:
    state = offered()
    assert any(isinstance(action, Take) for action in GAME.legal(state))
    assert counterable(state) == [0, 1, 2]
    state.specials[B] = COUNTER_OFFER
    assert counterable(state) == []
    with pytest.raises(IllegalAction):
        act(state, Counter(0))


def test_gr_45_hidden_offer_lays_one_card_face_down() -> None:
    state = position("advanced", A_HAND, B_HAND, turn_number=3)
    act(state, Use("double_gift"), *(Lay(name(card)) for card in A_HAND[:4]))
    assert GAME.legal(state) == [Offer(), Offer(0), Offer(1), Offer(2), Offer(3)]
    [event] = act(state, Offer(2))
    seen = [(card.position, card.face_down, card.card) for card in told([event], Offered, B)[0].cards]
    assert seen[2] == (2, True, None)
    assert [card for _, _, card in seen if card] == [name(card) for card in ("pink 4", "red 2", "yellow 4")]
    assert told([event], Offered, A)[0].cards[2].card == name("blue 1")
    assert state.specials == [HIDDEN_OFFER, 0]


def test_gr_45_no_hidden_card_once_the_marker_is_used() -> None:
    state = position("advanced", A_HAND, B_HAND, turn_number=3)
    state.specials[A] = HIDDEN_OFFER
    act(state, Use("compromise"), *(Lay(name(card)) for card in A_HAND[:3]))
    assert state.phase == FACE


def test_gr_46_and_s_4_no_counter_offer_with_an_empty_hand() -> None:
    state = position("advanced", A_HAND, (), turn_number=3)
    use(state, "compromise", "pink 4", "red 2", "blue 1")
    assert counterable(state) == []


def test_gr_46_the_returned_card_may_be_drawn_again() -> None:
    drawn = set()
    for seed in range(40):
        state = offered()
        state.dice.seed = bytes([seed]) * 32
        counter(state, 0, "green 3")
        drawn.add(state.hands[B][-1])
    assert cards("pink 4")[0] in drawn
    assert len(drawn) > 3


def test_gr_46_s_12_the_card_is_drawn_before_the_other_player_decides() -> None:
    state = offered()
    counter(state, 0, "green 3")
    assert state.phase == FACE
    assert len(state.hands[B]) == len(B_HAND)


def test_s_11_the_replacing_card_joins_the_same_pair() -> None:
    state = position("advanced", A_HAND, B_HAND, turn_number=3)
    use(state, "double_gift", "pink 4", "red 2", "blue 1", "yellow 4")
    counter(state, 2, "green 4")
    assert state.laid == cards("pink 4", "red 2", "green 4", "yellow 4")
    assert GAME.legal(state)[:2] == [Take((0, 1)), Take((2, 3))]


def test_gr_47_counter_offer_with_hidden_offer() -> None:
    state = offered()
    act(state, Counter(1), Lay(name("green 4")))
    assert GAME.legal(state) == [Offer(), Offer(1)]
    with pytest.raises(IllegalAction):
        act(state, Offer(0))
    [event] = act(state, Offer(1))
    assert state.specials[B] == COUNTER_OFFER | HIDDEN_OFFER
    assert told([event], Countered, A)[0].card is None
    assert told([event], Countered, B)[0].card == name("green 4")
    assert GAME.view(state, A).offer.cards[1].card is None


def test_gr_48_the_first_counter_offerer_cannot_counter_again() -> None:
    state = offered()
    counter(state, 0, "green 3")
    assert counterable(state) == [0, 1, 2]
    counter(state, 0, "yellow 3")
    assert (GAME.actor(state), state.counters) == (B, 2)
    assert counterable(state) == []


@pytest.mark.parametrize(("counters", "chooser", "size"), [(0, B, 1), (1, A, 2), (2, B, 1)])
def test_gr_49_and_s_10_shares_of_a_compromise_never_change(counters: int, chooser: int, size: int) -> None:
    state = offered()
    for answer in ("green 3", "yellow 3")[:counters]:
        counter(state, 0, answer)
    takes = [action for action in GAME.legal(state) if isinstance(action, Take)]
    assert GAME.actor(state) == chooser
    assert len(takes) == 3
    assert {len(action.positions) for action in takes} == {size}
    take(state, *takes[-1].positions)
    settle(state)
    assert [len(side) for side in state.sides] == [2, 1]


@pytest.mark.parametrize("counters", [0, 1, 2])
def test_gr_49_in_a_double_gift_each_gets_a_pair_and_gr_50_the_chooser_places_first(counters: int) -> None:
    state = position("advanced", A_HAND, B_HAND, turn_number=3)
    use(state, "double_gift", "pink 4", "red 2", "blue 1", "yellow 4")
    for answer in ("green 3", "yellow 3")[:counters]:
        counter(state, 0, answer)
    chooser = GAME.actor(state)
    events = take(state, 0, 1) + settle(state)
    assert [len(side) for side in state.sides] == [2, 2]
    assert [event.seat for event in told(events, Placed)] == [chooser, chooser, 1 - (chooser or 0), 1 - (chooser or 0)]


def test_gr_51_and_s_13_cards_are_turned_up_after_the_choice_and_before_placing() -> None:
    state = offered(hidden=1)
    events = take(state, 0)
    kinds = [type(event.public).__name__ for event in events]
    assert kinds.index("TurnedUp") < kinds.index("Placed")
    assert [card.face_down for card in GAME.view(state, B).offer.cards] == [False, False]


def test_gr_51_nothing_is_turned_up_if_nothing_was_hidden() -> None:
    assert not told(take(offered(), 0), TurnedUp)


def test_gr_52_and_s_5_a_face_down_card_goes_back_unseen() -> None:
    state = offered(hidden=0)
    events = counter(state, 0, "green 3")
    assert told(events, Countered, B)[0].returned is None
    assert told(events, Countered)[0].returned is None
    assert told(events, Countered, A)[0].returned == name("pink 4")
    assert GAME.view(state, A).returned == [name("pink 4")]
    assert GAME.view(state, B).returned == GAME.view(state, None).returned == []
    assert state.specials[A] == HIDDEN_OFFER, "stays used"


def test_s_9_the_answer_may_return_any_card_even_the_own() -> None:
    state = offered()
    counter(state, 0, "green 3")
    counter(state, 2, "yellow 3")
    assert state.laid == cards("green 3", "red 2", "yellow 3")


def test_gr_53_two_face_down_cards_in_one_offer() -> None:
    state = offered(hidden=2)
    counter(state, 0, "green 3", hidden=True)
    assert [card.card for card in GAME.view(state, A).offer.cards] == [None, name("red 2"), name("blue 1")]
    assert [card.card for card in GAME.view(state, B).offer.cards] == [name("green 3"), name("red 2"), None]
    assert [card.card for card in GAME.view(state, None).offer.cards] == [None, name("red 2"), None]


def test_gr_54_a_counter_offer_uses_no_marker_and_no_turn() -> None:
    state = offered()
    before = (state.turn, state.active, state.used[:], len(state.deck))
    counter(state, 0, "green 3")
    assert (state.turn, state.active, state.used, len(state.deck)) == before


def test_s_23_both_specials_of_the_active_player_in_one_turn() -> None:
    state = offered(hidden=1)
    counter(state, 0, "green 3")
    act(state, Counter(0), Lay(name("yellow 3")))
    assert state.phase == FACE, "Hidden offer is used already"
    assert state.specials[A] == COUNTER_OFFER | HIDDEN_OFFER


def test_gr_89_no_counter_offer_in_turn_8_and_no_answer_in_turn_7() -> None:
    last_a = used("reveal", "intrigue", "compromise")
    last_b = used("reveal", "intrigue", "double_gift")
    state = position(
        "advanced", ("pink 4", "red 2", "blue 1"), ("green 3", "green 4"), turn_number=7, used=(last_a, last_b)
    )
    assert not state.hands[A][4:]
    while state.phase != FACE:
        act(state, GAME.legal(state)[0])
    assert counterable(state) == [0, 1, 2, 3]
    counter(state, 0, "green 3")
    assert counterable(state) == []
    state.active = state.actor = B
    state.hands = [[], state.hands[B]]
    assert counterable(state) == []


def test_a_counter_offer_with_a_single_card_lays_it_without_asking() -> None:
    state = position("advanced", A_HAND, ("green 3",), turn_number=3)
    use(state, "compromise", "pink 4", "red 2", "blue 1")
    act(state, Counter(1))
    assert GAME.legal(state) == [Offer(), Offer(1)]
    act(state, Offer())
    assert state.laid == cards("pink 4", "green 3", "blue 1")


def test_tokens_of_an_offer_go_to_the_placer() -> None:
    state = offered()
    take(state, 2)
    assert GAME.actor(state) == B
    tokens(state, 1)
    assert state.favour.count(B) == 1
    assert total(state, B, "blue") == 1


def test_gr_46_a_face_up_card_that_replaces_a_hidden_one_lies_open() -> None:
    state = offered(hidden=0)
    counter(state, 0, "green 3")
    for seat in (A, B, None):
        shown = GAME.view(state, seat).offer.cards[0]
        assert (shown.face_down, shown.card) == (False, name("green 3"))


def test_gr_52_and_s_9_the_answer_may_return_the_own_face_down_card() -> None:
    state = offered(hidden=0)
    counter(state, 1, "green 3")
    assert counterable(state) == [0, 1, 2]
    events = counter(state, 0, "yellow 3")
    assert state.laid == cards("yellow 3", "green 3", "blue 1")
    assert told(events, Countered, A)[0].returned == name("pink 4")
    assert (told(events, Countered, B)[0].returned, told(events, Countered)[0].returned) == (None, None)
    assert state.specials[A] == COUNTER_OFFER | HIDDEN_OFFER, "the Hidden offer stays used"
    assert GAME.view(state, B).returned == [name("red 2")]
    assert GAME.view(state, A).returned == [name("red 2"), name("pink 4")]


def test_gr_48_the_next_offer_begins_a_new_chain() -> None:
    state = offered()
    counter(state, 0, "green 3")
    counter(state, 0, "yellow 3")
    assert GAME.view(state, None).offer.counters == 2
    take(state, 0)
    settle(state)
    state.hands[B] = cards("pink 1", "pink 2", "red 1", "red 4")
    use(state, "compromise", "pink 1", "pink 2", "red 1")
    assert (state.active, GAME.view(state, None).offer.counters) == (B, 0)
    assert GAME.legal(state) == [Take((0,)), Take((1,)), Take((2,))], "both Counter-offers are used"
