"""14.3: who may see what, and positions redealt for a seat."""

import random
from typing import Any

import pytest

from services.engine.dice import Dice
from services.engine.registry import codec
from services.games.geishas_road.actions.legal import MARKER_USES
from services.games.geishas_road.components import CARDS, COMPROMISE, INTRIGUE
from services.games.geishas_road.game import GAME
from services.games.geishas_road.redeal import possible
from services.games.geishas_road.state import State
from services.games.geishas_road.turn import proceed
from teahouse.games.geishas_road.v1.structs import Counter, Intrigued, Lay, Offer, Options, TakeTokens
from tests.unit.geishas_road.pieces import CASES, account
from tests.unit.geishas_road.table import A, B, act, cards, counter, name, position, take, told, use

A_HAND = ("pink 4", "red 2", "blue 1", "yellow 4", "yellow 3", "pink 3")
B_HAND = ("green 3", "green 4", "red 3", "red 4")


def redealt(state: State, seat: int, times: int = 60) -> list[State]:
    return [GAME.redeal(state, seat, Dice(bytes([number]) * 32)) for number in range(times)]


def seen(state: State, seat: int | None) -> bytes:
    return codec("geishas_road").view(state, seat)


def test_hands_are_secret_and_their_size_public() -> None:
    state = position(a=A_HAND, b=B_HAND)
    for seat in (A, B):
        view = GAME.view(state, seat)
        assert view.players[seat].hand == [CARDS[card] for card in state.hands[seat]]
        assert view.players[1 - seat].hand == []
    spectator = GAME.view(state, None)
    assert [player.hand_size for player in spectator.players] == [7, 4]
    assert [player.hand for player in spectator.players] == [[], []]


def test_a_view_shows_neither_the_deck_nor_the_seed() -> None:
    state = position(a=A_HAND, b=B_HAND)
    text = seen(state, A)
    assert state.dice.seed.hex().encode() not in text
    assert GAME.view(state, A).deck == 7
    for card in state.deck:
        assert CARDS[card].encode() not in text


def test_nothing_of_an_action_in_preparation_is_visible() -> None:
    state = position("advanced", A_HAND, B_HAND)
    before = seen(state, B), seen(state, None)
    steps: list[Any] = [MARKER_USES[COMPROMISE], *(Lay(name(card)) for card in A_HAND[:3])]
    for step in steps:
        assert act(state, step) == []
        assert (seen(state, B), seen(state, None)) == before
    own = GAME.view(state, A).preparation
    assert (own.marker, own.cards) == ("compromise", [name(card) for card in A_HAND[:3]])


def test_nothing_of_a_counter_offer_in_preparation_is_visible() -> None:
    state = position("advanced", A_HAND, B_HAND)
    use(state, "compromise", *A_HAND[:3])
    before = seen(state, A), seen(state, None)
    for step in (Counter(1), Lay(name("green 4"))):
        assert act(state, step) == []
        assert (seen(state, A), seen(state, None)) == before
    own = GAME.view(state, B)
    assert (own.preparation.position, own.preparation.cards) == (1, [name("green 4")])
    assert name("green 4") not in own.players[B].hand
    act(state, Offer(1))
    assert (seen(state, A), seen(state, None)) != before


def test_a_rival_in_preparation_is_redealt_to_its_beginning() -> None:
    state = position("advanced", A_HAND, B_HAND)
    act(state, MARKER_USES[COMPROMISE], Lay(name("pink 4")))
    for other in redealt(state, B, 5):
        assert GAME.legal(other) == list(MARKER_USES)
        assert len(other.hands[A]) == 7
        assert seen(other, B) == seen(state, B)


def test_the_right_intrigue_card_is_never_shown() -> None:
    rng = random.Random(5)
    for number in range(20):
        state = GAME.new(["player", "player"], Options(), bytes([number]) * 32)
        while GAME.actor(state) is not None:
            act(state, rng.choice(GAME.legal(state)))
            for owner in (A, B):
                if state.intrigue[owner]:
                    for seat in (1 - owner, None):
                        assert GAME.view(state, seat).players[owner].intrigue.right is None


def test_redeal_changes_everything_hidden() -> None:
    state = position("advanced", A_HAND, B_HAND)
    use(state, "intrigue", "pink 4", "red 2")
    others = redealt(state, B)
    assert len({tuple(other.intrigue[A]) for other in others}) > 30
    assert len({tuple(sorted(other.hands[A])) for other in others}) > 30
    assert len({tuple(other.deck) for other in others}) > 30
    assert len({other.dice.seed for other in others}) == len(others)
    assert {tuple(other.hands[B]) for other in others} == {tuple(state.hands[B])}


