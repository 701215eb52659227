"""What giving up does to the result of a game, whichever game it is.

Whoever resigned comes last, all of them on one place, and the others move up:

>>> resigned_last({"places": [2, 1, 3], "scores": [9, 20, 5]}, [1])
{'places': [1, 3, 2], 'scores': [9, 20, 5]}
>>> given_up(3, [0, 2])["places"]
[2, 1, 2]
"""

from collections.abc import Collection, Sequence
from typing import Any

REASON = "resigned"


def ends_it(kinds: Sequence[str], resigned: Collection[int]) -> bool:
    """Whether the game is over because of those who resigned: one seat is left, or no person. Kinds: "player", …"""
    left = [kind for seat, kind in enumerate(kinds) if seat not in resigned]
    return len(left) < 2 or "player" not in left


def given_up(seats: int, resigned: Collection[int]) -> dict[str, Any]:
    """The outcome of a game that ended by resigning: nobody has points."""
    level = {"places": [1] * seats, "scores": [0] * seats, "breakdown": [[] for _ in range(seats)]}
    return {**resigned_last(level, resigned), "reason": REASON}


def resigned_last(outcome: dict[str, Any], resigned: Collection[int]) -> dict[str, Any]:
    """The outcome of a game that was played to its end after some had resigned."""
    if not resigned:
        return outcome
    places = outcome["places"]
    others = [place for seat, place in enumerate(places) if seat not in resigned]
    moved = [
        len(others) + 1 if seat in resigned else 1 + sum(other < place for other in others)
        for seat, place in enumerate(places)
    ]
    return {**outcome, "places": moved}
