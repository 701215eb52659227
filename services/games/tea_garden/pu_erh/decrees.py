"""Decrees: who fulfils them, and what it brings (PE-311 to PE-314)."""

from services.engine.game import Story
from services.games.tea_garden.actions.handlers import tell
from services.games.tea_garden.pu_erh.components import (
    CAKE,
    DECREE_IDS,
    DECREE_KIND,
    DECREE_KINDS,
    DECREE_NEED,
    DECREE_VP,
)
from services.games.tea_garden.state import Player, State
from teahouse.games.tea_garden.v1 import structs as do

RIVER_SEGMENT, EMPEROR_ROW, CENTRE_WORKERS, GARDENS, CARAVANS, CUP_TILES, PU_ERH_CAKES = range(len(DECREE_KINDS))


def cakes(p: Player) -> int:
    """Complete cakes."""
    return sum(len(tokens) == CAKE for tokens in p.sets)


def progress(p: Player, kind: int) -> int:
    """How much a seat has of what a kind of decree counts (PE-313)."""
    if kind == RIVER_SEGMENT:
        return p.boat
    if kind == EMPEROR_ROW:
        return p.row
    if kind == CENTRE_WORKERS:
        return p.centre
    if kind == GARDENS:
        return len(p.gardens)
    if kind == CARAVANS:
        return len(p.caravans)
    return sum(map(len, p.cups)) if kind == CUP_TILES else cakes(p)


def newly_met(s: State, p: Player) -> int:
    """The place of a decree whose condition the seat meets and that it has not fulfilled yet, or -1."""
    for place, decree in enumerate(s.court.decrees):
        if not p.decrees >> place & 1 and progress(p, DECREE_KIND[decree]) >= DECREE_NEED[decree]:
            return place
    return -1


def free_honours(s: State, place: int) -> list[int]:
    """The free spaces of a decree, the one with most points first."""
    points = DECREE_VP[s.court.decrees[place]]
    free = [space for space, seat in enumerate(s.court.honours[place]) if seat < 0]
    return sorted(free, key=lambda space: -points[space])


def fulfil(s: State, seat: int, place: int, space: int, story: Story) -> None:
    """A worker goes to the space, or beside the spaces if it is -1; a waiting messenger comes."""
    court, p = s.court, s.players[seat]
    decree = court.decrees[place]
    p.decrees |= 1 << place
    if space >= 0:
        court.honours[place][space] = seat
    else:
        court.beside[place].append(seat)
    messenger = p.waiting > 0
    p.waiting -= messenger
    p.messengers += messenger
    if story is not None:
        points = DECREE_VP[decree][space] if space >= 0 else 0
        tell(story, do.DecreeFulfilled(seat, DECREE_IDS[decree], points, messenger))


def settle_decrees(s: State, p: Player, seat: int, ask: bool, story: Story) -> int:
    """Fulfils what the seat newly meets. Stops at a decree whose space is to be chosen and gives its place, or -1.

    Who is not asked takes the best space (LY-207).
    """
    while (place := newly_met(s, p)) >= 0:
        free = free_honours(s, place)
        if ask and len(free) > 1:
            return place
        fulfil(s, seat, place, free[0] if free else -1, story)
    return -1


def decree_points(s: State, seat: int) -> int:
    """PE-402."""
    return sum(
        points
        for decree, honours in zip(s.court.decrees, s.court.honours, strict=True)
        for points, holder in zip(DECREE_VP[decree], honours, strict=True)
        if holder == seat
    )
