"""How good a position is for a seat: points so far, provinces under way, and what its route and hand promise.

The weights are guesses that hold up in play (`python -m services.bots.arena thurn_and_taxis greedy random`).
"""

from services.thurn_and_taxis.closing import next_carriage
from services.thurn_and_taxis.components import (
    ALL_PROVINCES,
    BAIERN,
    CARRIAGE_POINTS,
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
from services.thurn_and_taxis.scoring import score
from services.thurn_and_taxis.state import (
    CARTWRIGHT_DECISION,
    DISCARD,
    GAME_OVER,
    NO_OFFICIAL,
    PLACE_HOUSES,
    Player,
    State,
)

# A carriage brings the next one nearer.
CARRIAGE_STEP = 1.0
# Houses and tiles in sight, against points in hand.
TILE_IN_SIGHT = 0.7
# A gain is worth this much less for every turn it lies ahead.
PATIENCE = 0.9
# What a route of 0, 1 or 2 cards is worth against one that can be closed.
TOO_SHORT = (0.0, 0.35, 0.6)
# The chance that one displayed card is gone at the next turn, and what the deck counts for in displayed cards.
LOST_CARD = 0.55
DECK_CARDS = 0.7
# How many cards of the hand are looked at as one chain; one fewer if the hand has many cities.
CHAIN = 3
WIDE_HAND = 8
CARD_IN_HAND = 0.12
# More cards than this are no help.
CARDS_OF_USE = 5
# What a point of lead counts once the last round is on, and all of it at most.
LEAD = 2.0
MOST_LEAD = 14.0


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
    """What ending the game now is worth: a lead is good, a lag is bad, however it came about."""
    best_rival = max(score(other) for index, other in enumerate(state.players) if index != seat)
    return max(-MOST_LEAD, min(MOST_LEAD, LEAD * (score(state.players[seat]) - best_rival)))


def top_value(state: State, stack: int) -> int:
    left = state.stacks[stack]
    return STACK_VALUES[stack][-left] if left else 0


def provinces_under_way(state: State, player: Player) -> float:
    have = {TILES[tile][0] for tile in player.tiles}
    worth = 0.0
    for stack, needed in PROVINCE_STACKS:
        if stack not in have:
            done = (player.houses & needed).bit_count() / needed.bit_count()
            worth += top_value(state, stack) * done * done
    if ALL_PROVINCES not in have:
        wanted = [
            cities for province, cities in enumerate(PROVINCE_CITIES) if province != BAIERN or state.requires_baiern
        ]
        done = sum(1 for cities in wanted if player.houses & cities) / len(wanted)
        worth += top_value(state, ALL_PROVINCES) * done * done
    return TILE_IN_SIGHT * worth


def rest_of_closing(state: State, player: Player) -> float:
    """What the closing under way still brings."""
    length = len(player.route)
    worth = _best_chain(state, player, mask(player.hand)) + CARD_IN_HAND * min(len(player.hand), HAND_AFTER_CLOSING)
    if state.phase == PLACE_HOUSES:
        worth += _houses(player, mask(player.route)) + _length_tile(state, length)
    if state.phase <= CARTWRIGHT_DECISION:
        worth += _carriage(player, length, state.official == NO_OFFICIAL)
    return worth


def prospects(state: State, player: Player) -> float:
    """What the route and the hand promise for the turns to come."""
    hand = mask(player.hand)
    loose = CARD_IN_HAND * min(len(player.hand), CARDS_OF_USE)
    route = player.route
    if not route:
        return loose + _best_chain(state, player, hand)
    cities = mask(route)
    length = len(route)
    promise = _chain(state, player, route[0], route[-1], cities, length, hand & ~cities, _depth(hand))
    suitable = (NEIGHBOURS[route[0]] | NEIGHBOURS[route[-1]]) & ~cities
    offers = sum(1 for card in state.display if card != GAP and suitable >> card & 1)
    chance = 1.0 - float(LOST_CARD ** (offers + DECK_CARDS))
    stretch = PATIENCE * chance * (_gain(state, player, cities, length) + PATIENCE)
    return loose + max(promise, stretch)


def _depth(hand: int) -> int:
    return CHAIN if hand.bit_count() <= WIDE_HAND else CHAIN - 1


def _best_chain(state: State, player: Player, hand: int) -> float:
    """The best route that the hand alone could begin."""
    best = 0.0
    depth = _depth(hand)
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        city = bit.bit_length() - 1
        start = _gain(state, player, bit, 1)
        best = max(best, PATIENCE * start, PATIENCE * _chain(state, player, city, city, bit, 1, hand ^ bit, depth - 1))
    return best


def _chain(
    state: State, player: Player, left: int, right: int, cities: int, length: int, hand: int, depth: int
) -> float:
    """The best gain from adding one or more cards of the hand, each a turn away."""
    best = 0.0
    rest = hand & (NEIGHBOURS[left] | NEIGHBOURS[right])
    while rest:
        bit = rest & -rest
        rest ^= bit
        city = bit.bit_length() - 1
        longer = cities | bit
        best = max(best, _gain(state, player, longer, length + 1))
        if depth > 1:
            if NEIGHBOURS[left] & bit:
                best = max(best, _chain(state, player, city, right, longer, length + 1, hand ^ bit, depth - 1))
            if NEIGHBOURS[right] & bit and left != right:
                best = max(best, _chain(state, player, left, city, longer, length + 1, hand ^ bit, depth - 1))
    return PATIENCE * best


def _gain(state: State, player: Player, cities: int, length: int) -> float:
    """Roughly what closing a route through these cities brings."""
    worth = _houses(player, cities)
    if length < SHORTEST_ROUTE:
        return TOO_SHORT[length] * (worth + SHORTEST_ROUTE - length)
    worth += _length_tile(state, length) + _carriage(player, length, True)
    for stack, needed in PROVINCE_STACKS:
        missing = needed & ~player.houses
        if missing and not missing & ~cities:
            worth += TILE_IN_SIGHT * top_value(state, stack)
    return worth


def _houses(player: Player, cities: int) -> float:
    open_cities = cities & ~player.houses
    counts = [(open_cities & province).bit_count() for province in PROVINCE_CITIES]
    best = max(max(counts), len(counts) - counts.count(0))
    return 1.15 * min(best, player.houses_left)


def _length_tile(state: State, length: int) -> int:
    for stack in LENGTH_STACKS[length]:
        if state.stacks[stack]:
            return top_value(state, stack)
    return 0


def _carriage(player: Player, length: int, cartwright: bool) -> float:
    value = next_carriage(player)
    missing = value - length
    if value > LAST_CARRIAGE or missing > (MOST_CARDS_SHORT if cartwright else 0):
        return 0.0
    gain = CARRIAGE_POINTS[value] - CARRIAGE_POINTS[player.carriage] + CARRIAGE_STEP
    return gain if missing <= 0 else PATIENCE * gain
