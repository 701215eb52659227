"""Who takes a free action before laying cards must lay cards afterwards (TG-304, RU-07, RU-08).

The look-ahead is exact: it finds whatever chain of free actions with certain results leads to the laying of cards.
What nobody can know is taken out beforehand: a hidden cup tile becomes a tile without a bonus, and of cards only their
number counts.

It plays by the rules themselves. It is fast because it looks once at positions that are alike for the laying of cards
(`what_matters`), leaves out answers that another one makes needless (`worth_trying`), and gives up where not even every
bonus in reach would do (`outlook`). Each of the three has its proof beside it.
"""

from copy import copy
from typing import Any

from msgspec.msgpack import encode

from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import can_lay
from services.games.tea_garden.actions.free import can_step, list_free
from services.games.tea_garden.actions.handlers import DOERS, LISTERS
from services.games.tea_garden.actions.reach import HELPFUL, PROVEN, outlook
from services.games.tea_garden.components import (
    AT_ONCE,
    BASKETS,
    DRAW,
    REPEAT_COST,
    REPEAT_SCROLL,
    ROW_COST,
    SPACE_COSTS,
    TOP_ROW,
    UNKNOWN_TILE,
)
from services.games.tea_garden.state import (
    DECREE_SPACE,
    DISCARD,
    FERMENTING,
    PAY,
    REMOVING,
    REPEAT,
    RESOLVE,
    TAKE_EMPEROR,
    TURN_START,
    Player,
    State,
    clone_court,
)
from teahouse.games.tea_garden.v1 import structs as do

# The most leaves that one choice can cost, with all that must follow it: a payment is finished before the next choice.
MOST_PAID = max(cost[0] for cost in (REPEAT_COST, *ROW_COST))


def risky(s: State, p: Player) -> bool:
    """Whether any single choice could take the possibility to lay cards away."""
    if s.laid:
        return False
    # One choice removes one card. Who discards has drawn as many before, and keeps the cards held until then.
    if len(p.hand) < 2:
        return True
    cost = SPACE_COSTS[len(p.stacks)] if len(p.stacks) < p.turn_spaces else None
    if cost is None:
        return False
    fermented = sum(p.leaves[BASKETS:])
    return fermented < cost[1] + MOST_PAID or sum(p.leaves) < cost[0] + MOST_PAID


def keeps_word(s: State, action: Any) -> bool:
    """Whether the player can still lay cards after the action."""
    ahead = certain(s)
    DOERS[type(action)](ahead, ahead.players[s.seat], action, None)
    return leads_to_laying(ahead)


def can_begin(s: State) -> bool:
    """Whether a seat can take a turn at all, at once or after free actions (TG-303)."""
    p = s.players[s.seat]
    if can_lay(p):
        return True
    return len(p.stacks) < p.turn_spaces and bool(list_free(s, p)) and leads_to_laying(certain(s))


# The position looked at.


def certain(s: State) -> State:
    """A copy in which only what is certain helps."""
    ahead = branch(s)
    ahead.dice = s.dice.clone()
    for stack in ahead.cup_stacks:
        stack[:-1] = [UNKNOWN_TILE] * (len(stack) - 1)
    if ahead.court.basic_deck:
        ahead.court.basic_deck = []
    return ahead


def branch(s: State) -> State:
    """A copy that shares all that free actions leave as it is."""
    ahead = copy(s)
    p = copy(s.players[s.seat])
    p.hand, p.deck, p.discard = p.hand.copy(), p.deck.copy(), p.discard.copy()
    p.leaves, p.scrolls = p.leaves.copy(), p.scrolls.copy()
    p.cups, p.markers = [row.copy() for row in p.cups], [row.copy() for row in p.markers]
    p.sets = [own.copy() for own in p.sets]
    ahead.players = s.players.copy()
    ahead.players[s.seat] = p
    ahead.emperor_row, ahead.emperor_deck = s.emperor_row.copy(), s.emperor_deck.copy()
    ahead.cup_stacks = [stack.copy() for stack in s.cup_stacks]
    ahead.spots, ahead.removed = s.spots.copy(), s.removed.copy()
    ahead.frames = [frame.copy() for frame in s.frames]
    ahead.court = clone_court(s.court)
    return ahead


# For each tile the one that stands for all with the same helpful bonus.
ALIKE = tuple(UNKNOWN_TILE if not bonus else HELPFUL.index(bonus) for bonus in HELPFUL)
AT_ONCE_TILES = {tile for tile in ALIKE if all(code & 31 in (*range(AT_ONCE + 1), DRAW) for code in HELPFUL[tile])}


