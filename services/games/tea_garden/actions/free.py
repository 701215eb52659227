"""Free actions: the emperor track and the cups (TG-601 to TG-603). May one be taken now (TG-304)? `lookahead.py`."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import can_pay
from services.games.tea_garden.actions.handlers import after_paying, demand, does, tell
from services.games.tea_garden.actions.payment import request
from services.games.tea_garden.actions.rewards import begin, grant, possible, settle
from services.games.tea_garden.components import (
    DRAW,
    DRAW_DISCARD,
    ROW_COST,
    ROW_REWARD,
    ROW_TOKENS,
    TILE_BONUS,
    TOP_ROW,
)
from services.games.tea_garden.state import OPEN, PAY_STEP, TURN_START, Player, State
from teahouse.games.tea_garden.v1 import structs as do


def list_free(s: State, p: Player) -> list[Any]:
    actions: list[Any] = [catalogue.STEP] if can_step(p) else []
    for row, markers in enumerate(p.markers):
        if any(markers):
            actions += list_markers(p, row, markers)
    return actions


def list_markers(p: Player, row: int, markers: list[int]) -> list[Any]:
    tiles = p.cups[row]
    return [
        catalogue.use_marker(row, link, tile)
        for link, count in enumerate(markers)
        if count
        for tile in (tiles[link], tiles[link + 1])
    ]


def can_step(p: Player) -> bool:
    above = p.row + 1
    return above <= TOP_ROW and p.tokens >= ROW_TOKENS[above] and can_pay(p.leaves, ROW_COST[above])


def free_moment(s: State) -> None:
    """Free actions stand between two steps of a turn, never inside one (RU-60)."""
    demand(s.question in (TURN_START, OPEN), "first finish what you are doing")
    s.freed |= s.question == TURN_START


@does(do.StepEmperor)
def step_emperor(s: State, p: Player, action: do.StepEmperor, story: Story) -> None:
    demand(can_step(p), "you lack the tokens or the leaf for the next row")
    free_moment(s)
    p.tokens -= ROW_TOKENS[p.row + 1]
    request(s, p, [ROW_COST[p.row + 1]], PAY_STEP, story)


@after_paying(PAY_STEP)
def climb(s: State, p: Player, story: Story) -> None:
    p.row += 1
    if story is not None:
        tell(story, do.EmperorStepped(s.seat, p.row))
    grant(s, p, ROW_REWARD[p.row], story)
    settle(s, p, story)


@does(do.UseMarker)
def use_marker(s: State, p: Player, action: do.UseMarker, story: Story) -> None:
    row, link = action.row - 1, action.link - 1
    demand(0 <= row < len(p.markers) and 0 <= link < len(p.markers[row]), "you have no such link")
    demand(p.markers[row][link], "there is no marker on this link")
    tile = next((tile for tile in p.cups[row][link : link + 2] if catalogue.use_marker(row, link, tile) == action), -1)
    demand(tile >= 0, "this tile is not part of the link")
    free_moment(s)
    p.markers[row][link] -= 1
    if story is not None:
        tell(story, do.MarkerUsed(s.seat, action.row, action.link, action.tile))
    gain_chosen(s, p, TILE_BONUS[tile], story)


def gain_chosen(s: State, p: Player, rewards: tuple[int, ...], story: Story) -> None:
    """Gains what the player has just asked for: a draw is not offered a second time."""
    grant(s, p, rewards, story)
    asked = len(rewards) == 1 and rewards[0] & 31 in (DRAW, DRAW_DISCARD) and possible(s, p, rewards[0])
    if not (asked and begin(s, p, rewards[0], story)):
        settle(s, p, story)
