"""A quick choice of a seat's whole turn, or of its answer to an offer. The search uses it in playouts.

It estimates like `evaluate`, but without trying each turn: for each marker it counts once what every card of the hand
would change on either side, and adds these up for every way to lay cards. It uses only what the seat knows.
"""

from itertools import combinations
from math import erf, exp, sqrt
from typing import NamedTuple

from services.games.geishas_road.actions.legal import LAYS, MARKER_USES, OFFERS, PLACES, TAKES, shares
from services.games.geishas_road.components import (
    BASIC,
    CARD_COLOUR,
    CARD_SYMBOLS,
    CARD_VALUE,
    COMPROMISE,
    DOUBLE_GIFT,
    FIVE,
    INTRIGUE,
    MARKER_CARDS,
    MARKERS,
    REVEAL,
)
from services.games.geishas_road.evaluation import (
    ALL_CARDS,
    CARDS_LEFT,
    FAVOUR_LEAD,
    FOUR_BITS,
    LEADS,
    MARKER_LEAD,
    OPEN_SPREAD,
    RIVAL_SKILL,
    SQUARES,
    VALUE_BITS,
    VALUES,
    Estimate,
    mask,
    worth,
)
from services.games.geishas_road.state import FACE, HIDE, LAY, PLACE, USE, State
from teahouse.games.geishas_road.v1.structs import Action

# The rival takes the share that is worst for this seat, or else any: the weight of each of two or three in that case.
OF_TWO, OF_THREE = (1 - RIVAL_SKILL) / 2, (1 - RIVAL_SKILL) / 3


def first_sight(state: State, seat: int) -> list[Action]:
    """Returns the seat's next actions, in order; none where looking one step ahead is as good."""
    phase = state.phase
    if phase in (USE, LAY):
        _, marker, laid = max(_ways(state, seat))
        return _chain(state, seat, marker, laid)
    if phase == FACE:
        return [_answer(state, seat)]
    if phase == HIDE:
        return [OFFERS[0][0]]
    if phase == PLACE and not _order_matters(state):
        return [PLACES[state.queue[0] & 3]]
    return []


class Changes(NamedTuple):
    """What each card changes compared with keeping it: on this side, on the rival's side, or left out."""

    own: list[float]
    rival: list[float]
    out: list[float]
    kept: list[float]


