"""Side actions: the river, cups, research; and doing one again (TG-501 to TG-523, TG-604)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import can_pay_repeat
from services.games.tea_garden.actions.handlers import after_paying, demand, does, lists, tell
from services.games.tea_garden.actions.payment import request
from services.games.tea_garden.actions.rewards import can_repeat, grant, put_marker, settle
from services.games.tea_garden.components import (
    ANY_SIDE,
    CARD_SIDES,
    CUPS,
    PART_IDS,
    PART_REWARD,
    PROVINCES,
    REPEAT_COST,
    REPEAT_SCROLL,
    RESEARCH,
    RIVER,
    RIVER_END,
    RIVER_REWARD,
    SECTOR_PARTS,
    SECTORS,
    SIDES,
    TILE_IDS,
    TILE_LEFT,
    TILE_RIGHT,
)
from services.games.tea_garden.state import CHOOSE_SIDE, OPEN, PAY_REPEAT, PLACE_CUP, REPEAT, Player, State
from teahouse.games.tea_garden.v1 import structs as do

REPEATED = 0  # `subject` while choosing a side action that was paid for; -1 if it is a reward


def list_side(s: State, p: Player, side: int) -> list[Any]:
    """The ways to carry out a side action."""
    if side == RIVER:
        return [catalogue.SAIL] if p.boat < RIVER_END else []
    if side == CUPS:
        return [
            catalogue.MAKE_CUP[province]
            for province, stack in enumerate(s.cup_stacks)
            if stack and p.provinces >> province & 1
        ]
    return [catalogue.RESEARCH[part] for part in SECTOR_PARTS[p.sector % SECTORS + 1]]


def offered_sides(s: State, p: Player) -> tuple[int, ...]:
    """The kinds of side action open to the player now."""
    if s.question == OPEN:
        return () if s.side_used else CARD_SIDES[p.stacks[-1][-1]]
    if s.question == CHOOSE_SIDE:
        return (RIVER, CUPS, RESEARCH) if s.option == ANY_SIDE else (s.option,)
    return ()


@lists(CHOOSE_SIDE)
def list_sides(s: State, p: Player) -> list[Any]:
    actions = [action for side in offered_sides(s, p) for action in list_side(s, p, side)]
    return actions if s.subject == REPEATED else [*actions, catalogue.DECLINE]


def use_right(s: State, p: Player, side: int) -> None:
    demand(side in offered_sides(s, p), "this side action is not open to you now")


@does(do.Sail)
def sail(s: State, p: Player, action: do.Sail, story: Story) -> None:
    use_right(s, p, RIVER)
    demand(p.boat < RIVER_END, "your boat is at the end of the river")
    s.side_used |= s.question == OPEN
    move_boat(s, p, s.seat, story)
    grant(s, p, RIVER_REWARD[p.boat], story, side=RIVER)
    settle(s, p, story)


def move_boat(s: State, p: Player, seat: int, story: Story) -> None:
    p.boat += 1
    if p.boat == RIVER_END:
        p.spot = max(s.spots)  # TG-502
        s.spots.remove(p.spot)
    if story is not None:
        tell(story, do.Sailed(seat, p.boat, p.spot if p.boat == RIVER_END else None))


@does(do.MakeCup)
def make_cup(s: State, p: Player, action: do.MakeCup, story: Story) -> None:
    use_right(s, p, CUPS)
    demand(action.province in PROVINCES, "there is no such province")
    province = PROVINCES.index(action.province)
    demand(p.provinces >> province & 1, "you have no garden in that province")
    demand(s.cup_stacks[province], "that stack is used up")
    s.side_used |= s.question == OPEN
    s.subject = take_tile(s, s.seat, province, story)
    if p.cups:
        s.question = PLACE_CUP
    else:
        put_cup(s, p, 0, "right", story)


def take_tile(s: State, seat: int, province: int, story: Story) -> int:
    stack = s.cup_stacks[province]
    tile = stack.pop()
    if story is not None:
        tell(story, do.CupTaken(seat, TILE_IDS[tile], PROVINCES[province]))
        tell(story, do.Revealed("cups", province + 1, TILE_IDS[stack[-1]] if stack else ""), reveals=True)
    return tile


@lists(PLACE_CUP)
def list_places(s: State, p: Player) -> list[Any]:
    ends = [catalogue.place_cup(row, end) for row in range(1, len(p.cups) + 1) for end in ("left", "right")]
    return [catalogue.place_cup(0, "right"), *ends]


@does(do.PlaceCup)
def place_cup(s: State, p: Player, action: do.PlaceCup, story: Story) -> None:
    demand(s.question == PLACE_CUP, "you have no cup tile to place")
    demand(0 <= action.row <= len(p.cups), "you have no such row")
    demand(action.end == "right" or (action.end == "left" and action.row), "a tile goes to the left or right end")
    put_cup(s, p, action.row, action.end, story)


def put_cup(s: State, p: Player, row: int, end: str, story: Story) -> None:
    """Places the tile taken; a new link gets a marker (TG-512, TG-513)."""
    link = join(s, p, s.seat, s.subject, row, end, story)
    if link is not None:
        put_marker(s, p, row - 1, link, story)
    s.frames.append([CUPS])
    settle(s, p, story)


def join(s: State, p: Player, seat: int, tile: int, row: int, end: str, story: Story) -> int | None:
    """Adds a tile to a row (0: a new one) and gives the number of the link it makes."""
    link, matched = None, False
    if not row:
        p.cups.append([tile])
        p.markers.append([])
        row = len(p.cups)
    elif end == "left":
        matched = TILE_RIGHT[tile] == TILE_LEFT[p.cups[row - 1][0]]
        p.cups[row - 1].insert(0, tile)
        p.markers[row - 1].insert(0, 0)
        link = 0
    else:
        matched = TILE_RIGHT[p.cups[row - 1][-1]] == TILE_LEFT[tile]
        p.cups[row - 1].append(tile)
        p.markers[row - 1].append(0)
        link = len(p.markers[row - 1]) - 1
    if story is not None:
        tell(story, do.CupPlaced(seat, TILE_IDS[tile], row, end, matched))
    return link


@does(do.Research)
def research(s: State, p: Player, action: do.Research, story: Story) -> None:
    use_right(s, p, RESEARCH)
    parts = SECTOR_PARTS[p.sector % SECTORS + 1]
    demand(action.part in PART_IDS, "there is no such part of the University")
    part = PART_IDS.index(action.part)
    demand(part in parts, "your worker does not reach this part")
    s.side_used |= s.question == OPEN
    move_worker(p, s.seat, part, story)
    grant(s, p, PART_REWARD[part], story, side=RESEARCH)
    settle(s, p, story)


def move_worker(p: Player, seat: int, part: int, story: Story) -> None:
    """To the next sector; `part` is -1 for Lu Yu, to whom it does not matter."""
    centre = p.sector == SECTORS and p.workers > 0  # TG-522
    if centre:
        p.workers -= 1
        p.centre += 1
    p.sector = p.sector % SECTORS + 1
    p.part = part
    if story is not None:
        tell(story, do.Researched(seat, p.sector, PART_IDS[part] if part >= 0 else "", centre))


@lists(REPEAT)
def list_repeats(s: State, p: Player) -> list[Any]:
    ways: list[Any] = [catalogue.DECLINE]
    if p.scrolls[REPEAT_SCROLL]:
        ways.append(catalogue.REPEAT_BY_SCROLL)
    if can_pay_repeat(p):
        ways.append(catalogue.REPEAT_BY_LEAVES)
    return ways


@does(do.RepeatSide)
def repeat_side(s: State, p: Player, action: do.RepeatSide, story: Story) -> None:
    demand(s.question == REPEAT and can_repeat(s, p, s.frames[-1][0]), "no side action can be repeated now")
    if action.by == "scroll":
        demand(p.scrolls[REPEAT_SCROLL], "you have no repeat scroll")
    else:
        demand(action.by == "fermented", "a repeat costs a scroll or fermented leaves")
        demand(can_pay_repeat(p), "you have too few fermented leaves")
    s.repeated = True
    s.option = s.frames.pop()[0]
    if story is not None:
        tell(story, do.SideRepeated(s.seat, SIDES[s.option], action.by))
    if action.by == "scroll":
        p.scrolls[REPEAT_SCROLL] -= 1
        do_again(s, p, story)
    else:
        request(s, p, [REPEAT_COST], PAY_REPEAT, story)


@after_paying(PAY_REPEAT)
def do_again(s: State, p: Player, story: Story) -> None:
    s.subject, s.question = REPEATED, CHOOSE_SIDE
    if s.option == RIVER:
        sail(s, p, catalogue.SAIL, story)
