"""Upkeep after rounds 1 to 4, steps A to H (TG-801 to TG-808)."""

from services.engine.game import Story
from services.games.tea_garden.actions.handlers import tell
from services.games.tea_garden.actions.main import slide_action_row
from services.games.tea_garden.actions.rewards import draw
from services.games.tea_garden.components import BASKETS, CARD_IDS, DRAW_PER_ROUND, HARVEST_LEAVES, REGION_VALUE
from services.games.tea_garden.lu_yu.turn import lu_yu_upkeep
from services.games.tea_garden.state import Player, State
from teahouse.games.tea_garden.v1 import structs as do


def upkeep(s: State, story: Story) -> None:
    players = [(seat, p) for seat, p in enumerate(s.players) if s.lu_yu is None or seat != s.lu_yu.seat]
    s.round += 1  # A
    s.first = (s.first + 1) % len(s.players)  # B
    if s.action_row:  # C
        if story is not None:
            tell(story, do.Dismissed("action", 1, CARD_IDS[s.action_row[0]]))
        s.removed.append(s.action_row[0])
        slide_action_row(s, 0, story)
    for _, p in players:  # D
        clear_board(p)
    for _, p in players:  # E
        ripen(p)
    if story is not None:
        tell(story, do.Ripened(s.round - 1))
    for seat, p in players:  # F
        harvest(p, seat, story)
    for seat, p in players:  # G
        draw(s, p, seat, DRAW_PER_ROUND, story)
    if s.lu_yu is not None:
        lu_yu_upkeep(s, s.lu_yu, story)
    for p in s.players:  # H
        p.passed = False
    if story is not None:
        tell(story, do.RoundBegan(s.round, s.first))


def clear_board(p: Player) -> None:
    for stack in p.stacks:
        p.discard += stack
    p.stacks = []
    p.teapots = 0


def ripen(p: Player) -> None:
    """Fresh leaves go one basket down, fermented ones one basket up; the end baskets keep theirs."""
    fresh, fermented = p.leaves[:BASKETS], p.leaves[BASKETS:]
    fresh = [fresh[0] + fresh[1], *fresh[2:], 0]
    fermented = [0, *fermented[:-2], fermented[-2] + fermented[-1]]
    p.leaves = fresh + fermented


def harvest(p: Player, seat: int, story: Story) -> None:
    leaves = [0] * BASKETS
    for region in p.gardens:
        leaves[REGION_VALUE[region] - 1] += HARVEST_LEAVES
    for basket, count in enumerate(leaves):
        p.leaves[basket] += count
    if story is not None:
        tell(story, do.Harvested(seat, leaves))
