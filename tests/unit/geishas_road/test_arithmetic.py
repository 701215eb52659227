"""Section 15: what holds in every game, checked over random games of every mode."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from services.games.geishas_road.components import (
    ADVANCED,
    ALL_MARKERS,
    CARD_COLOUR,
    COLOURS,
    FIVE,
    MARKER_CARDS,
    REVEAL,
)
from services.games.geishas_road.game import GAME
from services.games.geishas_road.scoring import score_round
from services.games.geishas_road.state import FACE, USE, State
from teahouse.games.geishas_road.v1.structs import Counter, Drawn, FavourDecided, Options, Placed, RoundBegan, Take
from tests.unit.geishas_road.pieces import CASES, PLAYERS, account
from tests.unit.geishas_road.table import act, told


def games(count: int) -> Iterator[tuple[State, random.Random]]:
    for number in range(count):
        _, options = CASES[number % len(CASES)]
        yield GAME.new(PLAYERS, Options(**options), number.to_bytes(2, "big") * 16), random.Random(number)


def test_gr_86_nine_cards_are_placed_by_each_seat_in_a_round() -> None:
    for state, rng in games(30):
        placed = [0, 0]
        while GAME.actor(state) is not None:
            rounds = state.round
            for event in told(act(state, rng.choice(GAME.legal(state))), Placed):
                placed[event.seat] += 1
            if state.round != rounds or GAME.actor(state) is None:
                assert placed == [9, 9]
                placed = [0, 0]


def test_gr_87_the_deck_is_used_up_by_the_draw_of_turn_8() -> None:
    for state, rng in games(30):
        while GAME.actor(state) is not None:
            for event in told(act(state, rng.choice(GAME.legal(state))), Drawn):
                assert event.deck == 8 - event.turn


def test_gr_88_every_unused_action_can_be_carried_out() -> None:
    for state, rng in games(30):
        while GAME.actor(state) is not None:
            if state.phase == USE:
                unused = [size for marker, size in enumerate(MARKER_CARDS) if not state.used[state.actor] >> marker & 1]
                assert len(state.hands[state.actor]) == sum(unused) - len(unused) + 1 >= max(unused)
            act(state, rng.choice(GAME.legal(state)))


def test_gr_89_counter_offers_at_the_end_of_a_round() -> None:
    met = 0
    for state, rng in games(300):
        while GAME.actor(state) is not None:
            legal = GAME.legal(state)
            if state.phase == FACE and any(isinstance(action, Counter) for action in legal):
                assert state.turn < 8
                assert state.turn < 7 or state.actor != state.active
                met += state.turn == 7
            GAME.apply(state, rng.choice(legal), tell=False)
    assert met > 0


def test_gr_90_to_gr_92_returns_totals_and_pawns_at_home() -> None:
    for state, rng in games(120):
        while GAME.actor(state) is not None:
            rounds = state.round
            GAME.apply(state, rng.choice(GAME.legal(state)), tell=False)
            assert max(state.returns) <= 2
            if state.round == 2 and rounds == 1:
                assert sum(pawn == home for pawn, home in zip(state.pawns, state.home, strict=True)) >= 3
        counts = [sum(CARD_COLOUR[card] == colour for side in state.sides for card in side) for colour in FIVE]
        assert min(counts) >= 2
        assert counts.count(4) >= 3
        assert min(state.totals[0][colour] + state.totals[1][colour] for colour in FIVE) >= 3  # GR-62, GR-91


def test_gr_93_every_piece_is_accounted_for_after_every_step() -> None:
    for state, rng in games(18):
        while GAME.actor(state) is not None:
            account(state)
            act(state, rng.choice(GAME.legal(state)))
        account(state)


def test_gr_93_the_accounting_notices_a_missing_piece() -> None:
    state, _ = next(islice(games(3), 2, 3))
    for spoil in (
        lambda: state.deck.append(state.deck[0]),
        lambda: state.pawns.__setitem__(0, state.pawns[0] + 1),
        lambda: state.upper.pop(),
        lambda: state.teahouses.__setitem__(1, 7),
    ):
        before = GAME.clone(state)
        account(state)
        spoil()
        with pytest.raises(AssertionError):
            account(state)
        state.deck, state.pawns, state.upper, state.teahouses = (
            before.deck,
            before.pawns,
            before.upper,
            before.teahouses,
        )


def test_gr_63_both_players_cannot_have_four_geishas() -> None:
    for state, rng in games(20):
        while GAME.actor(state) is not None:
            GAME.apply(state, rng.choice(GAME.legal(state)), tell=False)
        state.scored = state.scored[:1]
        score_round(state)
        assert sum(state.won.count(seat) >= 4 for seat in (0, 1)) <= 1


def test_gr_62_and_gr_91_every_geisha_has_two_cards_at_the_end_of_every_round() -> None:
    for state, rng in games(60):
        placed: list[str] = []
        while GAME.actor(state) is not None:
            for event in act(state, rng.choice(GAME.legal(state))):
                if isinstance(event.public, Placed):
                    placed.append(event.public.card)
                elif isinstance(event.public, FavourDecided):
                    values = [int(card[-1]) for card in placed if event.public.geisha in card]
                    assert len(values) >= 2
                    assert sum(event.public.totals) == sum(values) >= 3
                elif isinstance(event.public, RoundBegan):
                    placed = []


def test_gr_92_in_round_1_the_lower_row_never_runs_short() -> None:
    second = 0
    for state, rng in games(90):
        while GAME.actor(state) is not None and state.round == 1:
            for event in told(act(state, rng.choice(GAME.legal(state))), Placed):
                if state.round == 1 and event.return_number == 2:
                    second += 1
                    colour = COLOURS.index(event.card.split("-")[1])
                    assert sum(CARD_COLOUR[card] == colour for side in state.sides for card in side) == 4
            assert state.destiny or sum(map(len, state.tiles)) == sum(state.returns)
    assert second > 10


def test_gr_89_with_only_reveal_left_there_is_no_card_for_a_counter_offer() -> None:
    met = set()
    for state, rng in games(300):
        while GAME.actor(state) is not None:
            legal = GAME.legal(state)
            if state.phase == FACE and state.mode == ADVANCED:
                left = ALL_MARKERS & ~state.used[state.actor]
                if state.actor == state.active:
                    left &= ~(1 << state.marker)
                if left == 1 << REVEAL:
                    met.add(state.actor == state.active)
                    assert state.hands[state.actor] == []
                    assert all(isinstance(action, Take) for action in legal)
            GAME.apply(state, rng.choice(legal), tell=False)
    assert met == {True, False}, "in the own turn and in the rival's"
