"""Which actions are legal. Action objects are created once and reused."""

from msgspec import convert

from services.engine.game import IllegalAction
from services.games.geishas_road.components import (
    ADVANCED,
    CARD,
    CARDS,
    COMPROMISE,
    COUNTER_OFFER,
    MARKER,
    MARKER_CARDS,
    MARKERS,
)
from services.games.geishas_road.state import FACE, HIDE, LAY, OVER, PLACE, SWAP, SWAP_HIDE, TOKENS, USE, State
from teahouse.games.geishas_road.v1.structs import Action, Counter, Lay, Offer, Place, Take, TakeTokens, Use

Positions = tuple[int, ...]

MARKER_USES: list[Action] = [convert({"marker": marker}, Use) for marker in MARKERS]
# Indexed by the mask of used markers.
USES: list[list[Action]] = [
    [MARKER_USES[index] for index in range(len(MARKERS)) if not used >> index & 1] for used in range(1 << len(MARKERS))
]
LAYS: list[Action] = [Lay(card) for card in CARDS]
# Indexed by the number of positions: no card hidden, or one of them.
OFFERS: list[list[Action]] = [[Offer(), *map(Offer, range(size))] for size in range(5)]
COUNTERS: list[Action] = [Counter(position) for position in range(4)]
PLACES: list[Action] = [Place(position) for position in range(4)]
TOKEN_CHOICES: list[Action] = [TakeTokens(0), TakeTokens(1)]

SINGLES: tuple[Positions, ...] = ((0,), (1,), (2,))
TWO_OF_THREE: tuple[Positions, ...] = ((0, 1), (0, 2), (1, 2))
PAIRS: tuple[Positions, ...] = ((0, 1), (2, 3))
TAKES: dict[tuple[Positions, ...], list[Action]] = {
    shares: [Take(positions) for positions in shares] for shares in (SINGLES, TWO_OF_THREE, PAIRS)
}


def legal(state: State) -> list[Action]:
    phase = state.phase
    if phase in (LAY, SWAP):
        return [LAYS[card] for card in state.hands[state.actor]]
    if phase == USE:
        return USES[state.used[state.actor]][:]
    if phase == PLACE:
        return [PLACES[state.queue[0] & 3], PLACES[state.queue[1] & 3]]
    if phase == FACE:
        takes = TAKES[shares(state)]
        return takes + [COUNTERS[position] for position in returnable(state)] if can_counter(state) else takes[:]
    if phase == TOKENS:
        return TOKEN_CHOICES[:]
    if phase == HIDE:
        return OFFERS[len(state.laid)][:]
    if phase == SWAP_HIDE:
        return [OFFERS[0][0], OFFERS[4][1 + state.swap]]
    return []


def shares(state: State) -> tuple[Positions, ...]:
    """GR-49: what the seat facing the offer may take."""
    if state.marker != COMPROMISE:
        return PAIRS
    return TWO_OF_THREE if state.actor == state.active else SINGLES


def can_counter(state: State) -> bool:
    """GR-46: the marker must be unused, and a card is needed to put into the offer."""
    seat = state.actor
    return state.mode == ADVANCED and not state.specials[seat] & COUNTER_OFFER and bool(state.hands[seat])


def returnable(state: State) -> range:
    """GR-52 with ruling S-9: a Counter-offer may put any card of the offer into the deck."""
    return range(len(state.laid))


def check_use(state: State, action: Use) -> int:
    _due(state, action, USE)
    marker = MARKER.get(action.marker)
    if marker is None:
        raise IllegalAction(f"there is no action marker {action.marker!r}")
    if state.used[state.actor] >> marker & 1:
        raise IllegalAction(f"your marker {action.marker} has been used in this round")
    return marker


def check_lay(state: State, action: Lay) -> int:
    if state.phase not in (LAY, SWAP):
        _due(state, action, LAY)
    card = CARD.get(action.card)
    if card is None or card not in state.hands[state.actor]:
        raise IllegalAction(f"{action.card} is not in your hand")
    return card


def check_offer(state: State, action: Offer) -> None:
    if state.phase == SWAP_HIDE:
        if action.hidden is not None and action.hidden != state.swap:
            raise IllegalAction(f"only the card you lay now, at position {state.swap}, can be hidden")
        return
    _due(state, action, HIDE)
    if action.hidden is not None and not 0 <= action.hidden < len(state.laid):
        raise IllegalAction(f"the offer has no position {action.hidden}")


def check_take(state: State, action: Take) -> None:
    _due(state, action, FACE)
    allowed = shares(state)
    if action.positions not in allowed:
        raise IllegalAction(f"of this offer you may take the positions {' or '.join(map(str, map(list, allowed)))}")


def check_counter(state: State, action: Counter) -> None:
    _due(state, action, FACE)
    if not can_counter(state):
        raise IllegalAction("a Counter-offer needs advanced mode, your unused marker and a card in your hand")
    if action.position not in returnable(state):
        raise IllegalAction(f"the offer has no position {action.position}")


def check_place(state: State, action: Place) -> int:
    _due(state, action, PLACE)
    for index in (0, 1):
        if state.queue[index] & 3 == action.position:
            return index
    raise IllegalAction(f"position {action.position} is not a card you are to place now")


def check_tokens(state: State, action: TakeTokens) -> None:
    _due(state, action, TOKENS)
    if action.favour not in (0, 1):
        raise IllegalAction("a teahouse has only one favour token")


DUE = {
    USE: "choose an action marker",
    LAY: "lay a card from your hand",
    HIDE: "say whether a card of your offer is hidden",
    FACE: "answer the offer",
    SWAP: "lay a card from your hand for the Counter-offer",
    SWAP_HIDE: "say whether the card of your Counter-offer is hidden",
    PLACE: "say which card is placed first",
    TOKENS: "choose the tokens to take",
}


def _due(state: State, action: Action, phase: int) -> None:
    if state.phase == phase:
        return
    if state.phase == OVER:
        raise IllegalAction("the game is over")
    raise IllegalAction(f"{type(action).__name__} is not possible now: {DUE[state.phase]}")


def cards_to_lay(state: State) -> int:
    return MARKER_CARDS[state.marker] - len(state.laid)
