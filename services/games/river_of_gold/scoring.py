"""Final scoring (section 15), line by line."""

from functools import lru_cache

from services.engine.game import Line, Outcome
from services.games.river_of_gold.actions.rewards import COUNTERS
from services.games.river_of_gold.components import (
    CUSTOMER_VP,
    CUSTOMERS,
    ELDER,
    ELDER_FACTOR,
    END_SCORING,
    PLACES,
    REGIONS,
    SECOND_PLACE_GAP,
)
from services.games.river_of_gold.state import OVER, SOURCES, Player, State


def region_shares(positions: list[int], places: tuple[int, ...]) -> list[int]:
    """What a region's tile gives each player, without elders (RG-92, RG-93).

    >>> region_shares([7, 6, 6, 6], (12, 8, 4))
    [12, 4, 4, 4]
    >>> region_shares([14, 8], (8, 4))
    [8, 0]
    """
    shares = [0] * len(positions)
    leader, place = max(positions), 0
    for position in sorted(set(positions), reverse=True):
        if position < 1:
            break
        group = [seat for seat, at in enumerate(positions) if at == position]
        pool = sum(places[place : place + len(group)])
        if len(positions) == 2 and place == 1 and leader - position > SECOND_PLACE_GAP:
            pool = 0
        for seat in group:
            shares[seat] = pool // len(group)
        place += len(group)
    return shares


@lru_cache(maxsize=1 << 14)  # bots ask for the same few values again and again
def _shares(positions: tuple[int, ...], places: tuple[int, ...]) -> list[int]:
    return region_shares(list(positions), places)


def all_shares(state: State) -> list[list[int]]:
    """By region, then by seat."""
    places = PLACES[len(state.players)]
    return [
        _shares(tuple([player.influence[region] for player in state.players]), places[tile])
        for region, tile in enumerate(state.scoring_tiles)
    ]


def has_elder(player: Player, region: int) -> bool:
    return bool(player.delivered >> ELDER * REGIONS + region & 1)


def customer_points(player: Player) -> int:
    """The table of RG-95."""
    return CUSTOMER_VP[min(player.delivered.bit_count(), len(CUSTOMER_VP) - 1)]


def card_points(player: Player, card: int) -> int:
    """What a delivered card scores by its own ability (RG-96)."""
    scoring = END_SCORING[card]
    if scoring is None or not player.delivered >> card & 1:
        return 0
    points, counter, step = scoring
    return points * (COUNTERS[counter](player) // step)


def lines(state: State) -> list[list[Line]]:
    """Every player's score if the game ended now. Leaves out lines without points."""
    shares = all_shares(state)
    return [_player_lines(player, [share[seat] for share in shares]) for seat, player in enumerate(state.players)]


def _player_lines(player: Player, shares: list[int]) -> list[Line]:
    found = [Line(source, points) for source, points in zip(SOURCES, player.won, strict=True)]
    for region, share in enumerate(shares):
        found.append(Line(f"region_{region + 1}", share))
        if has_elder(player, region):
            found.append(Line(f"elder_{region + 1}", share * (ELDER_FACTOR - 1)))
    found.append(Line("customers", customer_points(player)))
    found += [Line(CUSTOMERS[card], card_points(player, card)) for card in range(len(CUSTOMERS))]
    return [line for line in found if line.points]


def scores(state: State) -> list[int]:
    return [sum(line.points for line in parts) for parts in lines(state)]


def outcome(state: State) -> Outcome | None:
    if state.phase != OVER:
        return None
    breakdown = lines(state)
    totals = [sum(line.points for line in parts) for parts in breakdown]
    # RG-97: favor breaks ties.
    rank = [(total, player.favor) for total, player in zip(totals, state.players, strict=True)]
    places = [1 + sum(other > mine for other in rank) for mine in rank]
    return Outcome(places, totals, breakdown)
