"""What a player might reach by free actions at best: who cannot lay cards even so need not be looked at further."""

from collections.abc import Iterable

from services.games.tea_garden.components import (
    BASIC_TOKEN,
    BASKETS,
    DRAW,
    DRAW_DISCARD,
    EMPEROR_CARD,
    FERMENT,
    GAIN_STRENGTH,
    GAIN_TEAPOT,
    HARVEST_EACH,
    LEAVES,
    MARKER,
    PART_REWARD,
    REMOVE,
    REPEAT_COST,
    RIVER_END,
    RIVER_REWARD,
    ROW_COST,
    ROW_REWARD,
    ROW_TOKENS,
    SECTOR_PARTS,
    SECTORS,
    SIDE,
    SPACE_COSTS,
    TILE_BONUS,
    TOKEN,
    TOP_ROW,
    VP,
    reward_parts,
)
from services.games.tea_garden.state import Player, State

# Bonuses that bring nothing to lay or to pay with, nor anything that leads to it: who draws and discards has as many
# cards as before.
OF_NO_HELP = (VP, GAIN_STRENGTH, GAIN_TEAPOT, REMOVE, DRAW_DISCARD)
HELPFUL = tuple(tuple(code for code in bonus if code & 31 not in OF_NO_HELP) for bonus in TILE_BONUS)


def any_of(kinds: tuple[int, ...], *tables: tuple[tuple[int, ...], ...]) -> bool:
    return any(code & 31 in kinds for table in tables for reward in table for code in reward)


# Whether the figures of the data files are such that what is proven here and in lookahead.py holds: only rows ask for
# leaves of a quality, and then in any state; bonuses do not lead to one another without end. If not, nothing is left
# out.
PROVEN = not (
    any(quality > 1 for _, _, quality in filter(None, (*SPACE_COSTS, REPEAT_COST)))
    or any(brown for _, brown, _ in ROW_COST)
    or any_of((MARKER, SIDE), TILE_BONUS)
    or any_of((SIDE,), RIVER_REWARD, PART_REWARD)
    or any_of((BASIC_TOKEN,), TILE_BONUS, RIVER_REWARD, PART_REWARD, ROW_REWARD)
)


def outlook(s: State, p: Player) -> int:
    """The highest row to which it may help to climb, or -1 if no chain of free actions leads to the laying of cards.

    Proof: in `Reach` every marker brings each of its bonuses, a side action those of every kind, and only the leaves
    for the rows are paid. A real chain ends on some row; up to that row it gains no more and pays no less.
    """
    if not PROVEN:
        return TOP_ROW
    highest = -1
    reach = Reach(s, p)
    while True:
        if reach.suffices():
            highest = reach.row
        if not reach.climb():
            return highest


class Reach:
    """What the player would have if every bonus could be gained."""

    def __init__(self, s: State, p: Player) -> None:
        self.s, self.p = s, p
        self.row, self.tokens, self.card = p.row, p.tokens, bool(p.hand)
        self.leaves, self.fermented = sum(p.leaves), sum(p.leaves[BASKETS:])
        self.best = max((kind % BASKETS + 1 for kind, count in enumerate(p.leaves) if count), default=0)
        self.sides = self.markers = 0  # side actions, and markers that they and other rewards put on links
        self.linked = {tile for row in p.cups if len(row) > 1 for tile in row}
        for tiles, markers in zip(p.cups, p.markers, strict=True):
            for link, count in enumerate(markers):
                if count:
                    for tile in {*tiles[link : link + 2]}:
                        self.gain(HELPFUL[tile] * count)

    def suffices(self) -> bool:
        total, brown, _ = SPACE_COSTS[len(self.p.stacks)] or (0, 0, 1)
        return self.card and self.leaves >= total and self.fermented >= brown

    def climb(self) -> bool:
        above = self.row + 1
        if above > TOP_ROW or self.tokens < ROW_TOKENS[above] or self.best < ROW_COST[above][2]:
            return False
        self.row = above
        self.tokens -= ROW_TOKENS[above]
        self.leaves -= ROW_COST[above][0]
        self.gain(ROW_REWARD[above])
        return True

    def gain(self, reward: Iterable[int]) -> None:
        for code in reward:
            kind, amount, detail = reward_parts(code)
            if kind == TOKEN:
                self.tokens += amount
            elif kind == LEAVES:
                self.leaves += amount
                self.best = max(self.best, detail)
            elif kind == HARVEST_EACH:
                self.leaves += amount * len(self.p.gardens)
                self.best = BASKETS
            elif kind == FERMENT:
                self.fermented += amount
            elif kind == EMPEROR_CARD:
                self.card |= max(self.s.emperor_row) >= 0
            elif kind == DRAW:
                self.card |= bool(self.p.deck or self.p.discard)
            elif kind == MARKER:
                self.mark()
            elif kind == SIDE:
                self.act()

    def mark(self) -> None:
        self.markers += 1
        for tile in self.linked:
            self.gain(HELPFUL[tile])

    def act(self) -> None:
        """Every kind of side action; with the first of them also its repeat, whatever that costs (TG-604)."""
        if not self.sides:
            self.link_all()
        for number in range(self.sides, max(2, self.sides + 1)):
            self.sides += 1
            self.mark()
            if self.p.boat + number < RIVER_END:
                self.gain(RIVER_REWARD[self.p.boat + number + 1])
            for part in SECTOR_PARTS[(self.p.sector + number) % SECTORS + 1]:
                self.gain(PART_REWARD[part])

    def link_all(self) -> None:
        """A side action may link any own tile and those that lie open; markers counted before may come to lie there."""
        stacks = [stack for province, stack in enumerate(self.s.cup_stacks) if self.p.provinces >> province & 1]
        tiles = {tile for row in self.p.cups for tile in row} | {stack[-1] for stack in stacks if stack}
        for tile in tiles - self.linked:
            self.gain(HELPFUL[tile] * self.markers)
        self.linked |= tiles