class Prospects:
    """The estimate of a position without the seat's hand, and what the hand adds to it.

    Cards already laid in the present turn come first in `hand`.
    """

    def __init__(self, state: State, seat: int) -> None:
        self.state, self.seat = state, seat
        self.estimate = Estimate(state, seat)
        lead = self.estimate.lead
        for colour, holder in enumerate(state.favour):
            if holder >= 0:
                lead[colour] += FAVOUR_LEAD if holder == seat else -FAVOUR_LEAD
        if state.intrigue[seat]:
            left = state.intrigue[seat][0]
            lead[CARD_COLOUR[left]] += CARD_VALUE[left]
        placed = mask(state.sides[0]) | mask(state.sides[1])
        self.hand, self.begun = _hand(state, seat)
        self.in_hand = mask(self.hand)
        self.open = ALL_CARDS & ~placed
        known = [card for at, card in enumerate(state.laid) if state.hidden[at] != 1 - seat] if state.hidden else []
        self.unseen = self.open & ~mask(state.intrigue[seat]) & ~self.in_hand & ~mask(known)
        self.moved = [moved(state, card, self.open) for card in self.hand]

    def keeping(self, used: int, size: int) -> None:
        """Counts the hand and the unseen cards, given the used markers and the size of the hand."""
        state, rival = self.state, 1 - self.seat
        self.share = share = LEADS[used]
        rival_used = state.used[rival] | (1 << state.marker if state.phase == FACE and state.active == rival else 0)
        rivals = CARDS_LEFT[rival_used] * LEADS[rival_used]
        if state.intrigue[rival]:
            rivals += len(state.intrigue[rival]) * MARKER_LEAD["intrigue"]
        unseen = self.unseen
        unseen_share = ((CARDS_LEFT[used] - size) * share - rivals) / unseen.bit_count() if unseen else 0.0
        self.lead, self.spread = [], []
        for colour in FIVE:
            in_hand, others = self.in_hand >> 4 * colour & FOUR_BITS, unseen >> 4 * colour & FOUR_BITS
            values, squares = VALUES[colour], SQUARES[colour]
            self.lead.append(self.estimate.lead[colour] + share * values[in_hand] + unseen_share * values[others])
            self.spread.append(squares[in_hand] + squares[others])

    def weigh(self) -> float:
        """Returns the chance to win; also sets what a geisha's chance and a point are worth."""
        estimate = self.estimate
        points = estimate.points
        self.win = wins = [
            0.5 + 0.5 * erf(lead / sqrt(2 * spread + 0.02)) for lead, spread in zip(self.lead, self.spread, strict=True)
        ]
        for win, value in zip(wins, estimate.worth, strict=True):
            points += (2 * win - 1) * value
        by_points = 1 / (1 + exp(-points / estimate.scale))
        four, against, fours, againsts = four_geishas(wins)
        even = 1 - four - against
        self.point = even * by_points * (1 - by_points) / estimate.scale
        self.geisha = [
            more * (1 - by_points) + less * by_points + 2 * value * self.point
            for more, less, value in zip(fours, againsts, estimate.worth, strict=True)
        ]
        return four + even * by_points

    def at(self, colour: int, lead: float, square: float, moved: float) -> float:
        """The change if her lead grows by `lead`, her spread shrinks by `square` and her worth grows by `moved`."""
        win = 0.5 + 0.5 * erf((self.lead[colour] + lead) / sqrt(2 * (self.spread[colour] - square) + 0.02))
        return self.geisha[colour] * (win - self.win[colour]) + self.point * moved * (2 * win - 1)

    def changes(self) -> Changes:
        own, rival, out, kept = [], [], [], []
        share, at = self.share, self.at
        tokens = self.token() if self.estimate.guests else 0.0
        for card, moved in zip(self.hand, self.moved, strict=True):
            colour, value = CARD_COLOUR[card], CARD_VALUE[card]
            square = OPEN_SPREAD * value * value
            symbols = tokens * CARD_SYMBOLS[card]
            own.append(at(colour, (1 - share) * value, square, moved) + (1 - share) * symbols)
            rival.append(at(colour, (-1 - share) * value, square, moved) - (1 + share) * symbols)
            out.append(at(colour, -share * value, square, 0.0) - share * symbols)
            kept.append(at(colour, (1 - share) * value, square, 0.0) + (1 - share) * symbols)
        return Changes(own, rival, out, kept)

    def token(self) -> float:
        """Half of what a guest token is worth to this seat, if the rival does not get it."""
        own, rival = self.estimate.own_guests, self.estimate.rival_guests
        return self.point * (own[1] - own[0] + rival[1] - rival[0]) / 2

    def choices(self, size: int) -> list[tuple[int, ...]]:
        """Every way to choose `size` cards of the hand, including those already laid."""
        begun = range(self.begun)
        return [(*begun, *more) for more in combinations(range(self.begun, len(self.hand)), size - self.begun)]

    def both(self, one: int, other: int, side: int) -> float:
        """What two cards of the same geisha change together."""
        hand, share = self.hand, self.share
        value, second = CARD_VALUE[hand[one]], CARD_VALUE[hand[other]]
        square = OPEN_SPREAD * (value * value + second * second)
        moved = self.moved[one] + self.moved[other]
        return self.at(CARD_COLOUR[hand[one]], (side - share) * (value + second), square, moved)


def four_geishas(wins: list[float]) -> tuple[float, float, list[float], list[float]]:
    """The chances of either seat to win four geishas, and how much each geisha's chance changes them."""
    four = against = 0.0
    fours, againsts = [], []
    for colour in FIVE:
        none_lost, one_lost, none_won, one_won = 1.0, 0.0, 1.0, 0.0
        for other in FIVE:
            if other != colour:
                win = wins[other]
                lose = 1 - win
                none_lost, one_lost = none_lost * win, one_lost * win + none_lost * lose
                none_won, one_won = none_won * lose, one_won * lose + none_won * win
        fours.append(one_lost)
        againsts.append(one_won)
        if not colour:
            four = none_lost + wins[0] * one_lost
            against = none_won + (1 - wins[0]) * one_won
    return four, against, fours, againsts


def moved(state: State, card: int, open_cards: int) -> float:
    """How much placing the card changes the worth of its geisha."""
    colour, value = CARD_COLOUR[card], CARD_VALUE[card]
    bits = int(VALUE_BITS[colour][open_cards >> 4 * colour & FOUR_BITS])
    return worth(state, colour, bits & ~(1 << value), value) - worth(state, colour, bits)


def turns(state: State, seat: int) -> list[tuple[float, list[Action]]]:
    """Every way to play the present turn: its expected lead, and its actions."""
    if state.phase not in (USE, LAY):
        return []
    return [(2 * value - 1, _chain(state, seat, marker, laid)) for value, marker, laid in _ways(state, seat)]


def _chain(state: State, seat: int, marker: int, laid: tuple[int, ...]) -> list[Action]:
    """The actions that lay these cards, given as indices into the hand."""
    hand, begun = _hand(state, seat)
    if len(laid) == len(hand):  # The last card of a hand is laid without asking.
        laid = laid[:-1]
    lays = [LAYS[hand[index]] for index in laid[begun:]]
    return [MARKER_USES[marker], *lays] if state.phase == USE else lays


