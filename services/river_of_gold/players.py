"""How good a position looks: the evaluation for the bots.

The score as it stands, plus what buildings, customers, goods, koku and favor are likely to bring until the end. All
weights are victory points; the future is worth more the more building tiles are still to come.
"""

from services.river_of_gold.components import (
    ADJACENT_RIVER,
    CHOICE,
    ELDER_FACTOR,
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
    VP,
)
from services.river_of_gold.scoring import all_shares, card_points, customer_points, has_elder
from services.river_of_gold.state import Player, State

KOKU_VALUE, GOOD_VALUE, FAVOR_VALUE, INFLUENCE_VALUE = 0.3, 0.75, 0.6, 0.35
FAVOR_LIMIT_VALUE = 0.5
# More goods of one type than this are rarely needed.
USEFUL_GOODS, SPARE_VALUE = 4, 0.3
# What an atom of an owner reward is worth each time it is paid.
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
# The chance that a sail of anybody visits a shore space.
REACH = tuple(spaces / RIVER for spaces in ADJACENT_RIVER)
SAILS_PER_TILE = 0.9
# By choice due: good, journey, sell, two kinds of markers, royal ship, draw and discard, refill.
PENDING_VALUE = (GOOD_VALUE, 1.0, 0.5, 2.0, 2.0, 0.5, 0.3, 0.0)
# A card in hand whose whole order is held; every missing good takes a third of it.
HAND_VALUE, GOODS_TOO_FAR = 3.5, 3
# A delivered customer, beyond its place in the table: the next ones will count more.
DELIVERED_VALUE = 8.0
MERCHANT_VALUE, NOBLE_VALUE = 1.2, 1.0
# With so many tiles to come the future counts in full; in the last turns holdings keep a little of their value.
FULL_FUTURE, LAST_TURNS = 6, 0.15
RIVAL = 0.5
ALL_REGIONS = (1 << REGIONS) - 1


def evaluate(state: State, seat: int) -> float:
    """Own prospects, less half of the strongest rival's."""
    tiles = len(state.era1) + len(state.era2)
    future = min(1.0, tiles / FULL_FUTURE)
    shares = all_shares(state)
    worth = [
        _standing(player, [share[who] for share in shares]) + _holdings(player, future)
        for who, player in enumerate(state.players)
    ]
    _add_buildings(state, worth, tiles * SAILS_PER_TILE)
    worth[seat] += _hand(state.players[seat]) * future
    return worth[seat] - RIVAL * max(value for who, value in enumerate(worth) if who != seat)


def _standing(player: Player, shares: list[int]) -> float:
    """The score if the game ended now."""
    points = sum(player.won) + customer_points(player)
    for region, share in enumerate(shares):
        points += share * ELDER_FACTOR if has_elder(player, region) else share
    cards = player.delivered
    while cards:
        points += card_points(player, (cards & -cards).bit_length() - 1)
        cards &= cards - 1
    return points


def _holdings(player: Player, future: float) -> float:
    merchants = (player.delivered >> MERCHANT * REGIONS & ALL_REGIONS).bit_count()
    nobles = (player.delivered >> NOBLE * REGIONS & ALL_REGIONS).bit_count()
    held = (
        KOKU_VALUE * player.koku
        + GOOD_VALUE * sum(n if n <= USEFUL_GOODS else USEFUL_GOODS + SPARE_VALUE for n in player.goods)
        + FAVOR_VALUE * player.favor
        + FAVOR_LIMIT_VALUE * player.favor_limit
        + DELIVERED_VALUE * player.delivered.bit_count()
        + MERCHANT_VALUE * merchants
        + NOBLE_VALUE * nobles
        + INFLUENCE_VALUE * sum(player.influence)
        + sum(n * value for n, value in zip(player.pending, PENDING_VALUE, strict=True))
    )
    return held * (LAST_TURNS + (1 - LAST_TURNS) * future)


def _add_buildings(state: State, worth: list[float], sails: float) -> None:
    """Owner rewards of the sails to come, for both markers."""
    for space, owner in enumerate(state.marker):
        if owner >= 0:
            value = OWNER_VALUE[state.shore[space]] * REACH[space] * sails
            worth[owner] += value
            if state.second[space] >= 0:
                worth[state.second[space]] += value


def _hand(player: Player) -> float:
    """How near the orders of the own customers are."""
    value = 0.0
    for card in player.hand:
        missing = sum(max(n - have, 0) for n, have in zip(ORDER[card], player.goods, strict=True))
        value += HAND_VALUE * max(0.0, 1 - missing / GOODS_TOO_FAR)
    return value
