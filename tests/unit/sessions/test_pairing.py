"""Which tickets fit together."""

import random

from services.sessions.matching.pairing import WIDENS, WINDOW, Match, Place, Waiting, find


def waits(
    name: str,
    *seats: int,
    size: int = 1,
    since: float = 0,
    rating: float = 1000,
    kind: str = "a",
    bots_after: float | None = None,
) -> Waiting:
    places = tuple(Place((kind, count), count, rating) for count in seats or (2,))
    return Waiting(name, size, since, places, bots_after)


def names(matches: list[Match]) -> list[list[str]]:
    return [sorted(ticket.id for ticket in match.tickets) for match in matches]


def matches(*tickets: Waiting, now: float = 0) -> list[list[str]]:
    return names(list(find(list(tickets), now)))


def test_the_nearest_in_rating_meet() -> None:
    assert matches(waits("a"), waits("b", rating=1150), waits("c", rating=1010)) == [["a", "c"]]


def test_those_who_wait_longest_are_served_first() -> None:
    assert matches(waits("young", since=5), waits("old", since=1), waits("older", since=0), now=9) == [["old", "older"]]


def test_windows_widen_and_both_must_accept() -> None:
    far = WINDOW + 10 * WIDENS
    old, young = waits("old", rating=1000), waits("young", rating=1000 + far, since=100)
    assert matches(old, young, now=109) == []
    assert matches(old, young, now=110) == [["old", "young"]]


def test_everyone_at_a_table_is_near_everyone() -> None:
    low, middle, high = (
        waits("low", 3),
        waits("mid", 3, rating=1000 + WINDOW),
        waits("high", 3, rating=1000 + 2 * WINDOW),
    )
    assert matches(low, middle, high) == []
    assert matches(low, middle, high, now=WINDOW / WIDENS) == [["high", "low", "mid"]]


def test_parties_fill_a_table_exactly() -> None:
    pair, three, one = waits("2", 4, size=2), waits("3", 4, size=3), waits("1", 4)
    assert matches(pair, three) == []
    assert matches(pair, three, one) == [["1", "3"]]
    assert matches(waits("2", 4, size=2), waits("2b", 4, size=2), waits("2c", 4, size=2)) == [["2", "2b"]]


def test_a_full_party_needs_nobody() -> None:
    assert matches(waits("all", 4, size=4)) == [["all"]]


def test_a_ticket_with_several_wishes_is_matched_once() -> None:
    both = Waiting("both", 1, 0, (Place(("a", 2), 2, 1000), Place(("b", 2), 2, 1000)))
    assert matches(both, waits("a", since=1), waits("b", since=1, kind="b")) == [["a", "both"]]
    assert matches(both, waits("b", since=1, kind="b")) == [["b", "both"]]


def test_bots_come_when_their_time_has_come_and_to_those_who_allow_them() -> None:
    lonely = waits("lonely", 4, bots_after=10)
    assert matches(lonely, now=9) == []
    [match] = find([lonely, waits("purist", 4), waits("easy", 4, since=8, bots_after=99)], 10)
    assert (names([match]), match.bots) == ([["easy", "lonely"]], 2)


def test_people_come_before_bots() -> None:
    [match] = find([waits("a", bots_after=0), waits("b")], 0)
    assert (names([match]), match.bots) == ([["a", "b"]], 0)


def test_thousands_of_tickets_are_matched_soundly() -> None:
    dice = random.Random(7)
    tickets = [
        waits(
            f"{number}",
            *dice.sample((2, 3, 4), dice.randint(1, 3)),
            since=dice.uniform(0, 30),
            rating=dice.gauss(1300, 250),
            kind=dice.choice("abc"),
            bots_after=dice.choice((None, None, 20)),
        )
        for number in range(3000)
    ]
    found = list(find(tickets, 30))
    used = [ticket.id for match in found for ticket in match.tickets]
    assert len(used) == len(set(used)) > 2900
    for match in found:
        assert match.bots == 0 or any(ticket.bots_after is not None for ticket in match.tickets)
        assert all(any(place.kind == match.place.kind for place in ticket.places) for ticket in match.tickets)
