"""What a seat, or a spectator, may see (14.3)."""

from services.games.geishas_road.components import (
    ADVANCED,
    CARD_COLOUR,
    CARDS,
    COLOURS,
    COMPROMISE,
    MARKERS,
    MODES,
    SPECIALS,
    TILE_POINTS,
    TURNS,
)
from services.games.geishas_road.events import FACES, offered_cards, round_scored
from services.games.geishas_road.state import (
    AT_TEAHOUSE,
    FACE,
    HIDE,
    LAY,
    NONE,
    OVER,
    PLACE,
    SWAP,
    SWAP_HIDE,
    TOKENS,
    USE,
    State,
)
from teahouse.games.geishas_road.v1 import structs as s

# The rival sees nothing of an action or Counter-offer in preparation, not even how far along it is.
PHASES = {
    USE: "choose_action",
    LAY: "choose_action",
    HIDE: "choose_action",
    FACE: "face_offer",
    SWAP: "face_offer",
    SWAP_HIDE: "face_offer",
    PLACE: "place",
    TOKENS: "take_tokens",
    OVER: "over",
}
BOTH = 3


def _unused(names: tuple[str, ...]) -> list[list[str]]:
    """Indexed by the mask of used ones."""
    masks = range(1 << len(names))
    return [[name for index, name in enumerate(names) if not used >> index & 1] for used in masks]


UNUSED_MARKERS, UNUSED_SPECIALS = _unused(MARKERS), _unused(SPECIALS)


def view(state: State, seat: int | None) -> s.View:
    return s.View(
        MODES[state.mode],
        state.destiny,
        state.round,
        state.turn,
        state.starter,
        state.active,
        PHASES[state.phase],
        [COLOURS[colour] for colour in state.circle],
        _geishas(state),
        [
            s.Teahouse(COLOURS[colour], state.teahouses[colour], state.favour[colour] == AT_TEAHOUSE)
            for colour in state.circle
        ],
        [FACES[face] for face in state.upper],
        [FACES[face] for face in state.lower],
        [_player(state, owner, seat) for owner in (0, 1)],
        len(state.deck),
        [
            CARDS[back.card]
            for back in state.returned
            if back.known == BOTH or (seat is not None and back.known >> seat & 1)
        ],
        [round_scored(number, points) for number, points in enumerate(state.scored, 1)],
        _offer(state, seat),
        _preparation(state) if seat is not None and seat == state.actor else None,
        s.TokensDue(state.actor, COLOURS[state.stop], state.due) if state.phase == TOKENS else None,
    )


def _geishas(state: State) -> list[s.Geisha]:
    own, other = state.totals
    cards: list[list[str]] = [[], [], [], [], []]
    other_cards: list[list[str]] = [[], [], [], [], []]
    for side, by_colour in zip(state.sides, (cards, other_cards), strict=True):
        for card in side:
            by_colour[CARD_COLOUR[card]].append(CARDS[card])
    points = TILE_POINTS[state.round - 1]
    return [
        s.Geisha(
            COLOURS[colour],
            state.pawns[colour],
            state.returns[colour],
            [FACES[face] for face in state.tiles[colour]],
            [s.Side(cards[colour], own[colour]), s.Side(other_cards[colour], other[colour])],
            points[colour],
            holder if holder >= 0 else None,
        )
        for colour, holder in enumerate(state.favour)
    ]


def _player(state: State, owner: int, seat: int | None) -> s.Player:
    hand = state.hands[owner]
    laying = len(state.laid) if owner == state.actor and state.phase in (LAY, HIDE) else 0
    return s.Player(
        len(hand) + laying,
        [CARDS[card] for card in hand if not _swapping(state, card)] if owner == seat else [],
        UNUSED_MARKERS[state.used[owner]],
        UNUSED_SPECIALS[state.specials[owner]] if state.mode == ADVANCED else [],
        [s.Guests(COLOURS[colour], count) for colour, count in enumerate(state.guests[owner]) if count],
        [COLOURS[colour] for colour, holder in enumerate(state.favour) if holder == owner],
        _intrigue(state, owner, seat) if state.intrigue[owner] else None,
    )


def _swapping(state: State, card: int) -> bool:
    return state.phase == SWAP_HIDE and card == state.swap_card


def _intrigue(state: State, owner: int, seat: int | None) -> s.Intrigue:
    left, right = state.intrigue[owner]
    if owner == seat:
        return s.Intrigue(CARDS[left], CARDS[right])
    return s.Intrigue(CARDS[left] if left_is_shown(state, owner) else None)


def left_is_shown(state: State, owner: int) -> bool:
    """GR-58: visible once it is placed at the end of the round."""
    return state.turn > TURNS and all(entry >> 2 != owner for entry in state.queue)


def _offer(state: State, seat: int | None) -> s.OpenOffer | None:
    if state.marker < COMPROMISE or state.phase in (USE, LAY, HIDE, OVER):
        return None
    cards = offered_cards(state, seat)
    if state.phase in (PLACE, TOKENS):
        cards = [card for card in cards if card.share_of is not None]
    return s.OpenOffer(MARKERS[state.marker], state.active, state.counters, cards)


def _preparation(state: State) -> s.Preparation | None:
    if state.phase in (LAY, HIDE):
        return s.Preparation([CARDS[card] for card in state.laid], MARKERS[state.marker])
    if state.phase in (SWAP, SWAP_HIDE):
        cards = [] if state.swap_card == NONE else [CARDS[state.swap_card]]
        return s.Preparation(cards, None, state.swap)
    return None
