"""What the campaign plays, and where every piece of the box may be (GR-93)."""

from typing import Any

from services.games.geishas_road.components import (
    BASIC,
    CARD_COLOUR,
    CARD_VALUE,
    CARDS,
    FIVE,
    GUESTS_PER_TEAHOUSE,
    LANTERNS,
    MARKER_CARDS,
    TURNS,
)
from services.games.geishas_road.state import FACE, HIDE, LAY, OVER, PLACE, SWAP, SWAP_HIDE, TOKENS, State

PLAYERS = ["player", "player"]
CASES: list[tuple[list[str], dict[str, Any]]] = [
    (PLAYERS, {"mode": mode, "destiny": destiny})
    for mode in ("basic", "harder", "advanced")
    for destiny in (False, True)
]
PLAYTHROUGHS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    "basic": (PLAYERS, {"mode": "basic"}, 1),
    "harder": (PLAYERS, {"mode": "harder"}, 2),
    "advanced": (PLAYERS, {"mode": "advanced"}, 3),
    "destiny": (PLAYERS, {"mode": "advanced", "destiny": True, "starting_seat": 1}, 4),
}


def account(state: State) -> None:
    _cards(state)
    _counts(state)
    _pawns(state)
    _lanterns(state)
    _tokens(state)


def _cards(state: State) -> None:
    cards = [*state.deck, *state.hands[0], *state.hands[1], *state.sides[0], *state.sides[1]]
    cards += [card for pair in state.intrigue for card in pair[state.turn > TURNS :]]
    if state.phase in (LAY, HIDE, FACE, SWAP, SWAP_HIDE):
        cards += state.laid
    elif state.phase in (PLACE, TOKENS):
        cards += [state.laid[entry & 3] for entry in state.queue]
    assert sorted(cards) == list(range(len(CARDS))), "a card is missing or there twice"


def _counts(state: State) -> None:
    """GR-87 and GR-88; a round that ended has placed 18 cards, 9 by each seat (GR-86)."""
    if state.turn > TURNS:
        assert not state.deck and state.hands == [[], []]
    else:
        assert len(state.deck) == TURNS - state.turn
        for seat, hand in enumerate(state.hands):
            sizes = [size for marker, size in enumerate(MARKER_CARDS) if not state.used[seat] >> marker & 1]
            size = sum(sizes) - len(sizes)
            if seat == state.active:
                size += 1 - (MARKER_CARDS[state.marker] if state.phase > HIDE else len(state.laid))
            assert len(hand) == size
    if state.phase == OVER:
        assert [len(side) for side in state.sides] == [9, 9]


def _pawns(state: State) -> None:
    for colour in FIVE:
        values = [[CARD_VALUE[card] for card in side if CARD_COLOUR[card] == colour] for side in state.sides]
        assert [sum(side) for side in values] == [total[colour] for total in state.totals]
        assert state.pawns[colour] == (state.began[colour] + sum(map(sum, values))) % 5
        assert 0 <= state.returns[colour] <= 2  # GR-90


def _lanterns(state: State) -> None:
    faces = [*state.upper, *state.lower, *(face for tile in state.tiles for face in tile)]
    assert len({face >> 1 for face in faces}) == len(faces) == (5 if state.destiny else len(LANTERNS))
    assert state.destiny or not any(face & 1 for face in faces)
    for colour in FIVE:
        assert len(state.tiles[colour]) == (min(1, state.returns[colour]) if state.destiny else state.returns[colour])


def _tokens(state: State) -> None:
    in_play = 0 if state.mode == BASIC else 1
    for colour in FIVE:
        guests = state.teahouses[colour] + state.guests[0][colour] + state.guests[1][colour]
        assert guests == in_play * GUESTS_PER_TEAHOUSE[colour]
        assert min(state.teahouses[colour], *(seat[colour] for seat in state.guests)) >= 0
    if state.mode == BASIC:
        assert sorted(state.favour) == [-2, -2, -2, 0, 1]
    else:
        assert all(holder in (-1, 0, 1) for holder in state.favour)
