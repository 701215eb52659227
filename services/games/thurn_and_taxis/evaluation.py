"""The bots' evaluation of a position: points so far, provinces under way, and the prospects of route and hand.

The weights were varied one at a time and played against each other: docs/bots-tried.md.
"""

from functools import lru_cache
from typing import NamedTuple

from services.games.thurn_and_taxis.actions.closing import next_carriage
from services.games.thurn_and_taxis.components import (
    ALL_PROVINCES,
    BAIERN,
    CARRIAGE_POINTS,
    DISPLAY_SIZE,
    GAP,
    HAND_AFTER_CLOSING,
    LAST_CARRIAGE,
    LENGTH_STACKS,
    MOST_CARDS_SHORT,
    NEIGHBOURS,
    PROVINCE_CITIES,
    PROVINCE_STACKS,
    SHORTEST_ROUTE,
    STACK_VALUES,
    TILES,
    mask,
)
from services.games.thurn_and_taxis.scoring import score
from services.games.thurn_and_taxis.state import (
    CARTWRIGHT_DECISION,
    DISCARD,
    GAME_OVER,
    NO_OFFICIAL,
    PLACE_HOUSES,
    Player,
    State,
)

# A bonus for each carriage, because it brings the next one nearer.
CARRIAGE_STEP = 1.0
# The worth of a province tile in sight, relative to points already scored.
TILE_IN_SIGHT = 0.7
# What the houses of a closing add to provinces under way; half of all closings add more than this.
NEARER_PROVINCES = 1.0
# The discount of a gain for every turn it lies ahead.
PATIENCE = 0.9
# The worth of a route of 0, 1 or 2 cards, relative to one that can be closed.
TOO_SHORT = (0.0, 0.35, 0.6)
# The chance that a displayed card is gone by the next turn, and how many displayed cards the deck counts for.
LOST_CARD = 0.55
DECK_CARDS = 0.7
# The chance to get a suitable card, by the number of them displayed.
CHANCE = tuple(1.0 - LOST_CARD ** (offers + DECK_CARDS) for offers in range(DISPLAY_SIZE + 1))
# How many cards of the hand are considered as one chain; one fewer for a hand with many cities.
CHAIN = 3
WIDE_HAND = 8
CARD_IN_HAND = 0.12
# More cards than this do not help.
CARDS_OF_USE = 5
# The worth of a point of lead in the last round, and the most that a lead can count.
LEAD = 2.0
MOST_LEAD = 14.0


class Standing(NamedTuple):
    """Everything the worth of a route depends on besides its cities. Used as a cache key."""

    houses: int
    houses_left: int
    carriage: int
    next_carriage: int
    stacks: tuple[int, ...]

    @classmethod
    def of(cls, state: State, player: Player) -> "Standing":
        return cls(player.houses, player.houses_left, player.carriage, next_carriage(player), tuple(state.stacks))

    def top_value(self, stack: int) -> int:
        left = self.stacks[stack]
        return STACK_VALUES[stack][-left] if left else 0


def evaluate(state: State, seat: int) -> float:
    player = state.players[seat]
    points = score(player) + CARRIAGE_STEP * (next_carriage(player) - SHORTEST_ROUTE)
    own_turn = state.seat == seat and state.phase != GAME_OVER
    if state.ending:
        points += lead(state, seat)
        if not own_turn:
            return points
    else:
        points += provinces_under_way(state, player)
    if own_turn and PLACE_HOUSES <= state.phase <= DISCARD:
        return points + rest_of_closing(state, player)
    return points + prospects(state, player)


def lead(state: State, seat: int) -> float:
    """The worth of the end being near: good for the leader, bad for everybody else."""
    best_rival = max(score(other) for index, other in enumerate(state.players) if index != seat)
    return max(-MOST_LEAD, min(MOST_LEAD, LEAD * (score(state.players[seat]) - best_rival)))


def provinces_under_way(state: State, player: Player) -> float:
    have = {TILES[tile][0] for tile in player.tiles}
    worth = 0.0
    for stack, done in progress(player.houses, state.requires_baiern):
        if stack not in have:
            left = state.stacks[stack]
            worth += STACK_VALUES[stack][-left] * done if left else 0.0
    return TILE_IN_SIGHT * worth


@lru_cache(maxsize=1 << 14)
def progress(houses: int, requires_baiern: bool) -> list[tuple[int, float]]:
    """For each stack of province tiles begun, how close it is; the last houses count most."""
    near = [(stack, (houses & needed).bit_count() / needed.bit_count()) for stack, needed in PROVINCE_STACKS]
    wanted = [cities for province, cities in enumerate(PROVINCE_CITIES) if province != BAIERN or requires_baiern]
    near.append((ALL_PROVINCES, sum(1 for cities in wanted if houses & cities) / len(wanted)))
    return [(stack, done * done) for stack, done in near if done]


def rest_of_closing(state: State, player: Player) -> float:
    """The value the present closing will still bring."""
    length, free = len(player.route), state.official == NO_OFFICIAL
    standing = Standing.of(state, player)
    worth = hand_after_closing(standing, mask(player.hand), len(player.hand))
    if state.phase == PLACE_HOUSES:
        return worth + closing_brings(standing, mask(player.route), length, free)
    return worth + (_carriage(standing, length, free) if state.phase <= CARTWRIGHT_DECISION else 0.0)


