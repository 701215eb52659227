"""Paying rewards. Every gain in the game goes through `gain`, every step on a track through `advance`.

`story` is the list of events of the present action, or None if nobody needs them.
"""

from collections.abc import Callable

from services.engine.game import Event, Story
from services.games.river_of_gold.components import (
    CHOICE,
    CHOICES,
    CUSTOMERS,
    FAVOR,
    FAVOR_LIMIT,
    GOOD,
    GOVERNOR,
    GOVERNOR_VP,
    INFLUENCE,
    INFLUENCE_WHERE_BUILT,
    KOKU,
    KOKU_PER,
    LADY,
    MOST_FAVOR,
    MOST_GOODS,
    MOST_KOKU,
    OWNER,
    PATRONS,
    PER,
    REGIONS,
    SPACE_REGION,
    SPACES,
    TRACK_END,
    TRACK_REWARD,
    VP,
    VP_PER,
    Reward,
)
from services.games.river_of_gold.state import OWNED, PATRONAGE, TRACK, Player, State
from teahouse.games.river_of_gold.v1 import structs

# The functions behind "1 per …" (RG-75, RG-77), by their name in the data.
COUNTS: dict[str, Callable[[Player], int]] = {
    "own_port": lambda player: player.built[0],
    "own_market": lambda player: player.built[1],
    "own_manor": lambda player: player.built[2],
    "own_shrine": lambda player: player.built[3],
    "own_building_type": lambda player: sum(map(bool, player.built)),
    "own_building_region": lambda player: player.lands.bit_count(),
    "delivered_customer": lambda player: player.delivered.bit_count(),
    "goods": lambda player: sum(player.goods),
    "koku": lambda player: player.koku,
}
COUNTERS: tuple[Callable[[Player], int], ...] = tuple(map(COUNTS.__getitem__, PER))


def gain(
    state: State, seat: int, reward: Reward, region: int, purse: int, story: Story, source: str = "", space: int = -1
) -> None:
    """Pays a reward. Influence goes to `region`; victory points are recorded under `purse`, an index into SOURCES."""
    if story is None:
        pay(state, seat, reward, region, purse, None)
        return
    player = state.players[seat]
    before = holdings(player)
    pay(state, seat, reward, region, purse, story)
    tell_gain(player, seat, before, story, source, space)


def pay(state: State, seat: int, reward: Reward, region: int, purse: int, story: Story) -> None:
    """Applies the atoms from left to right. What exceeds a limit is lost (RG-3)."""
    player = state.players[seat]
    for what, n, of in reward:
        if what == KOKU:
            koku = player.koku + n
            player.koku = koku if koku < MOST_KOKU else MOST_KOKU
        elif what == VP:
            player.won[purse] += n
        elif what == INFLUENCE:
            advance(state, seat, region, n, story)
        elif what == GOOD:
            goods = player.goods[of] + n
            player.goods[of] = goods if goods < MOST_GOODS else MOST_GOODS
        elif what == FAVOR:
            favor = player.favor + n
            player.favor = favor if favor < player.favor_limit else player.favor_limit
        elif what == CHOICE:
            player.pending[of] += n
        elif what == KOKU_PER:
            player.koku = min(player.koku + n * COUNTERS[of](player), MOST_KOKU)
        elif what == VP_PER:
            player.won[purse] += n * COUNTERS[of](player)
        elif what == FAVOR_LIMIT:
            player.favor_limit = min(player.favor_limit + n, MOST_FAVOR)
        elif what == INFLUENCE_WHERE_BUILT:
            for where in range(REGIONS):
                if player.lands >> where & 1:
                    advance(state, seat, where, n, story)


def advance(state: State, seat: int, region: int, n: int, story: Story) -> None:
    """Moves a marker on its track and pays every position passed or reached (RG-70)."""
    player = state.players[seat]
    start = player.influence[region]
    if start == TRACK_END or n == 0:
        return
    stop = start + n if player.patron != LADY else _jump(state, seat, region, start, n)
    if stop > TRACK_END:
        stop = TRACK_END
    player.influence[region] = stop
    if story is not None:
        story.append(Event(structs.Advanced(seat, region + 1, start, stop)))
    reward = TRACK_REWARD[region][start][stop]
    if reward:
        pay(state, seat, reward, region, TRACK, story)
    if state.governor >= 0 and state.governor != seat:
        _pass_governor(state, region, start, stop, story)


def _jump(state: State, seat: int, region: int, start: int, n: int) -> int:
    """Where the Lady of Whispers ends up: she jumps over positions of other players (RG-105)."""
    taken = {player.influence[region] for other, player in enumerate(state.players) if other != seat}
    at = start
    for _ in range(n):
        at += 1
        while at in taken and at < TRACK_END:
            at += 1
    return at


def _pass_governor(state: State, region: int, start: int, stop: int, story: Story) -> None:
    governor = state.players[state.governor]
    at = governor.influence[region]
    if at >= 1 and start <= at < stop:  # RG-104
        gain(state, state.governor, ((VP, GOVERNOR_VP, 0),), region, PATRONAGE, story, PATRONS[GOVERNOR])


def pay_owners(state: State, space: int, story: Story) -> None:
    """Pays the whole owner list for each marker on the building (RG-49, RG-76)."""
    for seat in (state.marker[space], state.second[space]):
        if seat >= 0:
            gain(state, seat, OWNER[state.shore[space]], SPACE_REGION[space], OWNED, story, "owner", space)


def choices(pending: list[int]) -> list[str]:
    return [name for name, n in zip(CHOICES, pending, strict=True) for _ in range(n)]


def holdings(player: Player) -> tuple[int, ...]:
    return (player.koku, *player.goods, player.favor, player.favor_limit, sum(player.won), *player.pending)


def tell_gain(player: Player, seat: int, before: tuple[int, ...], story: list[Event], source: str, space: int) -> None:
    change = [now - then for now, then in zip(holdings(player), before, strict=True)]
    if any(change):
        koku, silk, rice, porcelain, favor, limit, vp, *due = change
        where = SPACES[space] if space >= 0 else None
        gained = structs.Gained(seat, source, koku, silk, rice, porcelain, favor, limit, vp, choices(due), where)
        story.append(Event(gained))


def card_names(cards: list[int]) -> list[str]:
    return [CUSTOMERS[card] for card in cards]
