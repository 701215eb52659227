"""Every action that a list may hold, made once and used again."""

from functools import cache
from typing import Any

from services.games.tea_garden.components import (
    BASKETS,
    CARAVAN_IDS,
    CARD_IDS,
    KINDS_OF_LEAF,
    PART_IDS,
    PROVINCES,
    REGION_IDS,
    REWARDS,
    SCROLLS,
    SIDE,
    SIDES,
    TILE_IDS,
    members,
    reward_parts,
)
from services.games.tea_garden.pu_erh.components import DECREE_IDS, HALL_IDS, HALL_SPACES, PU_ERH_IDS
from teahouse.games.tea_garden.v1 import structs as do

PASS = do.PassRound()
DONE = do.Done()
DECLINE = do.Decline()
END_TURN = do.EndTurn()
FERMENT = do.Ferment()
HARVEST = do.Harvest()
ADD_STRENGTH = do.AddStrength()
SAIL = do.Sail()
STEP = do.StepEmperor()
LU_YU_TURN = do.LuYuTurn()
REPEAT_BY_SCROLL = do.RepeatSide("scroll")
REPEAT_BY_LEAVES = do.RepeatSide("fermented")


def leaf(kind: int) -> tuple[int, bool]:
    """Quality and state of a kind of leaf."""
    return kind % BASKETS + 1, kind >= BASKETS


LAY_TOP = tuple(map(do.LayTop, CARD_IDS))
LAY_UNDER = tuple(map(do.LayUnder, CARD_IDS))
DISCARD = tuple(map(do.DiscardCard, CARD_IDS))
BUY = tuple(map(do.Buy, CARD_IDS))
TAKE_EMPEROR = tuple(map(do.TakeEmperorCard, CARD_IDS))
PLACES = ("hand", "deck", "discard")
REMOVE = {place: tuple(do.RemoveCard(card, place) for card in CARD_IDS) for place in PLACES}
PAY = tuple(do.Pay(*leaf(kind)) for kind in range(KINDS_OF_LEAF))
SELL_LEAF = tuple(do.SellLeaf(*leaf(kind)) for kind in range(KINDS_OF_LEAF))
FERMENT_LEAF = tuple(do.FermentLeaf(quality) for quality in range(1, BASKETS + 1))
FOUND = tuple(map(do.Found, REGION_IDS))
HARVEST_GARDEN = tuple(map(do.HarvestGarden, REGION_IDS))
CHOOSE_SPACE = tuple(do.ChooseSpace(space) for space in range(1, 20))
COVER = {by: do.CoverTeapot(by) for by in ("scroll", "leaves", "fermented")}
SELL_TEA = tuple(
    tuple(tuple(do.SellTea(caravan, trade, strength) for strength in (1, 2)) for trade in (1, 2))
    for caravan in CARAVAN_IDS
)
MAKE_CUP = tuple(map(do.MakeCup, PROVINCES))
RESEARCH = tuple(map(do.Research, PART_IDS))
USE_EFFECT = tuple(do.UseEffect(effect) for effect in range(1, 10))
TAKE_SCROLL = tuple(map(do.TakeScroll, SCROLLS))
VISIT_COURT = tuple(tuple(do.VisitCourt(hall, strength) for strength in HALL_SPACES) for hall in HALL_IDS)
BUY_PU_ERH = tuple(map(do.BuyPuErh, PU_ERH_IDS))
TAKE_PU_ERH = tuple(map(do.TakePuErh, PU_ERH_IDS))


@cache
def place_cup(row: int, end: str) -> do.PlaceCup:
    return do.PlaceCup(row, end)


@cache
def use_marker(row: int, link: int, tile: int) -> do.UseMarker:
    return do.UseMarker(row + 1, link + 1, TILE_IDS[tile] if tile < len(TILE_IDS) else "?")


@cache
def mark_link(row: int, link: int) -> do.MarkLink:
    return do.MarkLink(row + 1, link + 1)


@cache
def use_pagoda(strength: int, scrolls: int) -> do.UsePagoda:
    return do.UsePagoda(strength, scrolls)


@cache
def visit_market(scrolls: int) -> do.VisitMarket:
    return do.VisitMarket(scrolls)


@cache
def place_token(number: int) -> do.PlacePuErh:
    return do.PlacePuErh(number)


@cache
def choose_honour(decree: int, space: int) -> do.ChooseHonour:
    return do.ChooseHonour(DECREE_IDS[decree], space + 1)


@cache
def resolve(code: int) -> do.Resolve:
    kind, amount, detail = reward_parts(code)
    return do.Resolve(REWARDS[kind], amount, SIDES[detail] if kind == SIDE else None)


@cache
def decline(code: int) -> do.Decline:
    kind, amount, _ = reward_parts(code)
    return do.Decline(REWARDS[kind], amount)


@cache
def found_in(regions: int) -> tuple[Any, ...]:
    """The actions that found a garden in a set of regions."""
    return tuple(FOUND[region] for region in members(regions))
