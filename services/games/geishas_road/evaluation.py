"""The bots' evaluation of a position: the estimated chance of a seat to win.

For each geisha it takes the difference of the two totals at the end of the round as normally distributed around what is
known. This gives the chance to win her, the expected points and the chance of four geishas.
"""

from collections.abc import Callable
from itertools import accumulate, permutations
from math import erf, exp, sqrt

from services.games.geishas_road.actions.legal import shares
from services.games.geishas_road.components import (
    ADVANCED,
    ALL_MARKERS,
    BASIC,
    CARD_COLOUR,
    CARD_SYMBOLS,
    CARD_VALUE,
    CARDS,
    FACE_POINTS,
    FIVE,
    GUEST_POINTS,
    MARKER_CARDS,
    MARKERS,
    SPECIAL_POINTS,
    SPECIALS_UNUSED,
    TILE_POINTS,
    TURNS,
)
from services.games.geishas_road.state import FACE, HIDE, LAY, OVER, PLACE, SWAP, SWAP_HIDE, TOKENS, State

# The part of a card's value that becomes its owner's lead, by the action it is used for.
MARKER_LEAD = {"reveal": 1.0, "intrigue": 1.0, "compromise": -0.2, "double_gift": 0.0}
# The variance that an unplayed card adds, as a part of its value squared.
OPEN_SPREAD = 0.8
# A favour token wins ties, so it counts as half a point of lead, plus a little for the tie-break at the end.
FAVOUR_LEAD = 0.5
FAVOUR_POINTS = 0.3
# The chance that all remaining cards of a colour will be placed.
ALL_PLACED = 0.7
MOST_TOKENS = sum(CARD_SYMBOLS)
# The chance that the rival takes the share that looks worst for this seat, rather than a random one.
RIVAL_SKILL = 0.9
# The lead in points that makes the odds of a win e : 1: at the end of the game, and what to add at its beginning.
SCALE_END = 1.0
SCALE_OPEN = 5.0


def _leads() -> list[float]:
    """What a card used for one of the remaining markers adds to its owner's lead, by mask of used markers."""
    leads = []
    for used in range(ALL_MARKERS + 1):
        free = [index for index in range(len(MARKERS)) if not used >> index & 1]
        cards = sum(MARKER_CARDS[index] for index in free)
        lead = sum(MARKER_CARDS[index] * MARKER_LEAD[MARKERS[index]] for index in free)
        leads.append(lead / cards if cards else 0.0)
    return leads


def _guest_prospects() -> dict[tuple[int, ...], list[float]]:
    """The expected points after 0, 1, 2 … more guests of random colours, by the guests held per colour."""
    prospects = {counts: [float(points)] for counts, points in GUEST_POINTS.items()}
    for step in range(MOST_TOKENS + 1):
        for counts, expected in prospects.items():
            more = [(*counts[:colour], counts[colour] + 1, *counts[colour + 1 :]) for colour in FIVE]
            possible = [prospects[after][step] for after in more if after in prospects]
            expected.append(sum(possible) / len(possible) if possible else expected[step])
    return prospects


def _returns() -> dict[int, list[tuple[float, float]]]:
    """The chances of one and of two more returns, by the mask of values not yet placed and the distance home."""
    table = {}
    for bits in range(0, ALL_VALUES + 1, 2):
        values = [value for value in range(1, 5) if bits >> value & 1]
        short = [values[:index] + values[index + 1 :] for index in range(len(values))]
        cases = [(ALL_PLACED, values), *(((1 - ALL_PLACED) / len(values), rest) for rest in short)]
        table[bits] = [_return_chances(cases, way) for way in range(5)]
    return table


def _sums(worth: Callable[[int], float]) -> tuple[tuple[float, ...], ...]:
    """The summed worth of a set of cards, by colour and mask of its cards."""
    return tuple(
        tuple(
            sum(worth(card) for place, card in enumerate(COLOUR_CARDS[colour]) if mask >> place & 1)
            for mask in range(1 << len(COLOUR_CARDS[colour]))
        )
        for colour in FIVE
    )


def _return_chances(cases: list[tuple[float, list[int]]], way: int) -> tuple[float, float]:
    once = twice = 0.0
    for weight, values in cases:
        orders = list(permutations(values))
        for order in orders:
            home = sum(total % 5 == way for total in accumulate(order))
            once += weight / len(orders) * (home >= 1)
            twice += weight / len(orders) * (home >= 2)
    return once, twice


