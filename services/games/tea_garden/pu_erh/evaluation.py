"""What the court board promises a seat, for the bots: a part of `evaluation.evaluate`."""

from collections.abc import Callable

from services.games.tea_garden.actions.costs import affordable_tokens
from services.games.tea_garden.components import ROUNDS, Cost
from services.games.tea_garden.pu_erh.components import (
    CAKE,
    DECREE_KIND,
    DECREE_NEED,
    DECREE_VP,
    HALL_REWARD,
    HALL_SPACES,
    HALL_VP,
    POINTS,
    PU_ERH_BONUS,
    PU_ERH_PRICE,
    STARS,
)
from services.games.tea_garden.pu_erh.decrees import decree_points, progress
from services.games.tea_garden.pu_erh.halls import hall_ranking
from services.games.tea_garden.pu_erh.market import tokens_for
from services.games.tea_garden.scoring import cake_points
from services.games.tea_garden.state import DECREE_SPACE, MARKET, PAY_PU_ERH, PLACE_TOKEN, Player, State

Worth = Callable[[int], float]

HALL_HOLDS = 0.45  # how likely a rank in a hall holds until the end of the round …
HALL_STRENGTH = 0.07  # … and how much each point of strength there adds
# What a set with one or two tokens will bring of the cake that it may become, for each turn to come, and at most.
CAKE_PER_TURN = (0.0, 0.035, 0.08)
CAKE_AT_MOST = (0.0, 0.4, 0.75)
MISSING_STARS, MISSING_POINTS = 1.3, 1.5  # of each token that a set still lacks, well chosen
NEXT_SET = 0.8  # of each further incomplete set
DECREE_HOPE = 0.12  # for each round to come: how much of a decree its progress, squared, promises
MESSENGER = 0.8  # of one more messenger, for each round to come
TOKEN = 1.5  # of a Pu-erh token, and of each of its stars and points
STAR_OR_POINT = 1.2


def court_value(s: State, p: Player, seat: int, rounds: int, turns: float) -> float:
    court = s.court
    if not court.decrees:
        return 0.0
    value = float(decree_points(s, seat) + cake_points(p))
    value += MESSENGER * rounds * min(p.decrees.bit_count(), 2)
    value += sets_value(p, turns) + decrees_value(s, p, rounds)
    quiet = all(other.passed for other in s.players if other is not p)
    for seats in court.spaces:
        if seat in seats:
            value += hall_value(seats, seat, quiet)
    return value


def hall_value(seats: list[int], seat: int, quiet: bool) -> float:
    """The points of a seat's rank in a hall; `quiet` when nobody else can still come."""
    ranks = hall_ranking(seats)
    for (strength, _, own), points in zip(ranks, HALL_VP, strict=False):
        if own == seat:
            return points * (1.0 if quiet else min(1.0, HALL_HOLDS + HALL_STRENGTH * strength))
    return 0.0


def sets_value(p: Player, turns: float) -> float:
    """Incomplete sets, by the cakes that they may become."""
    promises = []
    for own in p.sets:
        missing = CAKE - len(own)
        if missing:
            stars = sum(STARS[token] for token in own) + missing * MISSING_STARS
            points = sum(POINTS[token] for token in own) + missing * MISSING_POINTS
            promises.append(stars * points * min(CAKE_AT_MOST[-missing], CAKE_PER_TURN[-missing] * turns))
    return sum(promise * NEXT_SET**number for number, promise in enumerate(sorted(promises, reverse=True)))


def decrees_value(s: State, p: Player, rounds: int) -> float:
    value = 0.0
    for place, decree in enumerate(s.court.decrees):
        if not p.decrees >> place & 1:
            done = min(1.0, progress(p, DECREE_KIND[decree]) / DECREE_NEED[decree])
            value += done * done * DECREE_HOPE * rounds * (best_honour(s, place) + MESSENGER * rounds)
    return value


def best_honour(s: State, place: int) -> int:
    points = DECREE_VP[s.court.decrees[place]]
    return max((vp for vp, seat in zip(points, s.court.honours[place], strict=True) if seat < 0), default=0)


def token_value(token: int, worth: Worth) -> float:
    return TOKEN + STAR_OR_POINT * (STARS[token] + POINTS[token]) + sum(map(worth, PU_ERH_BONUS[token]))


def court_pending(s: State, p: Player, worth: Worth, price: Callable[[Cost], float]) -> float:
    """What a question of the expansion still promises."""
    if s.paying_for == PAY_PU_ERH or s.question == PLACE_TOKEN:
        return token_value(s.subject, worth)
    if s.question == MARKET:
        return market_value(s, p, s.court.purchases, worth, price)
    if s.question == DECREE_SPACE:
        return best_honour(s, s.subject) + MESSENGER * (ROUNDS - s.round)
    return 0.0


def market_value(s: State, p: Player, tokens: int, worth: Worth, price: Callable[[Cost], float]) -> float:
    """About what so many purchases would add."""
    gains = [token_value(token, worth) - price(PU_ERH_PRICE[token]) for token in affordable_tokens(s, p)]
    return sum(gain for gain in sorted(gains, reverse=True)[:tokens] if gain > 0)


def best_court(s: State, p: Player, strength: int, worth: Worth, price: Callable[[Cost], float]) -> float:
    """About what the best main action of the expansion would add."""
    best = market_value(s, p, tokens_for(strength), worth, price)
    if not p.messengers:
        return best
    for hall, seats in zip(s.court.halls, s.court.spaces, strict=True):
        reached = (space for space, seat in enumerate(seats) if seat < 0 and HALL_SPACES[space] <= strength)
        space = next(reached, -1)
        if space >= 0:
            before = hall_value(seats, s.seat, False)
            after = hall_value([*seats[:space], s.seat, *seats[space + 1 :]], s.seat, False)
            best = max(best, sum(map(worth, HALL_REWARD[hall])) + after - before)
    return best
