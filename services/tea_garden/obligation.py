"""Who takes a free action before laying cards must lay cards afterwards (TG-304, RU-07, RU-08).

The look-ahead is exact: it follows every chain of free actions whose results are certain, and says whether one of them
leads to a position in which cards can be laid. What nobody can know is taken out beforehand: a hidden cup tile becomes a
tile without a bonus, and of cards only their number counts.

It runs over the rules themselves. It is fast because positions that are alike for the laying of cards are looked at once
(`what_matters`), and because answers are left out that cannot be better than another one (`worth_trying`).
"""

from copy import copy
from typing import Any

from msgspec.msgpack import encode

from services.tea_garden import choices
from services.tea_garden.components import (
    BASIC_TOKEN,
    DRAW,
    DRAW_DISCARD,
    EMPEROR_CARD,
    FERMENT,
    GAIN_STRENGTH,
    GAIN_TEAPOT,
    HARVEST_EACH,
    LEAVES,
    MARKER,
    REMOVE,
    REPEAT_COST,
    REPEAT_SCROLL,
    ROW_COST,
    ROW_REWARD,
    ROW_TOKENS,
    SIDE,
    SPACE_COSTS,
    TILE_BONUS,
    TOKEN,
    TOP_ROW,
    UNKNOWN_TILE,
    VP,
    BASKETS,
    reward_parts,
)
from services.tea_garden.copying import clone_court
from services.tea_garden.costs import can_lay
from services.tea_garden.free import can_step, list_free
from services.tea_garden.machine import DOERS, LISTERS
from services.tea_garden.state import (
    DECREE_SPACE,
    DISCARD,
    FERMENTING,
    PAY,
    REMOVING,
    RESOLVE,
    TAKE_EMPEROR,
    TURN_START,
    Player,
    State,
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


# Bonuses that bring nothing that could ever be laid or paid with, nor anything that leads to it.
OF_NO_HELP = (VP, GAIN_STRENGTH, GAIN_TEAPOT, REMOVE, DRAW_DISCARD)
HELPFUL = tuple(tuple(code for code in bonus if code & 31 not in OF_NO_HELP) for bonus in TILE_BONUS)
# For each tile the one that stands for all with the same helpful bonus.
ALIKE = tuple(UNKNOWN_TILE if not bonus else HELPFUL.index(bonus) for bonus in HELPFUL)


def leads_to_laying(s: State) -> bool:
    """Whether some chain of choices ends where cards can be laid."""
    p = s.players[s.seat]
    p.cups = [[ALIKE[tile] for tile in row] for row in p.cups]
    s.cup_stacks = [[ALIKE[tile] for tile in stack] for stack in s.cup_stacks]
    seen: set[bytes] = set()
    ahead = [s]
    while ahead:
        s = ahead.pop()
        p = s.players[s.seat]
        # Every question but that for a payment can be answered so that no leaf and no card is lost.
        if s.question != PAY and can_lay(p):
            return True
        if s.question == TURN_START:
            highest = outlook(s, p)
            if highest < 0:
                continue
            level_leaves(p, highest)
        key = what_matters(s, p)
        if key in seen:
            continue
        seen.add(key)
        for action in worth_trying(s, p):
            child = branch(s)
            DOERS[type(action)](child, child.players[s.seat], action, None)
            ahead.append(child)
    return False


def worth_trying(s: State, p: Player) -> list[Any]:
    if s.question == TURN_START:
        return free_actions(p)
    if s.question == REMOVING:
        return [choices.DECLINE]  # a card more never hurts
    actions = LISTERS[s.question](s, p)
    if s.question in (DISCARD, TAKE_EMPEROR, DECREE_SPACE):
        return actions[:1]  # cards are alike, and the spaces of a decree give points
    if s.question == RESOLVE:
        return [action for action in actions if type(action) is do.Resolve]  # nor does a draw
    if s.question == FERMENTING:
        return [action for action in actions if action is not choices.DONE]  # a fermented leaf does what a fresh one does
    return actions


def free_actions(p: Player) -> list[Any]:
    actions: list[Any] = [choices.STEP] if can_step(p) else []
    for row, markers in enumerate(p.markers):
        for link, count in enumerate(markers):
            if count:
                for tile in {*p.cups[row][link : link + 2]} - {UNKNOWN_TILE}:
                    actions.append(choices.use_marker(row, link, tile))
    return actions


def what_matters(s: State, p: Player) -> bytes:
    rows = [[*row, -1, *markers] for row, markers in zip(p.cups, p.markers, strict=True)]
    rows.sort()
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
    return encode(
        (general, s.question, s.frames, s.due, s.paying_for, s.subject, s.option, s.left, s.reached)
    )


def outlook(s: State, p: Player) -> int:
    """The highest row that the player might reach, or -1 if no chain of free actions leads to the laying of cards.

    Proof: here every bonus in reach is gained, of a link both tiles', and no leaf is ever paid. So a real chain climbs
    no higher and gains no more; and where something opens further bonuses (side actions) all is taken to be in reach.
    """
    gains = [
        code
        for row, markers in enumerate(p.markers)
        for link, count in enumerate(markers)
        if count
        for tile in p.cups[row][link : link + 2]
        for code in HELPFUL[tile] * count
    ]
    tokens, leaves, fermented, best, highest = p.tokens, sum(p.leaves), sum(p.leaves[BASKETS:]), 0, p.row
    for kind, count in enumerate(p.leaves):
        if count:
            best = max(best, kind % BASKETS + 1)
    card = bool(p.hand)
    at = 0
    while True:
        for code in gains[at:]:
            at += 1
            kind, amount, detail = reward_parts(code)
            if kind == TOKEN:
                tokens += amount
            elif kind == LEAVES:
                leaves += amount
                best = max(best, detail)
            elif kind == FERMENT:
                fermented += amount
            elif kind == EMPEROR_CARD:
                card |= max(s.emperor_row) >= 0
            elif kind == DRAW:
                card |= bool(p.deck or p.discard)
            elif kind == MARKER:
                linked = {tile for row in p.cups if len(row) > 1 for tile in row}
                bonuses = [code for tile in linked for code in HELPFUL[tile]]
                if any(code & 31 == MARKER for code in bonuses):
                    return TOP_ROW
                gains += bonuses
            elif kind in (SIDE, BASIC_TOKEN, HARVEST_EACH):
                return TOP_ROW
        if at < len(gains):
            continue
        if highest == TOP_ROW or tokens < ROW_TOKENS[highest + 1] or best < ROW_COST[highest + 1][2]:
            break
        highest += 1
        tokens -= ROW_TOKENS[highest]
        gains += ROW_REWARD[highest]
    total, brown, _ = SPACE_COSTS[len(p.stacks)] or (0, 0, 1)
    return highest if card and leaves >= total and fermented >= brown else -1


def level_leaves(p: Player, highest: int) -> None:
    """Puts the leaves that differ for no payment in reach into one basket each."""
    asked = [ROW_COST[row][2] for row in range(p.row + 1, highest + 1)]
    leaves = [0] * len(p.leaves)
    for kind, count in enumerate(p.leaves):
        basket = kind % BASKETS
        level = max((quality - 1 for quality in asked if quality - 1 <= basket), default=0)
        leaves[kind - basket + level] += count
    p.leaves = leaves
