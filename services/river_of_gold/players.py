"""How good a position looks: the evaluation for the bots.

The score as it stands, plus what goods, koku, favor, buildings and customers are likely to bring until the end. The
weights are victory points; the future grows with the building tiles that are still to come.
"""

from services.river_of_gold.components import (
    ADJACENT_RIVER,
    CHOICE,
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
# Of the turns still to come, how many per building tile, and how many of them are sails.
TURNS_PER_TILE, SAILING = 1.5, 0.6
# By choice due: good, journey, sell, markers, royal ship, draw and discard, refill.
PENDING_VALUE = (GOOD_VALUE, 1.0, 0.5, 2.0, 2.0, 0.5, 0.3, 0.0)
# What a card in hand is worth when its whole order is held, and how fast that falls with missing goods.
HAND_VALUE = 3.5
MERCHANT_VALUE, NOBLE_VALUE = 0.12, 0.1
LAST_TURNS_GOODS = 0.15


def evaluate(state: State, seat: int) -> float:
    """Own prospects minus the strongest rival's."""
    tiles = len(state.era1) + len(state.era2)
    future = min(1.0, tiles / 6) if state.ended_by < 0 else 0.0
    sails = tiles * TURNS_PER_TILE * SAILING
    shares = all_shares(state)
    worth = [
        _standing(player, [share[who] for share in shares]) + _prospects(player, future)
        for who, player in enumerate(state.players)
    ]
    for space, owner in enumerate(state.marker):
        if owner >= 0:
            value = OWNER_VALUE[state.shore[space]] * REACH[space] * sails
            worth[owner] += value
            if state.second[space] >= 0:
                worth[state.second[space]] += value
    worth[seat] += _hand(state.players[seat], future)
    rival = max(value for who, value in enumerate(worth) if who != seat)
    return worth[seat] - 0.5 * rival


def _standing(player: Player, shares: list[int]) -> float:
    """The score if the game ended now."""
    points = sum(player.won) + customer_points(player)
    for region, share in enumerate(shares):
        points += share * 2 if has_elder(player, region) else share
    delivered = player.delivered
    while delivered:
        points += card_points(player, (delivered & -delivered).bit_length() - 1)
        delivered &= delivered - 1
    return points


def _prospects(player: Player, future: float) -> float:
    """What the player holds is worth something as long as the game goes on."""
    merchants = (player.delivered >> MERCHANT * REGIONS & 63).bit_count()
    nobles = (player.delivered >> NOBLE * REGIONS & 63).bit_count()
    held = (
        KOKU_VALUE * player.koku
        + GOOD_VALUE * sum(min(n, 4) + 0.3 * max(n - 4, 0) for n in player.goods)
        + FAVOR_VALUE * player.favor
        + FAVOR_LIMIT_VALUE * player.favor_limit
        + MERCHANT_VALUE * 10 * merchants
        + NOBLE_VALUE * 10 * nobles
        + INFLUENCE_VALUE * sum(player.influence)
        + sum(n * value for n, value in zip(player.pending, PENDING_VALUE, strict=True))
    )
    return held * (LAST_TURNS_GOODS + (1 - LAST_TURNS_GOODS) * future)


def _hand(player: Player, future: float) -> float:
    """How near the own customers' orders are."""
    best = 0.0
    for card in player.hand:
        order = ORDER[card]
        missing = sum(max(n - have, 0) for n, have in zip(order, player.goods, strict=True))
        best += HAND_VALUE * max(0.0, 1 - missing / 3)
    return best * future
