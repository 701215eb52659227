"""Main actions: found a tea garden, buy an action card, sell tea to a caravan (TG-401 to TG-423)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.costs import can_afford_card, can_pay, coverable, missing_teapots
from services.games.tea_garden.actions.handlers import after_paying, demand, does, lists, main_action, tell
from services.games.tea_garden.actions.payment import request
from services.games.tea_garden.actions.rewards import gain, grant, settle
from services.games.tea_garden.components import (
    BASKETS,
    CARAVAN_IDS,
    CARAVAN_NUMBERS,
    CARAVAN_STRENGTHS,
    CARAVAN_TRADES,
    CARD_COST,
    CARD_IDS,
    CARD_NUMBERS,
    COLUMNS,
    FAR,
    FAR_EXTRA,
    NEAR,
    REGION_IDS,
    REGION_NUMBERS,
    REGION_PROVINCE,
    REGION_SPACES,
    STRENGTH_SCROLL,
    TEAPOT_BY,
    TEAPOT_SCROLL,
    TOKEN_REWARD,
    VP,
    reward_code,
)
from services.games.tea_garden.state import COVER, OPEN, PAGODA, PAY_CARAVAN, PAY_CARD, SPACE, Player, State
from teahouse.games.tea_garden.v1 import structs as do


@main_action
def list_main(s: State, p: Player) -> list[Any]:
    strength = s.strength + p.scrolls[STRENGTH_SCROLL]
    actions: list[Any] = list(catalogue.found_in(garden_regions(s, p, strength)))
    for column, card in enumerate(s.action_row):
        if COLUMNS[column] <= strength and can_afford_card(p, card, CARD_COST[card]):
            actions.append(catalogue.BUY[card])
    for caravan in s.caravan_row:
        if caravan >= 0:
            actions += list_sales(p, caravan, strength)
    if strength:
        if any(p.leaves[:BASKETS]):
            actions.append(catalogue.FERMENT)
        actions.append(catalogue.HARVEST)
    return actions


def list_sales(p: Player, caravan: int, strength: int) -> list[Any]:
    fits = [option for option in (0, 1) if CARAVAN_STRENGTHS[caravan][option][0] <= strength]
    return [
        catalogue.SELL_TEA[caravan][trade][option]
        for trade in (0, 1)
        if fits and can_pay(p.leaves, CARAVAN_TRADES[caravan][trade][0])
        for option in fits
    ]


def declare(s: State) -> None:
    demand(s.question == OPEN, "this is not the moment for a main action")
    demand(not s.main_used, "you have already used your main action in this turn")


def spend_strength(s: State, p: Player, needed: int, story: Story) -> None:
    """Spends as many strength scrolls as are missing (TG-307)."""
    while s.strength < needed:
        s.strength += 1
        p.scrolls[STRENGTH_SCROLL] -= 1
        if story is not None:
            tell(story, do.ScrollSpent(s.seat, "strength"))


def total_strength(s: State, p: Player) -> int:
    return s.strength + p.scrolls[STRENGTH_SCROLL]


# Found a tea garden.


def garden_regions(s: State, p: Player, strength: int) -> int:
    """Where a garden can be founded with that strength (TG-401, TG-402)."""
    if not p.pagodas or p.pagodas[0] > strength:
        return 0
    within = p.far if p.pagodas[0] + FAR_EXTRA <= strength else p.near
    return within & s.room & ~p.own


def pagodas_for(s: State, p: Player, region: int) -> list[int]:
    most = total_strength(s, p) - extra_strength(p, region)
    return sorted({pagoda for pagoda in p.pagodas if pagoda <= most})


def extra_strength(p: Player, region: int) -> int:
    return 0 if p.near >> region & 1 else FAR_EXTRA


@does(do.Found)
def found(s: State, p: Player, action: do.Found, story: Story) -> None:
    declare(s)
    region = REGION_NUMBERS.get(action.region, -1)
    demand(region >= 0, "there is no such region")
    demand(garden_regions(s, p, total_strength(s, p)) >> region & 1, "you cannot found a garden there")
    s.main_used = True
    s.subject = region
    fitting = pagodas_for(s, p, region)
    if len(fitting) > 1:
        s.question = PAGODA
    else:
        take_pagoda(s, p, fitting[0], story)


def scrolls_for(s: State, p: Player, pagoda: int) -> int:
    return max(0, pagoda + extra_strength(p, s.subject) - s.strength)


@lists(PAGODA)
def list_pagodas(s: State, p: Player) -> list[Any]:
    return [catalogue.use_pagoda(pagoda, scrolls_for(s, p, pagoda)) for pagoda in pagodas_for(s, p, s.subject)]


@does(do.UsePagoda)
def use_pagoda(s: State, p: Player, action: do.UsePagoda, story: Story) -> None:
    demand(s.question == PAGODA, "no pagoda is asked for")
    demand(action.strength in pagodas_for(s, p, s.subject), "this pagoda needs more strength or is not on your board")
    demand(action.scrolls == scrolls_for(s, p, action.strength), "that is not the number of scrolls it needs")
    take_pagoda(s, p, action.strength, story)


def take_pagoda(s: State, p: Player, pagoda: int, story: Story) -> None:
    spend_strength(s, p, pagoda + extra_strength(p, s.subject), story)
    s.option = pagoda
    different = free_spaces(s, s.subject)
    if len(different) > 1:
        s.question = SPACE
    else:
        put_garden(s, p, different[0], story)


def free_spaces(s: State, region: int) -> list[int]:
    """The free spaces of a region, the first of each number of points."""
    points = REGION_SPACES[region]
    found: dict[int, int] = {}
    for space, seat in enumerate(s.spaces[region]):
        if seat < 0:
            found.setdefault(points[space], space)
    return sorted(found.values())


@lists(SPACE)
def list_spaces(s: State, p: Player) -> list[Any]:
    return [catalogue.CHOOSE_SPACE[space] for space in free_spaces(s, s.subject)]


@does(do.ChooseSpace)
def choose_space(s: State, p: Player, action: do.ChooseSpace, story: Story) -> None:
    demand(s.question == SPACE, "no space is asked for")
    demand(action.space - 1 in free_spaces(s, s.subject), "this space is not free")
    put_garden(s, p, action.space - 1, story)


def put_garden(s: State, p: Player, space: int, story: Story) -> None:
    region = s.subject
    p.pagodas.remove(s.option)
    occupy(s, p, s.seat, region, space)
    if story is not None:
        tell(story, do.Founded(s.seat, REGION_IDS[region], space + 1, s.option))
    points = REGION_SPACES[region][space]
    if points:
        gain(s, p, reward_code(VP, points), story)
    if s.tokens[region] >= 0:
        grant(s, p, TOKEN_REWARD[s.tokens[region]], story)
    settle(s, p, story)


def occupy(s: State, p: Player, seat: int, region: int, space: int) -> None:
    s.spaces[region][space] = seat
    if -1 not in s.spaces[region]:
        s.room &= ~(1 << region)
    p.gardens.append(region)
    p.own |= 1 << region
    p.near |= NEAR[region]
    p.far |= FAR[region]
    p.provinces |= 1 << REGION_PROVINCE[region]


# Buy an action card.


@does(do.Buy)
def buy(s: State, p: Player, action: do.Buy, story: Story) -> None:
    declare(s)
    card = CARD_NUMBERS.get(action.card, -1)
    demand(card in s.action_row, "this card is not in the row")
    column = s.action_row.index(card)
    demand(COLUMNS[column] <= total_strength(s, p), "you need more strength for this column")
    demand(can_afford_card(p, card, CARD_COST[card]), "you cannot pay this card")
    s.main_used = True
    spend_strength(s, p, COLUMNS[column], story)
    s.subject = card
    s.due = [CARD_COST[card]]
    s.left = missing_teapots(card, p.teapots)
    cover_rest(s, p, story)


def cover_rest(s: State, p: Player, story: Story) -> None:
    while s.left:
        ways = ways_to_cover(s, p)
        if len(ways) > 1:
            s.question = COVER
            return
        cover(s, p, ways[0], story)
    request(s, p, s.due, PAY_CARD, story)


def ways_to_cover(s: State, p: Player) -> list[str]:
    scrolls = p.scrolls[TEAPOT_SCROLL]
    ways = ["scroll"] if scrolls else []
    ways += [by for by, cost in TEAPOT_BY.items() if coverable(p, [*s.due, cost], s.left - 1, scrolls)]
    return ways


def cover(s: State, p: Player, by: str, story: Story) -> None:
    s.left -= 1
    if by == "scroll":
        p.scrolls[TEAPOT_SCROLL] -= 1
    else:
        s.due = [*s.due, TEAPOT_BY[by]]
    if story is not None:
        tell(story, do.TeapotCovered(s.seat, by))


@lists(COVER)
def list_covers(s: State, p: Player) -> list[Any]:
    return [catalogue.COVER[by] for by in ways_to_cover(s, p)]


@does(do.CoverTeapot)
def cover_teapot(s: State, p: Player, action: do.CoverTeapot, story: Story) -> None:
    demand(s.question == COVER, "no teapot is missing")
    demand(action.by in ways_to_cover(s, p), "you cannot cover the teapot in this way")
    cover(s, p, action.by, story)
    cover_rest(s, p, story)


@after_paying(PAY_CARD)
def take_card(s: State, p: Player, story: Story) -> None:
    p.hand.append(s.subject)
    column = s.action_row.index(s.subject)
    if story is not None:
        tell(story, do.Bought(s.seat, CARD_IDS[s.subject], column + 1))
    slide_action_row(s, column, story)
    settle(s, p, story)


def slide_action_row(s: State, column: int, story: Story) -> None:
    """Closes the gap and deals a new card to the last column (TG-415, TG-954)."""
    del s.action_row[column]
    if s.action_deck:
        s.action_row.append(s.action_deck.pop())
        if story is not None:
            tell(story, do.Revealed("action", len(s.action_row), CARD_IDS[s.action_row[-1]]), reveals=True)


# Sell tea to a caravan.


@does(do.SellTea)
def sell_tea(s: State, p: Player, action: do.SellTea, story: Story) -> None:
    declare(s)
    caravan = CARAVAN_NUMBERS.get(action.caravan, -1)
    demand(caravan >= 0 and caravan in s.caravan_row, "this caravan is not on offer")
    demand(action in list_sales(p, caravan, total_strength(s, p)), "you lack the leaves or the strength for it")
    s.main_used = True
    spend_strength(s, p, CARAVAN_STRENGTHS[caravan][action.strength - 1][0], story)
    s.subject = caravan
    s.option = 2 * (action.trade - 1) + action.strength - 1
    request(s, p, [CARAVAN_TRADES[caravan][action.trade - 1][0]], PAY_CARAVAN, story)


@after_paying(PAY_CARAVAN)
def take_caravan(s: State, p: Player, story: Story) -> None:
    caravan, (trade, strength) = s.subject, divmod(s.option, 2)
    p.caravans.append(caravan)
    if story is not None:
        tell(story, do.CaravanSold(s.seat, CARAVAN_IDS[caravan], trade + 1, strength + 1))
    refill_caravan(s, s.caravan_row.index(caravan), story)
    grant(s, p, CARAVAN_TRADES[caravan][trade][1] + CARAVAN_STRENGTHS[caravan][strength][1], story)
    settle(s, p, story)


def refill_caravan(s: State, position: int, story: Story) -> None:
    caravan = s.caravan_row[position] = s.caravan_deck.pop() if s.caravan_deck else -1
    if story is not None:
        piece = CARAVAN_IDS[caravan] if caravan >= 0 else ""
        tell(story, do.Revealed("caravan", position + 1, piece), reveals=True)
