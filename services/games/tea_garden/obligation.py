"""Who takes a free action before laying cards must lay cards afterwards (TG-304, RU-07, RU-08).

`keeps_word` looks ahead: does the player still have a way to lay cards, if need be after more free actions whose result
is certain? What nobody can know is taken out of the look-ahead: hidden cup tiles become tiles without a bonus, and of
drawn cards only the number matters.
"""

from typing import Any

from msgspec.msgpack import encode

from services.games.tea_garden import choices
from services.games.tea_garden.components import (
    BASKETS,
    DRAW,
    EMPEROR_CARD,
    FERMENT,
    LEAVES,
    MARKER,
    REPEAT_COST,
    ROW_REWARD,
    ROW_TOKENS,
    SIDE,
    SPACE_COSTS,
    TILE_BONUS,
    TOKEN,
    TOP_ROW,
    UNKNOWN_TILE,
    reward_parts,
)
from services.games.tea_garden.copying import clone
from services.games.tea_garden.costs import can_lay
from services.games.tea_garden.free import list_free
from services.games.tea_garden.machine import DOERS, LISTERS
from services.games.tea_garden.state import (
    DECREE_SPACE,
    DISCARD,
    FERMENTING,
    REMOVING,
    TAKE_EMPEROR,
    TURN_START,
    Player,
    State,
)

MOST_POSITIONS = 400


def risky(s: State, p: Player) -> bool:
    """Whether any single choice could take the possibility to lay cards away."""
    if s.laid:
        return False
    if len(p.hand) < 2:
        return True
    cost = SPACE_COSTS[len(p.stacks)] if len(p.stacks) < p.turn_spaces else None
    if cost is None:
        return False
    fermented = sum(p.leaves[BASKETS:])
    return fermented < cost[1] + REPEAT_COST[0] or sum(p.leaves) < cost[0] + REPEAT_COST[0]


def keeps_word(s: State, action: Any) -> bool:
    """Whether the player can still lay cards after the action."""
    ahead = certain(s)
    p = ahead.players[s.seat]
    DOERS[type(action)](ahead, p, action, None)
    return Lookahead().reaches_laying(ahead)


def can_begin(s: State) -> bool:
    """Whether a seat can take a turn at all, at once or after free actions (TG-303)."""
    p = s.players[s.seat]
    if can_lay(p):
        return True
    if len(p.stacks) >= p.turn_spaces or not list_free(s, p) or hopeless(s, p):
        return False
    return Lookahead().reaches_laying(certain(s))


def certain(s: State) -> State:
    """A copy in which only what is certain helps."""
    ahead = clone(s)
    for stack in ahead.cup_stacks:
        stack[:-1] = [UNKNOWN_TILE] * (len(stack) - 1)
    ahead.court.basic_deck = []
    return ahead


class Lookahead:
    """A search for one way to lay cards."""

    def __init__(self) -> None:
        self.left = MOST_POSITIONS
        self.seen: set[bytes] = set()

    def reaches_laying(self, s: State) -> bool:
        p = s.players[s.seat]
        if s.question == TURN_START:
            if can_lay(p):
                return True
            key = encode(p)
            if key in self.seen or hopeless(s, p):
                return False
            self.seen.add(key)
        for action in self.worth_trying(s, p):
            if self.left <= 0:
                return False
            self.left -= 1
            child = clone(s)
            DOERS[type(action)](child, child.players[s.seat], action, None)
            if self.reaches_laying(child):
                return True
        return False

    def worth_trying(self, s: State, p: Player) -> list[Any]:
        """One of each kind of choice that differs for the laying of cards."""
        if s.question == TURN_START:
            return list_free(s, p)
        if s.question == REMOVING:
            return [choices.DECLINE]
        actions = LISTERS[s.question](s, p)
        return actions[:1] if s.question in (DECREE_SPACE, DISCARD, TAKE_EMPEROR, FERMENTING) else actions


def hopeless(s: State, p: Player) -> bool:
    """True if the bonuses in reach obviously cannot supply what is missing."""
    bonuses = [
        code
        for row, markers in enumerate(p.markers)
        for link, count in enumerate(markers)
        if count
        for tile in p.cups[row][link : link + 2]
        for code in TILE_BONUS[tile] * count
    ]
    tokens = p.tokens + sum(reward_parts(code)[1] for code in bonuses if code & 31 == TOKEN)
    if p.row < TOP_ROW and tokens >= ROW_TOKENS[p.row + 1]:
        bonuses += ROW_REWARD[p.row + 1]
        if p.row + 2 <= TOP_ROW and tokens >= ROW_TOKENS[p.row + 1] + ROW_TOKENS[p.row + 2]:
            return False
    kinds = {code & 31 for code in bonuses}
    if kinds & {SIDE, MARKER}:
        return False
    if not p.hand and not (kinds & {EMPEROR_CARD} or (DRAW in kinds and (p.deck or p.discard))):
        return True
    total, brown, _ = SPACE_COSTS[len(p.stacks)] or (0, 0, 1)
    leaves = sum(p.leaves) + sum(reward_parts(code)[1] for code in bonuses if code & 31 == LEAVES)
    return leaves < total or (brown > sum(p.leaves[BASKETS:]) and FERMENT not in kinds)