def test_redeal_hides_a_face_down_card_of_an_offer() -> None:
    state = position("advanced", A_HAND, B_HAND)
    use(state, "compromise", *A_HAND[:3], hidden=1)
    assert len({other.laid[1] for other in redealt(state, B)}) > 5
    assert {other.laid[1] for other in redealt(state, A, 5)} == {state.laid[1]}
    assert {(other.laid[0], other.laid[2]) for other in redealt(state, B)} == {(state.laid[0], state.laid[2])}


def test_a_returned_card_is_in_the_deck_or_drawn_since() -> None:
    state = position("advanced", A_HAND, B_HAND)
    use(state, "intrigue", "yellow 4", "yellow 3")
    use(state, "compromise", "green 3", "green 4", "red 3")
    counter(state, 0, "pink 3")
    [back] = cards("green 3")
    assert all(back not in other.hands[A] + other.intrigue[A] or back in state.hands[A] for other in redealt(state, A))
    places = {(back in other.deck, back in other.hands[A]) for other in redealt(state, B)}
    assert places <= {(True, False), (False, True)}
    assert all(back not in other.intrigue[A] for other in redealt(state, B)), "laid before it went back"
    assert all(possible(other, B) for other in redealt(state, B))


def test_a_hidden_card_that_went_back_is_known_to_its_layer_alone() -> None:
    state = position("advanced", A_HAND, B_HAND)
    use(state, "compromise", *A_HAND[:3], hidden=0)
    counter(state, 0, "green 3")
    [back] = cards("pink 4")
    for other in redealt(state, A):
        assert other.returned == state.returned
        assert back in other.deck or back in other.hands[B]
    guesses = {record.card for other in redealt(state, B) for record in other.returned}
    assert len(guesses) > 3


@pytest.mark.parametrize("case", range(len(CASES)))
def test_every_position_of_random_games_redeals_to_the_same_view(case: int) -> None:
    seats, options = CASES[case]
    rng = random.Random(case)
    changed = 0
    for number in range(4):
        state = GAME.new(seats, Options(**options), bytes([number, case]) * 16)
        while GAME.actor(state) is not None:
            for seat in (A, B):
                other = GAME.redeal(state, seat, Dice(rng.randbytes(32)))
                account(other)
                assert seen(other, seat) == seen(state, seat)
                assert possible(other, seat)
                changed += seen(other, 1 - seat) != seen(state, 1 - seat)
            act(state, rng.choice(GAME.legal(state)))
    assert changed > 100


def test_points_and_tokens_are_public() -> None:
    state = position("harder", A_HAND, B_HAND)
    use(state, "compromise", *A_HAND[:3])
    take(state, 0)
    public = GAME.view(state, None)
    for seat in (A, B):
        own = GAME.view(state, seat)
        assert (own.geishas, own.teahouses, own.upper_row, own.offer) == (
            public.geishas,
            public.teahouses,
            public.upper_row,
            public.offer,
        )


def test_gr_27_the_story_tells_intrigue_cards_to_their_owner_alone() -> None:
    state = position(a=A_HAND, b=B_HAND)
    events = use(state, "intrigue", "pink 4", "red 2")
    assert [(event.left, event.right) for event in told(events, Intrigued, A)] == [(name("pink 4"), name("red 2"))]
    for seat in (B, None):
        assert [(event.left, event.right) for event in told(events, Intrigued, seat)] == [(None, None)]


def test_gr_58_a_left_card_is_seen_from_its_own_placing_on() -> None:
    state = position("harder", turn_number=8)
    state.starter, state.active, state.turn = B, A, 8
    state.intrigue = [cards("pink 1", "red 4"), cards("blue 1", "red 3")]
    state.hands, state.deck, state.queue, state.laid = [[], []], [], [], []
    state.marker, state.used = INTRIGUE, [15, 15]
    proceed(state, [])
    assert GAME.actor(state) == B

    def left_cards(seat: int | None) -> list[str | None]:
        return [player.intrigue.left for player in GAME.view(state, seat).players]

    assert left_cards(None) == [None, name("blue 1")]
    assert left_cards(A) == [name("pink 1"), name("blue 1")], "the starting player's card was turned up"
    assert left_cards(B) == [None, name("blue 1")], "the other one not yet"
    act(state, TakeTokens(0))
    assert GAME.actor(state) == A
    assert left_cards(None) == left_cards(A) == left_cards(B) == [name("pink 1"), name("blue 1")]
