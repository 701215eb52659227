"""Can it be paid? Leaves, turn spaces and teapots."""

from collections.abc import Iterable
from functools import cache

from services.games.tea_garden.components import (
    BASKETS,
    CARD_NEEDS_TEAPOTS,
    REPEAT_COST,
    SPACE_COSTS,
    TEAPOT_BY,
    TEAPOT_SCROLL,
    Cost,
    unpack_teapots,
)
from services.games.tea_garden.pu_erh.components import PU_ERH_PRICE
from services.games.tea_garden.state import Player, State

CHEAPEST_TEAPOT = min(cost[0] for cost in TEAPOT_BY.values())


def by_quality(cost: Cost) -> int:
    return -cost[2]


def payable(leaves: list[int], costs: Iterable[Cost]) -> bool:
    """Whether different leaves can pay all the costs (TG-751, TG-752).

    From the highest quality asked for to the lowest; fresh leaves go first where any leaf will do, because fermented
    ones can do all that fresh ones can.
    """
    fresh = fermented = 0
    counted = BASKETS
    for total, brown, quality in sorted(costs, key=by_quality):
        while counted >= quality:
            counted -= 1
            fresh += leaves[counted]
            fermented += leaves[counted + BASKETS]
        fermented -= brown
        fresh -= total - brown
        if fresh < 0:
            fermented += fresh
            fresh = 0
        if fermented < 0:
            return False
    return True


def can_pay(leaves: list[int], cost: Cost) -> bool:
    total, brown, quality = cost
    fermented = sum(leaves[BASKETS + quality - 1 :])
    return fermented >= brown and fermented + sum(leaves[quality - 1 : BASKETS]) >= total


@cache
def missing_teapots(card: int, visible: int) -> int:
    """How many teapots of a card's price no visible teapot covers: an exact matching (TG-414).

    A colour first serves its own requirements, `any` teapots the colours that are short, and whatever is left over the
    requirements of any colour: no other assignment covers more.
    """
    *needs, wild_needs = unpack_teapots(CARD_NEEDS_TEAPOTS[card])
    *have, wild = unpack_teapots(visible)
    short = sum(max(0, need - got) for need, got in zip(needs, have, strict=True))
    spare = sum(max(0, got - need) for need, got in zip(needs, have, strict=True))
    by_wild = min(short, wild)
    return short - by_wild + max(0, wild_needs - spare - (wild - by_wild))


def coverable(player: Player, due: list[Cost], teapots: int, scrolls: int) -> bool:
    """Whether that many teapots can be covered by scrolls and leaves, besides what is due (TG-413)."""
    to_pay = teapots - scrolls
    if to_pay <= 0:
        return payable(player.leaves, due)
    if sum(player.leaves) < due[0][0] + to_pay * CHEAPEST_TEAPOT:
        return False
    by_leaves, by_fermented = TEAPOT_BY["leaves"], TEAPOT_BY["fermented"]
    return any(
        payable(player.leaves, [*due, *[by_leaves] * (to_pay - fermented), *[by_fermented] * fermented])
        for fermented in range(to_pay, -1, -1)
    )


def can_afford_card(player: Player, card: int, cost: Cost) -> bool:
    """Leaves and teapots of an action card, but not its strength."""
    if sum(player.leaves[cost[2] - 1 : BASKETS]) + sum(player.leaves[BASKETS + cost[2] - 1 :]) < cost[0]:
        return False
    missing = missing_teapots(card, player.teapots)
    return coverable(player, [cost], missing, player.scrolls[TEAPOT_SCROLL])


def can_lay(player: Player) -> bool:
    """A card in hand, a free turn space, and its cost at hand (TG-303, TG-306)."""
    space = len(player.stacks)
    if not player.hand or space >= player.turn_spaces:
        return False
    cost = SPACE_COSTS[space]
    return cost is None or can_pay(player.leaves, cost)


def can_pay_repeat(player: Player) -> bool:
    return can_pay(player.leaves, REPEAT_COST)


def affordable_tokens(s: State, player: Player) -> list[int]:
    """The premium Pu-erh tokens on offer whose price the player can pay (PE-211)."""
    return [token for token in s.court.premium_row if token >= 0 and can_pay(player.leaves, PU_ERH_PRICE[token])]