def leads_to_laying(s: State) -> bool:
    """Whether some chain of choices ends where cards can be laid."""
    p = s.players[s.seat]
    p.cups = [[ALIKE[tile] for tile in row] for row in p.cups]
    s.cup_stacks = [[ALIKE[tile] for tile in stack] for stack in s.cup_stacks]
    seen: set[bytes] = set()
    ahead, highest = [s], TOP_ROW
    while ahead:
        s = ahead.pop()
        p = s.players[s.seat]
        # Every question but that for a payment can be answered without losing a leaf or a card: what can be declined
        # is declined, and who is to discard has drawn as many cards and held one before.
        if s.question != PAY and can_lay(p):
            return True
        if s.question == TURN_START:
            highest = outlook(s, p)
            if highest < 0:
                continue
            if PROVEN:
                level_leaves(p, highest)
        key = what_matters(s, p)
        if key in seen:
            continue
        seen.add(key)
        for action in worth_trying(s, p, highest):
            child = branch(s)
            DOERS[type(action)](child, child.players[s.seat], action, None)
            ahead.append(child)
    return False


def worth_trying(s: State, p: Player, highest: int) -> list[Any]:
    """The answers without those that another one makes needless: whatever chain follows them, one follows that too."""
    if s.question == TURN_START:
        return free_actions(p, highest)
    if s.question == REMOVING:
        return [catalogue.DECLINE]  # a card more never hurts
    actions = LISTERS[s.question](s, p)
    if s.question in (DISCARD, TAKE_EMPEROR, DECREE_SPACE):
        return actions[:1]  # cards are alike, and the spaces of a decree differ in points
    if s.question == RESOLVE:
        return [action for action in actions if type(action) is do.Resolve]  # to draw never hurts
    if s.question == REPEAT and catalogue.REPEAT_BY_SCROLL in actions:
        return actions[:2]  # before cards are laid the scroll has no other use
    if s.question == FERMENTING and PROVEN:
        return [catalogue.FERMENT_LEAF[lowest_to_ferment(s, p)]]
    if s.question == PAY and PROVEN:
        # Of leaves in the same state the lowest: a higher one pays all that a lower one pays.
        fresh = next((action for action in actions if not action.fermented), None)
        fermented = next((action for action in actions if action.fermented), None)
        return [action for action in (fresh, fermented) if action is not None]
    return actions


def lowest_to_ferment(s: State, p: Player) -> int:
    """The basket to begin with so that as many leaves as possible are fermented, and those the lowest.

    Proof: let a chain ferment y and leave the lower x fresh. Exchange them: where it pays a fermented leaf as such, no
    quality is asked for, and x will do; all else that it pays with y or x the fresh y pays, or x if y was not used.
    """
    left = s.left
    for basket, count in enumerate(p.leaves[:BASKETS]):
        left -= count
        if left <= 0 or not any(p.leaves[basket + 1 : BASKETS]):
            return basket
    return 0


def free_actions(p: Player, highest: int) -> list[Any]:
    """The way up, as far as it may help, and the markers.

    A marker that can bring only what is gained at once is used first: that never hurts, and it has no other use.
    """
    actions: list[Any] = [catalogue.STEP] if p.row < highest and can_step(p) else []
    for row, markers in enumerate(p.markers):
        for link, count in enumerate(markers):
            if count:
                tiles = {*p.cups[row][link : link + 2]} - {UNKNOWN_TILE}
                uses = [catalogue.use_marker(row, link, tile) for tile in tiles]
                if uses and tiles <= AT_ONCE_TILES:
                    return uses
                actions += uses
    return actions


def what_matters(s: State, p: Player) -> bytes:
    """All that the rest of a chain depends on.

    Cards: whether there is one in hand, and one to draw. A hand never gets empty again, and while it is empty neither
    what can be drawn nor the emperor cards change. The rest is no free action's concern, or gives points only.
    """
    rows = sorted(
        min([*row, -1, *markers], [*reversed(row), -1, *reversed(markers)])
        for row, markers in zip(p.cups, p.markers, strict=True)
    )
    general = (
        bool(p.hand),
        bool(p.deck or p.discard),
        p.leaves,
        p.scrolls[REPEAT_SCROLL],
        p.tokens,
        p.row,
        p.boat,
        p.sector,
        s.repeated,
        rows,
        s.cup_stacks,
        p.sets,
        s.court.basic_row,
    )
    if s.question == TURN_START:
        return encode(general)
    return encode((general, s.question, s.frames, s.due, s.paying_for, s.subject, s.option, s.left, s.reached))


def level_leaves(p: Player, highest: int) -> None:
    """Puts the leaves that differ for no payment in reach into one basket: only rows ask for a quality."""
    asked = [ROW_COST[row][2] for row in range(p.row + 1, highest + 1)]
    leaves = [0] * len(p.leaves)
    for kind, count in enumerate(p.leaves):
        basket = kind % BASKETS
        level = max((quality - 1 for quality in asked if quality - 1 <= basket), default=0)
        leaves[kind - basket + level] += count
    p.leaves = leaves
