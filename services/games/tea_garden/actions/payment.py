"""Paying leaves, one at a time; what is no choice is paid at once."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions.catalogue import PAY as PAY_LEAF
from services.games.tea_garden.actions.catalogue import leaf
from services.games.tea_garden.actions.costs import payable
from services.games.tea_garden.actions.handlers import AFTER_PAYING, demand, does, lists, tell
from services.games.tea_garden.components import BASKETS, KINDS_OF_LEAF, Cost
from services.games.tea_garden.state import PAY, Player, State
from teahouse.games.tea_garden.v1 import structs as do

# Leaves are paid from the lowest basket up, fresh before fermented: every payment has one order only.
ORDER = tuple(kind for basket in range(BASKETS) for kind in (basket, basket + BASKETS))


def request(s: State, p: Player, costs: list[Cost], purpose: int, story: Story) -> None:
    """Asks for the leaves; the purpose is carried out when they are paid."""
    s.due = [cost for cost in costs if cost[0]]
    s.paying_for = purpose
    s.reached = -1
    go_on(s, p, story)


def go_on(s: State, p: Player, story: Story) -> None:
    while s.due:
        kinds = payable_kinds(s, p)
        if len(kinds) > 1:
            s.question = PAY
            return
        hand_over(s, p, kinds[0], story)
    purpose, s.paying_for = s.paying_for, 0
    AFTER_PAYING[purpose](s, p, story)


def payable_kinds(s: State, p: Player) -> list[int]:
    """The kinds of leaf that may be paid next so that the rest can be paid too (TG-751 to TG-753)."""
    total, brown, quality = s.due[0]
    fresh = fermented = 0
    kinds: list[int] = []
    for place in range(KINDS_OF_LEAF - 1, max(s.reached, 2 * quality - 2) - 1, -1):
        kind = ORDER[place]
        count = p.leaves[kind]
        if not count:
            continue
        if kind < BASKETS:
            fresh += count
            enough = total > brown and fermented >= brown
        else:
            fermented += count
            enough = fermented >= brown
        if enough and fresh + fermented >= total:
            kinds.append(kind)
    kinds.reverse()
    return kinds if len(s.due) == 1 else [kind for kind in kinds if leaves_enough(s, p, kind)]


def leaves_enough(s: State, p: Player, kind: int) -> bool:
    """Whether the other costs can be paid if the first one is paid from that kind of leaf upwards."""
    total, brown, _ = s.due[0]
    rest = p.leaves.copy()
    rest[kind] -= 1
    if kind >= BASKETS and brown:
        brown -= 1
    upwards = ORDER[ORDER.index(kind) :]
    fermented = [one for one in upwards if one >= BASKETS]
    take(rest, fermented, brown)
    take(rest, [one for one in upwards if one < BASKETS] + fermented, total - 1 - brown)
    return payable(rest, s.due[1:])


def take(leaves: list[int], kinds: list[int], count: int) -> None:
    """Takes that many leaves, those of the first kinds first."""
    for kind in kinds:
        taken = min(count, leaves[kind])
        leaves[kind] -= taken
        count -= taken


def hand_over(s: State, p: Player, kind: int, story: Story) -> None:
    p.leaves[kind] -= 1
    total, brown, quality = s.due[0]
    if kind >= BASKETS and brown:
        brown -= 1
    if total > 1:
        s.due = [(total - 1, brown, quality), *s.due[1:]]
        s.reached = ORDER.index(kind)
    else:
        s.due = s.due[1:]
        s.reached = -1
    if story is not None:
        tell(story, do.Paid(s.seat, *leaf(kind)))


@lists(PAY)
def list_payments(s: State, p: Player) -> list[Any]:
    return [PAY_LEAF[kind] for kind in payable_kinds(s, p)]


@does(do.Pay)
def pay(s: State, p: Player, action: do.Pay, story: Story) -> None:
    demand(s.question == PAY, "nothing is to be paid now")
    demand(1 <= action.quality <= BASKETS, "there is no such basket")
    kind = action.quality - 1 + BASKETS * action.fermented
    demand(kind in payable_kinds(s, p), "this leaf cannot pay what is due")
    hand_over(s, p, kind, story)
    go_on(s, p, story)
