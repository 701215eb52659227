"""A quick choice of a seat's turn: the one with the highest value, computed from sets of cities without playing it.

It considers the card to take, the card to play, and whether to close together. It never takes a card from the deck,
because nobody knows what is on top.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from services.games.thurn_and_taxis.actions import closing, playing, taking
from services.games.thurn_and_taxis.components import GAP, NEIGHBOURS, SHORTEST_ROUTE, mask
from services.games.thurn_and_taxis.evaluation import (
    CARD_IN_HAND,
    CARDS_OF_USE,
    Standing,
    best_chain,
    closing_brings,
    hand_after_closing,
    route_promise,
)
from services.games.thurn_and_taxis.state import (
    AFTER_PLAY,
    CARTWRIGHT_DECISION,
    DISCARD,
    NO_OFFICIAL,
    START_ANEW,
    TAKE_SECOND,
    State,
)

# A route is closed if closing brings this much more than keeping it.
WORTH_CLOSING = 2.0
CARRIER = dict(
    zip(playing.EXTEND_LEFT + playing.EXTEND_RIGHT, playing.CARRIER_LEFT + playing.CARRIER_RIGHT, strict=True)
)
# The value of a turn, and its remaining actions.
Way = tuple[float, tuple[Any, ...]]


class Route(NamedTuple):
    """A route: its two ends, its cities as a set, and its length."""

    left: int
    right: int
    cities: int
    length: int

    @classmethod
    def of(cls, cities: list[int]) -> "Route":
        return cls(cities[0], cities[-1], mask(cities), len(cities))


class Cards(NamedTuple):
    """A hand: its cities as a set, and its number of cards."""

    cities: int
    size: int

    def plus(self, card: int) -> "Cards":
        return Cards(self.cities | 1 << card, self.size + 1)

    def without(self, bit: int) -> "Cards":
        return Cards(self.cities & ~bit, self.size - 1)


def first_sight(state: State) -> tuple[Any, ...]:
    """Returns the seat's next actions, in order; none where looking one step ahead is as good."""
    phase = state.phase
    if phase <= TAKE_SECOND:
        return (Outlook(state).take(),)
    if phase <= AFTER_PLAY:
        return Outlook(state).rest()[1]
    if phase == CARTWRIGHT_DECISION:
        return closing.CARTWRIGHT_CHOICES[:1]
    return (_discard(state),) if phase == DISCARD else ()


def worth_a_look(legal: list[Any]) -> list[Any]:
    """Leaves out finishing while more houses can be placed."""
    return legal[:-1] if legal[-1] is closing.FINISH_HOUSES else legal


def worth(way: Way) -> float:
    return way[0]


class Outlook:
    """The value of each way to play the present turn."""

    def __init__(self, state: State) -> None:
        self.state = state
        player = state.players[state.seat]
        self.standing = Standing.of(state, player)
        self.route = Route.of(player.route) if player.route else None
        self.hand = Cards(mask(player.hand), len(player.hand))
        self.display = [(slot, card) for slot, card in enumerate(state.display) if card != GAP]
        # Whether an official can still be used.
        self.free = state.official == NO_OFFICIAL

    def take(self) -> Any:
        """Takes the displayed card that gives the turn its highest value."""
        most = {slot: self.play(self.hand.plus(card), self.free)[0] for slot, card in self.display}
        return taking.TAKE_DISPLAY[max(most, key=most.__getitem__)]

    def rest(self) -> Way:
        """The best rest of the turn after a card was taken."""
        phase = self.state.phase
        if phase == START_ANEW:
            return self.start(self.hand, self.free)
        if phase == AFTER_PLAY and self.route:
            return self.end(self.route, self.hand, self.free)
        best = self.play(self.hand, self.free)
        if self.free:
            for slot, card in self.display:
                value, played = self.play(self.hand.plus(card), False)
                if value > best[0]:
                    best = value, (taking.POSTMASTER_TAKE_DISPLAY[slot], *played)
        return best

    def play(self, hand: Cards, free: bool) -> Way:
        """The best play with that hand. Abandons a route only if it must."""
        if not self.route:
            return self.start(hand, free)
        best: Way | None = None
        for longer, bit, action in longer_routes(self.route, hand.cities):
            value, rest = self.end(longer, hand.without(bit), free)
            if best is None or value > best[0]:
                best = value, (action, *rest)
        if best:
            return best
        value, rest = self.start(hand, free)
        return value, (playing.ABANDON, *rest)

    def start(self, hand: Cards, free: bool) -> Way:
        """The best start of a new route."""
        ways: list[Way] = []
        rest = hand.cities
        while rest:
            bit = rest & -rest
            rest ^= bit
            city = bit.bit_length() - 1
            value, played = self.end(Route(city, city, bit, 1), hand.without(bit), free)
            ways.append((value, (playing.START[city], *played)))
        return max(ways, key=worth)

    def end(self, route: Route, hand: Cards, free: bool) -> Way:
        """The best end of the turn with that route: keep it, close it, or extend it with the Postal Carrier."""
        can_close = route.length >= SHORTEST_ROUTE
        helped = free and hand.size > 0
        best: Way = self.kept(route, hand), (playing.END_TURN,) if can_close or helped else ()
        if can_close:
            best = max(best, (self.closed(route, hand, free) - WORTH_CLOSING, (playing.CLOSE,)), key=worth)
        if helped:
            for longer, bit, action in longer_routes(route, hand.cities):
                value, rest = self.end(longer, hand.without(bit), False)
                if value > best[0]:
                    best = value, (CARRIER[action], *rest)
        return best

    def kept(self, route: Route, hand: Cards) -> float:
        """The expected value of route and hand for later turns."""
        if self.state.ending:
            return 0.0
        loose = CARD_IN_HAND * min(hand.size, CARDS_OF_USE)
        return loose + route_promise(self.standing, route, hand.cities, self.state.display)

    def closed(self, route: Route, hand: Cards, free: bool) -> float:
        """The value of closing the route, plus that of the hand afterwards."""
        brings = closing_brings(self.standing, route.cities, route.length, free)
        return brings + hand_after_closing(self.standing, hand.cities, hand.size)


def longer_routes(route: Route, hand: int) -> Iterator[tuple[Route, int, Any]]:
    """Each way to add a card of the hand: the longer route, the card's bit, and the action."""
    left, right, cities, length = route
    rest = hand & ~cities & (NEIGHBOURS[left] | NEIGHBOURS[right])
    while rest:
        bit = rest & -rest
        rest ^= bit
        city = bit.bit_length() - 1
        if NEIGHBOURS[right] & bit:
            yield Route(left, city, cities | bit, length + 1), bit, playing.EXTEND_RIGHT[city]
        if length > 1 and NEIGHBOURS[left] & bit:
            yield Route(city, right, cities | bit, length + 1), bit, playing.EXTEND_LEFT[city]


def _discard(state: State) -> Any:
    """Discards the card without which the hand is worth most."""
    player = state.players[state.seat]
    standing, hand = Standing.of(state, player), player.hand
    without = [best_chain(standing, mask(hand[:at] + hand[at + 1 :])) for at in range(len(hand))]
    return closing.DISCARD_CARD[hand[without.index(max(without))]]
