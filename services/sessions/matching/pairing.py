"""Which tickets fit together. Nothing here touches Redis or a clock; the matchmaker claims what is found here."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

# Two tickets fit if their ratings differ by at most this much, and by so much more for every second that each waited.
WINDOW, WIDENS = 200.0, 20.0
# How far one looks for company: this many neighbours by rating, and of each size of party so many.
NEIGHBOURS, OF_A_SIZE = 200, 8
# A kind of table: what is played there and how, and how many seats it has.
# What two tables must have in common; `kind_of` in matchmaker.py makes it.
Kind = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A table that a ticket would take."""

    kind: Kind
    seats: int
    rating: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """A ticket that waits. `since` and `bots_after` in seconds."""

    id: str
    size: int
    since: float
    places: tuple[Place, ...]
    bots_after: float | None = None

    def window(self, now: float) -> float:
        """
        >>> Waiting("m_1", 1, 100, ()).window(now=103)
        260.0
        """
        return WINDOW + WIDENS * max(0.0, now - self.since)


@dataclass(frozen=True, slots=True)
class Match:
    """Tickets that fill a table; the seats they leave free are for bots."""

    place: Place
    tickets: tuple[Waiting, ...]

    @property
    def bots(self) -> int:
        return self.place.seats - sum(ticket.size for ticket in self.tickets)


class Pool:
    """Those who would sit at one kind of table, by rating."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, float, str]] = []
        self.tickets: dict[str, Waiting] = {}

    def add(self, ticket: Waiting, rating: float) -> None:
        insort(self.rows, (rating, ticket.since, ticket.id))
        self.tickets[ticket.id] = ticket

    def remove(self, ticket: Waiting, rating: float) -> None:
        del self.rows[bisect_left(self.rows, (rating, ticket.since, ticket.id))]
        del self.tickets[ticket.id]

    def near(self, rating: float, window: float) -> Iterator[tuple[float, Waiting]]:
        """(rating, ticket) of those within the window, nearest first."""
        right = bisect_left(self.rows, (rating,))
        left = right - 1
        for _ in range(NEIGHBOURS):
            below = rating - self.rows[left][0] if left >= 0 else window + 1
            above = self.rows[right][0] - rating if right < len(self.rows) else window + 1
            if min(below, above) > window:
                return
            row = self.rows[left] if below < above else self.rows[right]
            left, right = (left - 1, right) if below < above else (left, right + 1)
            yield row[0], self.tickets[row[2]]


def find(tickets: list[Waiting], now: float) -> Iterator[Match]:
    """Matches, those who have waited longest first. No ticket is in two of them."""
    pools: dict[Kind, Pool] = defaultdict(Pool)
    for ticket in tickets:
        for place in ticket.places:
            pools[place.kind].add(ticket, place.rating)
    gone: set[str] = set()
    for ticket in sorted(tickets, key=lambda each: (each.since, each.id)):
        if ticket.id in gone:
            continue
        match = people_only(ticket, pools, now) or with_bots(ticket, pools, now)
        if match:
            for matched in match.tickets:
                gone.add(matched.id)
                for place in matched.places:
                    pools[place.kind].remove(matched, place.rating)
            yield match


def people_only(ticket: Waiting, pools: dict[Kind, Pool], now: float) -> Match | None:
    for place in ticket.places:
        others = company(ticket, place, pools[place.kind], now)
        chosen = fill([(place.rating, ticket)], place.seats - ticket.size, others, now)
        if chosen:
            return Match(place, tuple(chosen))
    return None


def with_bots(ticket: Waiting, pools: dict[Kind, Pool], now: float) -> Match | None:
    """The first table that it would take: with whoever fits and allows bots too, and bots on the seats left over."""
    if ticket.bots_after is None or now - ticket.since < ticket.bots_after:
        return None
    place = ticket.places[0]
    chosen, free = [(place.rating, ticket)], place.seats - ticket.size
    for rating, other in company(ticket, place, pools[place.kind], now):
        if other.bots_after is not None and other.size <= free and fits(rating, other, chosen, now):
            chosen.append((rating, other))
            free -= other.size
    return Match(place, tuple(other for _, other in chosen))


def company(ticket: Waiting, place: Place, pool: Pool, now: float) -> list[tuple[float, Waiting]]:
    """Who may sit down beside the ticket, nearest first; a few of each size of party."""
    found: dict[int, int] = defaultdict(int)
    near = []
    for rating, other in pool.near(place.rating, ticket.window(now)):
        if other is not ticket and other.size <= place.seats - ticket.size and found[other.size] < OF_A_SIZE:
            found[other.size] += 1
            near.append((rating, other))
    return near


def fill(
    chosen: list[tuple[float, Waiting]], free: int, others: list[tuple[float, Waiting]], now: float
) -> list[Waiting] | None:
    """The chosen and some of the others, so that no seat is free; None if there is no such choice."""
    if free == 0:
        return [ticket for _, ticket in chosen]
    for number, (rating, other) in enumerate(others):
        if other.size <= free and fits(rating, other, chosen, now):
            full = fill([*chosen, (rating, other)], free - other.size, others[number + 1 :], now)
            if full:
                return full
    return None


def fits(rating: float, ticket: Waiting, chosen: list[tuple[float, Waiting]], now: float) -> bool:
    window = ticket.window(now)
    return all(abs(rating - other) <= min(window, person.window(now)) for other, person in chosen)