def closing_brings(standing: Standing, cities: int, length: int, cartwright: bool) -> float:
    """The value of closing a route through these cities."""
    worth = _houses(standing, cities) + _length_tile(standing, length) + _provinces(standing, cities)
    return worth + NEARER_PROVINCES + _carriage(standing, length, cartwright)


def hand_after_closing(standing: Standing, hand: int, size: int) -> float:
    """The expected value of the hand when there is no route."""
    return best_chain(standing, hand) + CARD_IN_HAND * min(size, HAND_AFTER_CLOSING)


def prospects(state: State, player: Player) -> float:
    """The expected value of route and hand for the turns to come."""
    hand, standing = mask(player.hand), Standing.of(state, player)
    loose = CARD_IN_HAND * min(len(player.hand), CARDS_OF_USE)
    route = player.route
    if not route:
        return loose + best_chain(standing, hand)
    return loose + route_promise(standing, (route[0], route[-1], mask(route), len(route)), hand, state.display)


def route_promise(standing: Standing, route: tuple[int, int, int, int], hand: int, display: list[int]) -> float:
    """The expected value of a route (ends, cities, length) with that hand or with a card of the display."""
    left, right, cities, length = route
    promise = _route(standing, left, right, cities, length, hand)
    suitable = (NEIGHBOURS[left] | NEIGHBOURS[right]) & ~cities
    offers = sum([suitable >> card & 1 for card in display if card != GAP])
    stretch = PATIENCE * CHANCE[offers] * (_gain(standing, cities, length) + PATIENCE)
    return stretch if stretch > promise else promise


def _depth(hand: int) -> int:
    return CHAIN if hand.bit_count() <= WIDE_HAND else CHAIN - 1


@lru_cache(maxsize=1 << 15)
def _route(standing: Standing, left: int, right: int, cities: int, length: int, hand: int) -> float:
    """The best gain that the hand can make of a route."""
    return _chain(standing, left, right, cities, length, hand & ~cities, _depth(hand))


@lru_cache(maxsize=1 << 15)
def best_chain(standing: Standing, hand: int) -> float:
    """The best route that could be started with the hand alone."""
    best = 0.0
    depth = _depth(hand)
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        city = bit.bit_length() - 1
        start = _gain(standing, bit, 1)
        best = max(best, PATIENCE * start, PATIENCE * _chain(standing, city, city, bit, 1, hand ^ bit, depth - 1))
    return best


def _chain(standing: Standing, left: int, right: int, cities: int, length: int, hand: int, depth: int) -> float:
    """The best gain from adding one or more cards of the hand, each a turn away."""
    best = 0.0
    rest = hand & (NEIGHBOURS[left] | NEIGHBOURS[right])
    while rest:
        bit = rest & -rest
        rest ^= bit
        city = bit.bit_length() - 1
        longer = cities | bit
        best = max(best, _gain(standing, longer, length + 1))
        if depth > 1:
            if NEIGHBOURS[left] & bit:
                best = max(best, _chain(standing, city, right, longer, length + 1, hand ^ bit, depth - 1))
            if NEIGHBOURS[right] & bit and left != right:
                best = max(best, _chain(standing, left, city, longer, length + 1, hand ^ bit, depth - 1))
    return PATIENCE * best


@lru_cache(maxsize=1 << 15)
def _gain(standing: Standing, cities: int, length: int) -> float:
    """A rough value of closing a route through these cities."""
    worth = _houses(standing, cities)
    if length < SHORTEST_ROUTE:
        return TOO_SHORT[length] * (worth + SHORTEST_ROUTE - length)
    return worth + _length_tile(standing, length) + _carriage(standing, length, True) + _provinces(standing, cities)


def _provinces(standing: Standing, cities: int) -> float:
    """The value of the province tiles that these cities would complete."""
    worth = 0.0
    for stack, needed in PROVINCE_STACKS:
        missing = needed & ~standing.houses
        if missing and not missing & ~cities:
            worth += TILE_IN_SIGHT * standing.top_value(stack)
    return worth


def _houses(standing: Standing, cities: int) -> float:
    return 1.15 * min(placeable(cities & ~standing.houses), standing.houses_left)


@lru_cache(maxsize=1 << 16)
def placeable(open_cities: int) -> int:
    """The most houses that one closing can place in these cities."""
    counts = [(open_cities & province).bit_count() for province in PROVINCE_CITIES]
    return max(max(counts), len(counts) - counts.count(0))


def _length_tile(standing: Standing, length: int) -> int:
    for stack in LENGTH_STACKS[length]:
        if standing.stacks[stack]:
            return standing.top_value(stack)
    return 0


def _carriage(standing: Standing, length: int, cartwright: bool) -> float:
    value = standing.next_carriage
    missing = value - length
    if value > LAST_CARRIAGE or missing > (MOST_CARDS_SHORT if cartwright else 0):
        return 0.0
    gain = CARRIAGE_POINTS[value] - CARRIAGE_POINTS[standing.carriage] + CARRIAGE_STEP
    return gain if missing <= 0 else PATIENCE * gain
