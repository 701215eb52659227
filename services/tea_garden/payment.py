"""Paying leaves, one at a time; what is no choice is paid at once."""

from typing import Any

from services.tea_garden.choices import PAY as PAY_LEAF
from services.tea_garden.choices import leaf
from services.tea_garden.components import BASKETS, KINDS_OF_LEAF, Cost
from services.tea_garden.costs import payable
from services.tea_garden.machine import AFTER_PAYING, Story, demand, does, lists, tell
from services.tea_garden.state import PAY, Player, State
from teahouse.games.tea_garden.v1 import structs as do


def request(s: State, p: Player, costs: list[Cost], purpose: int, story: Story) -> None:
    """Asks for the leaves; the purpose is carried out when they are paid."""
    s.due = [cost for cost in costs if cost[0]]
    s.paying_for = purpose
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
    leaves = p.leaves
    kinds = [kind for kind in range(BASKETS + quality - 1, KINDS_OF_LEAF) if leaves[kind]]
    if total > brown:
        kinds = [kind for kind in range(quality - 1, BASKETS) if leaves[kind]] + kinds
    return kinds if len(s.due) == 1 else [kind for kind in kinds if leaves_enough(s, p, kind)]


def leaves_enough(s: State, p: Player, kind: int) -> bool:
    rest = p.leaves.copy()
    rest[kind] -= 1
    return payable(rest, less_one(s.due, kind))


def less_one(due: list[Cost], kind: int) -> list[Cost]:
    """What is due after a leaf of that kind was paid for the first cost."""
    total, brown, quality = due[0]
    if kind >= BASKETS and brown:
        brown -= 1
    return [(total - 1, brown, quality), *due[1:]] if total > 1 else due[1:]


def hand_over(s: State, p: Player, kind: int, story: Story) -> None:
    p.leaves[kind] -= 1
    s.due = less_one(s.due, kind)
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