def _hand(state: State, seat: int) -> tuple[list[int], int]:
    """The cards laid so far in this turn followed by the hand, and the number of cards laid."""
    if state.phase != LAY:
        return state.hands[seat], 0
    return state.laid + state.hands[seat], len(state.laid)


# The value of a way to lay cards, and their indices in the hand.
Way = tuple[float, tuple[int, ...]]


def _ways(state: State, seat: int) -> list[tuple[float, int, tuple[int, ...]]]:
    """The value of each marker with each choice of cards."""
    prospects = Prospects(state, seat)
    used, size = state.used[seat], len(prospects.hand)
    ways = []
    for marker in range(len(MARKERS)) if state.phase == USE else (state.marker,):
        if not used >> marker & 1:
            prospects.keeping(used | 1 << marker, size - MARKER_CARDS[marker])
            chance = prospects.weigh()
            ways += [(chance + value, marker, cards) for value, cards in WAYS[marker](prospects, prospects.changes())]
    return ways


def _reveal(prospects: Prospects, changes: Changes) -> list[Way]:
    return [(value, (card,)) for card, value in enumerate(changes.own)]


def _intrigue(prospects: Prospects, changes: Changes) -> list[Way]:
    return [
        (kept + out, (left, right))
        for left, kept in enumerate(changes.kept[:1] if prospects.begun else changes.kept)
        for right, out in enumerate(changes.out)
        if left != right
    ]


def _compromise(prospects: Prospects, changes: Changes) -> list[Way]:
    rival, own = changes.rival, _pairs(prospects, changes.own, 1)
    ways: list[Way] = []
    for cards in prospects.choices(3):
        a, b, c = cards
        first, second, third = rival[a] + own[b, c], rival[b] + own[a, c], rival[c] + own[a, b]
        ways.append((RIVAL_SKILL * min(first, second, third) + OF_THREE * (first + second + third), cards))
    return ways


def _double_gift(prospects: Prospects, changes: Changes) -> list[Way]:
    own, rival = _pairs(prospects, changes.own, 1), _pairs(prospects, changes.rival, -1)
    ways: list[Way] = []
    for a, b, c, d in prospects.choices(4):
        for cards in ((a, b, c, d),) if prospects.begun > 1 else ((a, b, c, d), (a, c, b, d), (a, d, b, c)):
            one, two = cards[:2], cards[2:]
            first, second = rival[one] + own[two], rival[two] + own[one]
            ways.append((RIVAL_SKILL * min(first, second) + OF_TWO * (first + second), cards))
    return ways


WAYS = {REVEAL: _reveal, INTRIGUE: _intrigue, COMPROMISE: _compromise, DOUBLE_GIFT: _double_gift}


def _pairs(prospects: Prospects, single: list[float], side: int) -> dict[tuple[int, int], float]:
    """What each pair of cards of the hand changes on that side."""
    colours = [CARD_COLOUR[card] for card in prospects.hand]
    return {
        (a, b): prospects.both(a, b, side) if colours[a] == colours[b] else single[a] + single[b]
        for a, b in combinations(range(len(single)), 2)
    }


def _answer(state: State, seat: int) -> Action:
    """The best share. This never makes a Counter-offer, and does not know the cards that the rival has hidden."""
    prospects = Prospects(state, seat)
    own_used = state.used[seat] | (1 << state.marker if state.active == seat else 0)
    prospects.keeping(own_used, len(prospects.hand))
    known = [(at, card) for at, card in enumerate(state.laid) if state.hidden[at] != 1 - seat]
    for _, card in known:
        prospects.estimate.worth[CARD_COLOUR[card]] += moved(state, card, prospects.open)
    without = prospects.lead
    chances = []
    for taken in shares(state):
        prospects.lead = without[:]
        for at, card in known:
            prospects.lead[CARD_COLOUR[card]] += CARD_VALUE[card] if at in taken else -CARD_VALUE[card]
        chances.append(prospects.weigh())
    return TAKES[shares(state)][chances.index(max(chances))]


def _order_matters(state: State) -> bool:
    """In basic mode, only for two cards of one geisha and for two that both bring a lantern."""
    if state.mode != BASIC:
        return True
    cards = [state.laid[entry & 3] for entry in state.queue[:2]]
    one, other = (CARD_COLOUR[card] for card in cards)
    return one == other or all(
        (state.pawns[CARD_COLOUR[card]] + CARD_VALUE[card]) % 5 == state.home[CARD_COLOUR[card]] for card in cards
    )
