"""Main actions: ferment and extra harvest; and the reward that ferments leaves (TG-431, TG-441, TG-706)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.handlers import demand, does, lists, tell
from services.games.tea_garden.actions.main import declare, spend_strength, total_strength
from services.games.tea_garden.actions.rewards import settle
from services.games.tea_garden.components import (
    BASKETS,
    EXTRA_HARVEST_LEAVES,
    REGION_IDS,
    REGION_NUMBERS,
    REGION_VALUE,
    STRENGTH_SCROLL,
)
from services.games.tea_garden.state import FERMENTING, HARVESTING, Player, State
from teahouse.games.tea_garden.v1 import structs as do

# `option` while fermenting: for a reward, for the main action before its first leaf, and after it.
REWARD, FIRST_LEAF, MORE_LEAVES = range(3)


# Ferment: the main action, and the reward that works alike. Leaves are chosen from the highest basket down.


@does(do.Ferment)
def ferment(s: State, p: Player, action: do.Ferment, story: Story) -> None:
    declare(s)
    demand(any(p.leaves[:BASKETS]), "you have no fresh leaf")
    demand(total_strength(s, p), "you have no strength")
    s.main_used = True
    s.left, s.option, s.reached, s.question = s.strength, FIRST_LEAF, BASKETS, FERMENTING


@lists(FERMENTING)
def list_fermenting(s: State, p: Player) -> list[Any]:
    actions: list[Any] = []
    if s.left:
        actions += [catalogue.FERMENT_LEAF[basket] for basket in range(min(s.reached + 1, BASKETS)) if p.leaves[basket]]
    elif s.option != REWARD and p.scrolls[STRENGTH_SCROLL]:
        actions.append(catalogue.ADD_STRENGTH)
    if s.option != FIRST_LEAF:
        actions.append(catalogue.DONE)
    return actions


@does(do.FermentLeaf)
def ferment_leaf(s: State, p: Player, action: do.FermentLeaf, story: Story) -> None:
    demand(s.question == FERMENTING and s.left, "no leaf may be fermented now")
    basket = action.quality - 1
    demand(0 <= basket < BASKETS and p.leaves[basket], "you have no such fresh leaf")
    demand(basket <= s.reached, "leaves are chosen from the highest basket down")
    p.leaves[basket] -= 1
    p.leaves[basket + BASKETS] += 1
    s.reached = basket
    if story is not None:
        tell(story, do.LeafFermented(s.seat, action.quality))
    s.left -= 1
    if s.option == FIRST_LEAF:
        s.option = MORE_LEAVES
    more = s.left or (s.option != REWARD and p.scrolls[STRENGTH_SCROLL])
    if not more or not any(p.leaves[: basket + 1]):
        settle(s, p, story)


@does(do.AddStrength)
def add_strength(s: State, p: Player, action: do.AddStrength, story: Story) -> None:
    fermenting = s.question == FERMENTING and s.option != REWARD
    demand(fermenting or s.question == HARVESTING, "strength adds nothing now")
    demand(not s.left, "you still have strength to use")
    demand(p.scrolls[STRENGTH_SCROLL], "you have no strength scroll")
    spend_strength(s, p, s.strength + 1, story)
    s.left += 1


# Extra harvest. Gardens are chosen in the order of their founding.


@does(do.Harvest)
def harvest(s: State, p: Player, action: do.Harvest, story: Story) -> None:
    declare(s)
    demand(total_strength(s, p), "you have no strength")
    s.main_used = True
    s.left, s.reached, s.question = s.strength, -1, HARVESTING
    if s.left >= len(p.gardens):
        for region in p.gardens:
            harvest_leaf(s, p, region, story)
        settle(s, p, story)


def harvest_leaf(s: State, p: Player, region: int, story: Story) -> None:
    s.left -= 1
    s.reached = p.gardens.index(region)
    p.leaves[REGION_VALUE[region] - 1] += EXTRA_HARVEST_LEAVES
    if story is not None:
        tell(story, do.GardenHarvested(s.seat, REGION_IDS[region], REGION_VALUE[region]))


@lists(HARVESTING)
def list_harvesting(s: State, p: Player) -> list[Any]:
    actions: list[Any] = []
    if s.left:
        actions += [catalogue.HARVEST_GARDEN[region] for region in p.gardens[s.reached + 1 :]]
    elif p.scrolls[STRENGTH_SCROLL]:
        actions.append(catalogue.ADD_STRENGTH)
    if s.reached >= 0:
        actions.append(catalogue.DONE)
    return actions


@does(do.HarvestGarden)
def harvest_garden(s: State, p: Player, action: do.HarvestGarden, story: Story) -> None:
    demand(s.question == HARVESTING and s.left, "no garden may be harvested now")
    region = REGION_NUMBERS.get(action.region, -1)
    demand(region in p.gardens, "you have no garden there")
    demand(p.gardens.index(region) > s.reached, "gardens are chosen in the order of their founding, each once")
    harvest_leaf(s, p, region, story)
    if region == p.gardens[-1] or not (s.left or p.scrolls[STRENGTH_SCROLL]):
        settle(s, p, story)