ALL_VALUES = sum(1 << value for value in set(CARD_VALUE))
# A set of cards is a mask with four bits per colour, in the order of the components.
COLOUR_CARDS = tuple(tuple(card for card in range(len(CARDS)) if CARD_COLOUR[card] == colour) for colour in FIVE)
ALL_CARDS = (1 << len(CARDS)) - 1
FOUR_BITS = 15
VALUES, SQUARES = _sums(lambda card: CARD_VALUE[card]), _sums(lambda card: OPEN_SPREAD * CARD_VALUE[card] ** 2)
SYMBOLS, VALUE_BITS = _sums(lambda card: CARD_SYMBOLS[card]), _sums(lambda card: 1 << CARD_VALUE[card])
RETURNS = _returns()
LEADS = _leads()
GUEST_PROSPECTS = _guest_prospects()
CARDS_LEFT = [
    sum(size for index, size in enumerate(MARKER_CARDS) if not used >> index & 1) for used in range(ALL_MARKERS + 1)
]


class Estimate:
    """What one seat expects at the end of the round."""

    __slots__ = (
        "guests",
        "lead",
        "own_guests",
        "own_tokens",
        "points",
        "rival_guests",
        "rival_tokens",
        "scale",
        "spread",
        "worth",
    )

    def __init__(self, state: State, seat: int) -> None:
        own, rival = state.totals[seat], state.totals[1 - seat]
        self.lead = [float(own[colour] - rival[colour]) for colour in FIVE]
        self.spread = [0.0] * len(FIVE)
        open_cards = ALL_CARDS & ~mask(state.sides[0]) & ~mask(state.sides[1])
        self.worth = [
            worth(state, colour, int(VALUE_BITS[colour][open_cards >> 4 * colour & FOUR_BITS])) for colour in FIVE
        ]
        self.points = _points_lead(state, seat)
        self.guests = state.mode != BASIC
        self.own_guests = GUEST_PROSPECTS[tuple(state.guests[seat])]
        self.rival_guests = GUEST_PROSPECTS[tuple(state.guests[1 - seat])]
        self.own_tokens = self.rival_tokens = 0.0
        turns_left = (3 - state.round) * TURNS - state.turn
        self.scale = SCALE_END + SCALE_OPEN * max(turns_left, 0) / (2 * TURNS)

    def add(self, card: int, share: float) -> None:
        """Counts a card with this share of its value; negative for the rival's side."""
        self.lead[CARD_COLOUR[card]] += share * CARD_VALUE[card]
        self.own_tokens += CARD_SYMBOLS[card] * (1 + share) / 2
        self.rival_tokens += CARD_SYMBOLS[card] * (1 - share) / 2

    def add_open(self, card: int, share: float) -> None:
        self.add(card, share)
        self.spread[CARD_COLOUR[card]] += OPEN_SPREAD * CARD_VALUE[card] ** 2

    def add_unseen(self, cards: int, share: float) -> None:
        """Counts a set of unseen cards, each with this share of its value."""
        symbols = 0.0
        for colour in FIVE:
            of_colour = cards >> 4 * colour & FOUR_BITS
            self.lead[colour] += share * VALUES[colour][of_colour]
            self.spread[colour] += SQUARES[colour][of_colour]
            symbols += SYMBOLS[colour][of_colour]
        self.own_tokens += symbols * (1 + share) / 2
        self.rival_tokens += symbols * (1 - share) / 2

    def chance(self) -> float:
        """The chance to win, by four geishas in this round or by points in the end."""
        points = self.points
        if self.guests:
            points += _prospect(self.own_guests, self.own_tokens) - _prospect(self.rival_guests, self.rival_tokens)
        none_lost, one_lost, none_won, one_won = 1.0, 0.0, 1.0, 0.0
        for lead, spread, worth in zip(self.lead, self.spread, self.worth, strict=True):
            win = 0.5 + 0.5 * erf(lead / sqrt(2 * spread + 0.02))
            lose = 1 - win
            points += (win - lose) * worth
            none_lost, one_lost = none_lost * win, one_lost * win + none_lost * lose
            none_won, one_won = none_won * lose, one_won * lose + none_won * win
        four, against = none_lost + one_lost, none_won + one_won
        return four + (1 - four - against) / (1 + exp(-points / self.scale))


def mask(cards: list[int]) -> int:
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def _prospect(guests: list[float], tokens: float) -> float:
    whole = int(tokens)
    return guests[whole] + (tokens - whole) * (guests[whole + 1] - guests[whole])


