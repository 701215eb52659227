"""The court board in the words of the contract: all of it is open but the order of its piles."""

from services.games.tea_garden.components import members
from services.games.tea_garden.pu_erh.components import (
    CAKE,
    DECREE_IDS,
    DECREE_KIND,
    DECREE_KINDS,
    DECREE_NEED,
    DECREE_SIDE,
    DECREE_VP,
    HALL_IDS,
    HALL_SPACES,
    PU_ERH_IDS,
)
from services.games.tea_garden.state import Player, State
from teahouse.games.tea_garden.v1 import structs as show


def court_view(s: State) -> show.PuErhView:
    court = s.court
    return show.PuErhView(
        halls=[
            show.HallView(HALL_IDS[hall], list(map(show.HallSpaceView, HALL_SPACES, seats)))
            for hall, seats in zip(court.halls, court.spaces, strict=True)
        ],
        hall_deck=len(court.hall_deck),
        past_halls=[HALL_IDS[hall] for hall in court.past_halls],
        basic_row=[token_name(token) for token in court.basic_row],
        basic_pile=len(court.basic_deck),
        premium_row=[token_name(token) for token in court.premium_row],
        premium_pile=len(court.premium_deck),
        decrees=[decree_view(s, place) for place in range(len(court.decrees))],
        players=[player_view(p) for p in s.players],
        purchases=court.purchases,
        young_sets=[number + 1 for number in members(court.young)],
    )


def token_name(token: int) -> str:
    return PU_ERH_IDS[token] if token >= 0 else ""


def decree_view(s: State, place: int) -> show.DecreeView:
    decree = s.court.decrees[place]
    return show.DecreeView(
        decree=DECREE_IDS[decree],
        side=DECREE_SIDE[decree],
        kind=DECREE_KINDS[DECREE_KIND[decree]],
        need=DECREE_NEED[decree],
        spaces=list(map(show.HonourView, DECREE_VP[decree], s.court.honours[place])),
        beside=s.court.beside[place].copy(),
    )


def player_view(p: Player) -> show.PuErhPlayerView:
    sets = [show.PuErhSetView([PU_ERH_IDS[token] for token in own], len(own) == CAKE) for own in p.sets]
    return show.PuErhPlayerView(p.messengers, p.waiting, sets)
