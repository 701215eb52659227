"""The imperial court: visits, the scoring of the halls, the spaces of decrees (PE-201, PE-202, PE-301 to PE-311)."""

from typing import Any

from services.engine.game import Story
from services.games.tea_garden.actions import catalogue
from services.games.tea_garden.actions.handlers import demand, does, lists, main_action, tell
from services.games.tea_garden.actions.main import declare, spend_strength, total_strength
from services.games.tea_garden.actions.rewards import grant, settle
from services.games.tea_garden.components import ROUNDS
from services.games.tea_garden.pu_erh.components import (
    DECREE_IDS,
    HALL_IDS,
    HALL_NUMBERS,
    HALL_REWARD,
    HALL_SPACES,
    HALL_VP,
)
from services.games.tea_garden.pu_erh.decrees import free_honours, fulfil
from services.games.tea_garden.state import DECREE_SPACE, Player, State
from teahouse.games.tea_garden.v1 import structs as do


@main_action
def list_visits(s: State, p: Player) -> list[Any]:
    """The free spaces in the halls that the player's strength reaches."""
    if not p.messengers:
        return []
    strength = total_strength(s, p)
    return [
        catalogue.VISIT_COURT[hall][space]
        for hall, seats in zip(s.court.halls, s.court.spaces, strict=True)
        for space, seat in enumerate(seats)
        if seat < 0 and HALL_SPACES[space] <= strength
    ]


@does(do.VisitCourt)
def visit_court(s: State, p: Player, action: do.VisitCourt, story: Story) -> None:
    declare(s)
    hall = HALL_NUMBERS.get(action.hall, -1)
    demand(hall in s.court.halls, "this hall is not open")
    demand(action.strength in HALL_SPACES, "there is no such space")
    place, space = s.court.halls.index(hall), HALL_SPACES.index(action.strength)
    demand(p.messengers, "you have no messenger to send")
    demand(s.court.spaces[place][space] < 0, "this space is taken")
    demand(action.strength <= total_strength(s, p), "you need more strength for this space")
    s.main_used = True
    spend_strength(s, p, action.strength, story)
    send_messenger(s, p, s.seat, place, space, story)
    grant(s, p, HALL_REWARD[hall], story)
    settle(s, p, story)


def send_messenger(s: State, p: Player, seat: int, place: int, space: int, story: Story) -> None:
    p.messengers -= 1
    s.court.spaces[place][space] = seat
    if story is not None:
        tell(story, do.CourtVisited(seat, HALL_IDS[s.court.halls[place]], HALL_SPACES[space]))


# Decrees.


@lists(DECREE_SPACE)
def list_honours(s: State, p: Player) -> list[Any]:
    decree = s.court.decrees[s.subject]
    return [catalogue.choose_honour(decree, space) for space in free_honours(s, s.subject)]


@does(do.ChooseHonour)
def choose_honour(s: State, p: Player, action: do.ChooseHonour, story: Story) -> None:
    demand(s.question == DECREE_SPACE, "you have no worker for a decree")
    demand(action.decree == DECREE_IDS[s.court.decrees[s.subject]], "another decree is meant")
    demand(action.space - 1 in free_honours(s, s.subject), "this space is not free")
    fulfil(s, s.seat, s.subject, action.space - 1, story)
    settle(s, p, story)


# The end of a round.


def hall_ranking(seats: list[int]) -> list[tuple[int, int, int]]:
    """The sum of the strengths, the highest of them and the seat, the best first (PE-301).

    No two seats stand on the same space, so that the highest one decides every tie.
    """
    strengths: dict[int, list[int]] = {}
    for space, seat in enumerate(seats):
        if seat >= 0:
            strengths.setdefault(seat, []).append(HALL_SPACES[space])
    return sorted(((sum(own), max(own), seat) for seat, own in strengths.items()), reverse=True)


def close_halls(s: State, story: Story) -> None:
    """Scores the halls and opens those of the next round (PE-301, PE-302)."""
    court = s.court
    if not court.halls:
        return
    for hall, seats in zip(court.halls, court.spaces, strict=True):
        for rank, ((strength, _, seat), points) in enumerate(zip(hall_ranking(seats), HALL_VP, strict=False), 1):
            s.players[seat].vp += points
            if story is not None:
                tell(story, do.HallScored(seat, HALL_IDS[hall], rank, strength, points))
        for seat in seats:
            if seat >= 0:
                s.players[seat].messengers += 1
    court.past_halls += court.halls
    shown = len(court.halls) if s.round < ROUNDS else 0
    court.halls = [court.hall_deck.pop() for _ in range(shown)]
    court.spaces = [[-1] * len(HALL_SPACES) for _ in range(shown)]
    if story is not None:
        tell(story, do.HallsClosed(s.round))
        for place, hall in enumerate(court.halls, 1):
            tell(story, do.Revealed("hall", place, HALL_IDS[hall]), reveals=True)