def evaluate(state: State, seat: int) -> float:
    if state.phase == OVER:
        return 0.5 if state.winner < 0 else float(state.winner == seat)
    estimate = Estimate(state, seat)
    for colour, holder in enumerate(state.favour):
        if holder >= 0:
            estimate.lead[colour] += FAVOUR_LEAD if holder == seat else -FAVOUR_LEAD
    _count_cards(state, seat, estimate)
    if state.phase in (FACE, SWAP, SWAP_HIDE):
        return _offer_chance(state, seat, estimate)
    return estimate.chance()


def _count_cards(state: State, seat: int, estimate: Estimate) -> None:
    """Counts every card that is not placed yet, except those of an unanswered offer."""
    seen = mask(state.sides[0]) | mask(state.sides[1]) | mask(state.intrigue[seat]) | mask(state.hands[seat])
    rival = 1 - seat
    used = [state.used[0], state.used[1]]
    if state.phase not in (LAY, HIDE) or state.actor == seat:
        seen |= mask(state.laid)
        used[state.active] |= (1 << state.marker) if state.marker >= 0 else 0
    own_lead = LEADS[used[seat]]
    if state.phase in (LAY, HIDE) and state.actor == seat:
        for card in state.laid:
            estimate.add_open(card, MARKER_LEAD[MARKERS[state.marker]])
    elif state.phase in (PLACE, TOKENS) or state.turn > TURNS:
        for entry in state.queue:
            estimate.add(state.laid[entry & 3], 1 if entry >> 2 == seat else -1)
    if state.intrigue[seat] and state.turn <= TURNS:
        estimate.add(state.intrigue[seat][0], 1)
    for card in state.hands[seat]:
        estimate.add_open(card, own_lead)
    unseen = ALL_CARDS & ~seen
    if unseen:
        to_come = (CARDS_LEFT[used[seat]] - len(state.hands[seat])) * own_lead
        rivals = CARDS_LEFT[used[rival]] * LEADS[used[rival]]
        if state.intrigue[rival]:
            rivals += len(state.intrigue[rival]) * MARKER_LEAD["intrigue"]
        estimate.add_unseen(unseen, (to_come - rivals) / unseen.bit_count())


def _offer_chance(state: State, seat: int, estimate: Estimate) -> float:
    """The chance if this seat takes its best share, or if the rival, whose plans are unknown, takes a likely one."""
    lead, own_tokens, rival_tokens = estimate.lead, estimate.own_tokens, estimate.rival_tokens
    chances = []
    for taken in shares(state):
        estimate.lead, estimate.own_tokens, estimate.rival_tokens = lead[:], own_tokens, rival_tokens
        for position, card in enumerate(state.laid):
            estimate.add(card, 1 if (position in taken) == (state.actor == seat) else -1)
        chances.append(estimate.chance())
    if state.actor == seat:
        return max(chances)
    return RIVAL_SKILL * min(chances) + (1 - RIVAL_SKILL) * sum(chances) / len(chances)


def worth(state: State, colour: int, open_values: int, step: int = 0) -> float:
    """The expected points of her tile and its present and future lanterns, after her pawn moves `step` steps."""
    points = float(TILE_POINTS[state.round - 1][colour])
    tile, returns = state.tiles[colour], state.returns[colour]
    for face in tile:
        points += FACE_POINTS[face]
    way = (state.home[colour] - state.pawns[colour] - step) % 5
    once, twice = RETURNS[open_values][way]
    if step and not way:
        if returns:
            return points + _second_return(state, tile[0])
        return points + FACE_POINTS[state.upper[0]] + once * _second_return(state, state.upper[0])
    if returns:
        return points + once * _second_return(state, tile[0])
    if once:
        first = state.upper[0]
        points += once * FACE_POINTS[first] + twice * _second_return(state, first)
    return points


def _second_return(state: State, face: int) -> float:
    if state.destiny:
        return FACE_POINTS[face ^ 1] - FACE_POINTS[face]
    return FACE_POINTS[state.lower[0]] if state.lower else 0.0


def _points_lead(state: State, seat: int) -> float:
    """The lead in points that does not depend on this round's geishas."""
    lead = FAVOUR_POINTS * (state.favour.count(seat) - state.favour.count(1 - seat))
    if state.mode == ADVANCED:
        unused = SPECIALS_UNUSED[state.specials[seat]] - SPECIALS_UNUSED[state.specials[1 - seat]]
        lead += SPECIAL_POINTS * unused
    for points in state.scored:
        lead += sum(points[seat]) - sum(points[1 - seat])
    return lead
