"""A position. Cards, colours, markers and lantern faces are indices from components.py; seats are 0 and 1."""

from msgspec import Struct

from services.engine.dice import Dice

# The decision that is due. USE, LAY and HIDE prepare an action, SWAP and SWAP_HIDE a Counter-offer.
USE, LAY, HIDE, FACE, SWAP, SWAP_HIDE, PLACE, TOKENS, OVER = range(9)

# The place of a favour token that neither seat holds.
AT_TEAHOUSE, REMOVED = -1, -2
NONE = -1


class Returned(Struct, array_like=True, gc=False):
    """A card that a Counter-offer put back into the deck in this round (14.3)."""

    card: int
    # Mask of the seats that know which card it was.
    known: int
    # How many cards each seat had drawn by then. A seat that has drawn none since cannot hold it.
    drawn: list[int]


class State(Struct, array_like=True, gc=False):
    dice: Dice
    mode: int
    destiny: bool
    # Colour by position, position by colour.
    circle: list[int]
    home: list[int]

    round: int
    # 1 to 8; 9 while the left Intrigue cards are placed.
    turn: int
    starter: int
    active: int
    phase: int
    actor: int

    # The top card is the last one.
    deck: list[int]
    hands: list[list[int]]
    # Cards drawn in this round, by seat.
    drawn: list[int]
    # Masks of used markers, by seat.
    used: list[int]
    specials: list[int]
    # [left, right] once laid, and how many cards its owner had drawn by then.
    intrigue: list[list[int]]
    intrigue_drawn: list[int]

    # The action in progress: its marker, its cards by position, and the seat that laid each face down (or NONE).
    marker: int
    laid: list[int]
    hidden: list[int]
    # For each face-down position, how many cards its seat had drawn by then.
    hidden_drawn: list[int]
    counters: int
    # A Counter-offer being prepared: the position and the hand card for it.
    swap: int
    swap_card: int
    # Cards of this round that went back into the deck.
    returned: list[Returned]
    # Cards still to be placed, in order: 4 · seat + position.
    queue: list[int]
    # TOKENS: the colour of the teahouse and how many tokens are to be taken.
    stop: int
    due: int

    # Cards on each seat's side in the order placed; their totals by colour.
    sides: list[list[int]]
    totals: list[list[int]]
    # Pawns by colour, now and when the round began; returns of the round.
    pawns: list[int]
    began: list[int]
    returns: list[int]
    # Lantern faces: rows from left to right, tiles by colour.
    upper: list[int]
    lower: list[int]
    tiles: list[list[int]]
    # Guests at the teahouses by colour; with each seat by colour; holder of each favour token.
    teahouses: list[int]
    guests: list[list[int]]
    favour: list[int]

    # Per scored round and seat: tiles, lanterns, guests, special markers.
    scored: list[list[list[int]]]
    # Winner of each geisha in the round last decided.
    won: list[int]
    winner: int
    reason: str


def clone(state: State) -> State:
    """Copies the state. It shares lists that are replaced and never changed."""
    (hand, other_hand), (guests, other_guests) = state.hands, state.guests
    (side, other_side), (total, other_total) = state.sides, state.totals
    return State(
        state.dice.clone(),
        state.mode,
        state.destiny,
        state.circle,
        state.home,
        state.round,
        state.turn,
        state.starter,
        state.active,
        state.phase,
        state.actor,
        state.deck[:],
        [hand[:], other_hand[:]],
        state.drawn[:],
        state.used[:],
        state.specials[:],
        state.intrigue[:],
        state.intrigue_drawn[:],
        state.marker,
        state.laid[:],
        state.hidden[:],
        state.hidden_drawn[:],
        state.counters,
        state.swap,
        state.swap_card,
        state.returned[:],
        state.queue[:],
        state.stop,
        state.due,
        [side[:], other_side[:]],
        [total[:], other_total[:]],
        state.pawns[:],
        state.began,
        state.returns[:],
        state.upper[:],
        state.lower[:],
        state.tiles[:],
        state.teahouses[:],
        [guests[:], other_guests[:]],
        state.favour[:],
        state.scored[:],
        state.won,
        state.winner,
        state.reason,
    )
