"""Positions and moves for the tests. A card is "red 2"; the circle is pink, red, blue, yellow, green."""

from typing import Any

from services.engine.game import Event
from services.games.geishas_road import deal, turn
from services.games.geishas_road.actions.legal import MARKER_USES
from services.games.geishas_road.components import CARD, CARDS, COLOUR, COLOURS, FIVE, LANTERNS, MARKER, MODES
from services.games.geishas_road.game import GAME
from services.games.geishas_road.state import AT_TEAHOUSE, LAY, REMOVED, USE, State
from teahouse.games.geishas_road.v1.structs import Counter, Lay, Offer, Place, Take, TakeTokens

A, B = 0, 1
PINK, RED, BLUE, YELLOW, GREEN = FIVE
SEED = bytes(range(32))


def name(card: str) -> str:
    """ "red 2" -> "gift-red-2"."""
    return "gift-" + card.replace(" ", "-")


def cards(*names: str) -> list[int]:
    return [CARD[name(card)] for card in names]


def face(lantern: int, dark: bool = False) -> int:
    return 2 * LANTERNS.index(f"lantern-{lantern}") + dark


def laid_out(mode: str = "basic", destiny: bool = False, starter: int = A) -> State:
    """A game before its first draw, with the circle of the worked examples."""
    state = deal.new_game(MODES.index(mode), destiny, starter, SEED)
    state.circle, state.home = list(FIVE), list(FIVE)
    state.pawns, state.began = list(FIVE), list(FIVE)
    return state


def position(
    mode: str = "basic",
    a: tuple[str, ...] = (),
    b: tuple[str, ...] = (),
    *,
    destiny: bool = False,
    turn_number: int = 1,
    used: tuple[int, int] = (0, 0),
    deck: int | None = None,
) -> State:
    """A's turn, before its draw; the first cards of both hands are given, the deck is made of what is left."""
    state = laid_out(mode, destiny)
    state.hands = [cards(*a), cards(*b)]
    rest = [card for card in range(len(CARDS)) if card not in state.hands[A] + state.hands[B]]
    state.deck = rest[: 9 - turn_number if deck is None else deck]
    state.turn = turn_number - 1
    state.used = list(used)
    turn.start_turn(state, None)
    return state


def used(*markers: str) -> int:
    return sum(1 << MARKER[marker] for marker in markers)


def act(state: State, *actions: Any) -> list[Event]:
    return [event for action in actions for event in GAME.apply(state, action)]


def use(state: State, marker: str, *laid: str, hidden: int | None = None) -> list[Event]:
    """Chooses the marker and lays the cards, where the machine has not done so by itself."""
    story: list[Event] = []
    if state.phase == USE:
        story += act(state, MARKER_USES[MARKER[marker]])
    for card in laid:
        if state.phase == LAY and CARD[name(card)] in state.hands[state.actor]:
            story += act(state, Lay(name(card)))
    if any(isinstance(action, Offer) for action in GAME.legal(state)):
        story += act(state, Offer(hidden))
    return story


def take(state: State, *positions: int) -> list[Event]:
    return act(state, Take(positions))


def place(state: State, position: int) -> list[Event]:
    return act(state, Place(position))


def tokens(state: State, favour: int) -> list[Event]:
    return act(state, TakeTokens(favour))


def counter(state: State, position: int, card: str, hidden: bool = False) -> list[Event]:
    story = act(state, Counter(position))
    if any(isinstance(action, Lay) for action in GAME.legal(state)):
        story += act(state, Lay(name(card)))
    if any(isinstance(action, Offer) for action in GAME.legal(state)):
        story += act(state, Offer(position if hidden else None))
    return story


def told(events: list[Event], kind: type, seat: int | None = None) -> list[Any]:
    """The events of that kind as the seat reads them."""
    parts = [event.public if seat is None else event.private.get(seat, event.public) for event in events]
    return [part for part in parts if isinstance(part, kind)]


def total(state: State, seat: int, colour: str) -> int:
    return state.totals[seat][COLOUR[colour]]


def stock(state: State, teahouse: int, guests: int, favour: int = AT_TEAHOUSE) -> None:
    """Leaves so many guests at the teahouse; B has the others."""
    state.guests[B][teahouse] += state.teahouses[teahouse] - guests
    state.teahouses[teahouse] = guests
    state.favour[teahouse] = favour


def decided(mode: str = "basic", round_number: int = 1, **winners: int) -> State:
    """The end of a round, in which these seats lead at these geishas (nobody at the others)."""
    state = laid_out(mode)
    state.round = round_number
    state.turn = 9
    state.favour = [REMOVED] * 5 if mode == "basic" else [AT_TEAHOUSE] * 5
    state.totals = [[5] * 5, [5] * 5]
    for colour, seat in winners.items():
        state.totals[seat][COLOURS.index(colour)] = 6
    return state


def finish(state: State) -> list[Any]:
    story: list[Any] = []
    state.queue = []
    turn.proceed(state, story)
    return story
