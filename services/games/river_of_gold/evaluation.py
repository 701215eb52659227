"""The bots' evaluation of a position.

It adds to the present score what buildings, customers, goods, koku and favor are likely to bring until the end. All
weights are victory points. The more building tiles are still to come, the more the future counts.
"""

from typing import Any

from services.games.river_of_gold.actions import catalogue
from services.games.river_of_gold.components import (
    ADJACENT_RIVER,
    CHOICE,
    ELDER,
    ELDER_FACTOR,
    END_SCORING,
    FAVOR,
    GOOD,
    INFLUENCE,
    KOKU,
    KOKU_PER,
    MERCHANT,
    NOBLE,
    ORDER,
    OWNER,
    REGIONS,
    RIVER,
    STORMS,
    VP,
)
from services.games.river_of_gold.scoring import all_shares, card_points, customer_points
from services.games.river_of_gold.state import MAIN, ROLL, WRAP_UP, Player, State
from teahouse.games.river_of_gold.v1 import structs

KOKU_VALUE, GOOD_VALUE, FAVOR_VALUE, INFLUENCE_VALUE = 0.3, 0.75, 0.6, 0.35
FAVOR_LIMIT_VALUE = 0.5
# More goods of one type than this are rarely needed.
USEFUL_GOODS, SPARE_VALUE = 4, 0.3
# The worth of an atom of an owner reward, each time it is paid.
ATOM_VALUE = {
    VP: 1.0,
    KOKU: KOKU_VALUE,
    KOKU_PER: 2 * KOKU_VALUE,
    FAVOR: FAVOR_VALUE,
    GOOD: GOOD_VALUE,
    CHOICE: GOOD_VALUE,
    INFLUENCE: INFLUENCE_VALUE,
}
OWNER_VALUE = tuple(sum(n * ATOM_VALUE[what] for what, n, _ in atoms) for atoms in OWNER)
# The chance that a sail, by any player, visits a shore space.
REACH = tuple(spaces / RIVER for spaces in ADJACENT_RIVER)
SAILS_PER_TILE = 0.9
# The worth of a pending choice: good, journey, sell, two kinds of markers, royal ship, draw and discard, refill.
PENDING_VALUE = (GOOD_VALUE, 1.0, 0.5, 2.0, 2.0, 0.5, 0.3, 0.0)
# The worth of a card in hand if the player holds its whole order; every missing good takes off a third.
HAND_VALUE, GOODS_TOO_FAR = 3.5, 3
# The worth of a delivered customer beyond its present score, because the next ones will count more.
DELIVERED_VALUE = 8.0
MERCHANT_VALUE, NOBLE_VALUE = 1.2, 1.0
# From this many remaining tiles on, the future counts in full; in the last turns, holdings keep a little value.
FULL_FUTURE, LAST_TURNS = 6, 0.15
RIVAL = 0.5
PREPARATIONS = frozenset((structs.ExchangeGoods, structs.ExchangeFavor, structs.ChangeDie))
ALL_REGIONS = (1 << REGIONS) - 1
# Delivered cards that count at the end: elders double their region's share, the others score on their own.
ELDERS = range(ELDER * REGIONS, (ELDER + 1) * REGIONS)
COUNTING_CARDS = sum(1 << card for card, scoring in enumerate(END_SCORING) if scoring is not None or card in ELDERS)


def evaluate(state: State, seat: int) -> float:
    return evaluate_all(state)[seat]


def evaluate_all(state: State) -> list[float]:
    """For each seat, its prospects minus half of the strongest rival's. A hand counts only for its owner."""
    tiles = len(state.era1) + len(state.era2)
    future = min(1.0, tiles / FULL_FUTURE)
    shares = all_shares(state)
    worth = [_standing(player, seat, shares) + _holdings(player, future) for seat, player in enumerate(state.players)]
    _add_buildings(state, worth, tiles * SAILS_PER_TILE)
    return [
        worth[seat] + _hand(player) * future - RIVAL * max(worth[:seat] + worth[seat + 1 :])
        for seat, player in enumerate(state.players)
    ]


def _standing(player: Player, seat: int, shares: list[list[int]]) -> float:
    """The score if the game ended now."""
    points = sum(player.won) + customer_points(player)
    for share in shares:
        points += share[seat]
    cards = player.delivered & COUNTING_CARDS
    while cards:
        card = (cards & -cards).bit_length() - 1
        points += shares[card % REGIONS][seat] * (ELDER_FACTOR - 1) if card in ELDERS else card_points(player, card)
        cards &= cards - 1
    return points


def _holdings(player: Player, future: float) -> float:
    merchants = (player.delivered >> MERCHANT * REGIONS & ALL_REGIONS).bit_count()
    nobles = (player.delivered >> NOBLE * REGIONS & ALL_REGIONS).bit_count()
    held = (
        KOKU_VALUE * player.koku
        + FAVOR_VALUE * player.favor
        + FAVOR_LIMIT_VALUE * player.favor_limit
        + DELIVERED_VALUE * player.delivered.bit_count()
        + MERCHANT_VALUE * merchants
        + NOBLE_VALUE * nobles
        + INFLUENCE_VALUE * sum(player.influence)
    )
    for n in player.goods:
        held += GOOD_VALUE * (n if n <= USEFUL_GOODS else USEFUL_GOODS + SPARE_VALUE)
    for choice, n in enumerate(player.pending):
        if n:
            held += n * PENDING_VALUE[choice]
    return held * (LAST_TURNS + (1 - LAST_TURNS) * future)


def _add_buildings(state: State, worth: list[float], sails: float) -> None:
    """Adds the owner rewards of future sails, for both markers."""
    for space, owner in enumerate(state.marker):
        if owner >= 0:
            value = OWNER_VALUE[state.shore[space]] * REACH[space] * sails
            worth[owner] += value
            if state.second[space] >= 0:
                worth[state.second[space]] += value


def _hand(player: Player) -> float:
    """How close the player's customers are to being delivered."""
    value = 0.0
    goods = player.goods
    for card in player.hand:
        missing = 0
        for good, n in enumerate(ORDER[card]):
            if n > goods[good]:
                missing += n - goods[good]
        if missing < GOODS_TOO_FAR:
            value += HAND_VALUE * (1 - missing / GOODS_TOO_FAR)
    return value


def at_once(state: State) -> Any | None:
    """Actions taken without evaluation: turning the die to an order that can be filled, and ending the turn."""
    if state.phase == WRAP_UP:
        return catalogue.END_TURN
    if state.phase == ROLL:
        return catalogue.ROLL_DIE
    if state.phase == MAIN:
        return _turn_to_order(state.players[state.turn])
    return None


def worth_a_look(legal: list[Any]) -> list[Any]:
    """Leaves out exchanges and changes of the die, which do not improve a position by themselves."""
    return [action for action in legal if type(action) not in PREPARATIONS] or legal


def _turn_to_order(player: Player) -> Any | None:
    """Turns the die towards the nearest customer whose whole order the player holds, if there is enough favor."""
    nearest, turn = player.favor + 1, None
    if player.patron == STORMS:
        return None
    for card in player.hand:
        if all(n <= held for n, held in zip(ORDER[card], player.goods, strict=True)):
            up = (card % REGIONS - player.die + 1) % REGIONS
            steps = min(up, REGIONS - up)
            if not steps:
                return None
            if steps < nearest:
                nearest, turn = steps, catalogue.DIE_UP if steps == up else catalogue.DIE_DOWN
    return turn
