"""A second look-ahead, as plain as can be, and positions to compare the engine's with (TG-303, TG-304, RU-07, RU-08).

`make test` compares a sample; `python -m tests.unit.tea_garden.lookahead` (in `make soak`) 200,000 positions.
"""

import argparse
import random
import sys
import time
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from msgspec.msgpack import encode

from services.games.tea_garden.actions.costs import can_lay
from services.games.tea_garden.actions.handlers import DOERS, LISTERS
from services.games.tea_garden.actions.lookahead import can_begin
from services.games.tea_garden.actions.main import occupy
from services.games.tea_garden.components import (
    BASKETS,
    FERMENT,
    REGION_SPACES,
    REPEAT_SCROLL,
    RIVER_END,
    TILE_BONUS,
    TILE_IDS,
    TOP_ROW,
    UNKNOWN_TILE,
)
from services.games.tea_garden.game import GAME
from services.games.tea_garden.state import TURN_START, Player, State
from teahouse.games.tea_garden.v1 import structs as do
from tests.unit.tea_garden.pieces import CASES

# The second look-ahead: breadth first over whole positions. It leaves nothing out and stops nowhere.


def can_be_laid(s: State, dead: set[bytes]) -> bool:
    """Whether some chain of free actions with certain results leads to the laying of cards.

    `dead` are positions from which none does; those found here are added, for the next question about the same turn.
    """
    start = hidden_removed(s)
    seen, waiting = {encode(start)} - dead, deque([start])
    while seen and waiting:
        s = waiting.popleft()
        actions = choices(s)
        if any(type(action) is do.LayTop for action in actions):
            return True
        for action in free(actions):
            after = applied(s, action)
            data = encode(after)
            if data not in seen and data not in dead:
                seen.add(data)
                waiting.append(after)
    dead |= seen
    return False


def hidden_removed(s: State) -> State:
    """Without what nobody knows: of the tiles that lie under others only their number is left.

    The other seats and the map play no part before cards are laid; without them a copy costs half.
    """
    s = GAME.clone(s)
    assert s.seat == 0
    s.players, s.lu_yu, s.spaces = s.players[:1], None, []
    s.cup_stacks = [[UNKNOWN_TILE] * (len(stack) - 1) + stack[-1:] for stack in s.cup_stacks]
    return unordered(s)


def unordered(s: State) -> State:
    """Positions are one that differ in the order of cards, in points, or in what was said about an earlier question."""
    p = s.players[s.seat]
    for pile in (p.hand, p.deck, p.discard, s.removed):
        pile.sort()
    s.dice.counter = p.vp = 0
    if s.question == TURN_START:
        s.paying_for, s.subject, s.option, s.left, s.reached = 0, -1, 0, 0, -1
    return s


def choices(s: State) -> list[Any]:
    """By the rules without TG-304."""
    return LISTERS[s.question](s, s.players[s.seat])


def free(actions: list[Any]) -> list[Any]:
    return [action for action in actions if type(action) not in (do.LayTop, do.PassRound)]


def applied(s: State, action: Any) -> State:
    after = GAME.clone(s)
    DOERS[type(action)](after, after.players[after.seat], action, None)
    return unordered(after)


# Positions.

FERMENTING_TILES = [tile for tile, bonus in enumerate(TILE_BONUS) if any(code & 31 == FERMENT for code in bonus)]


class Positions:
    """Makes positions at the start of a turn in which cards or the leaves for the space may be missing."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.game: State | None = None

    def next(self) -> State:
        [make] = self.random.choices((self.played, self.built, self.climbing), (25, 73, 2))
        return make()

    def played(self) -> State:
        """From a game played at random, at any moment of it; then with the few cards and tiles that decide."""
        rng = self.random
        for _ in range(rng.randrange(20, 120)):
            if self.game is None or GAME.actor(self.game) is None:
                self.game = self.dealt()
            GAME.apply(self.game, rng.choice(GAME.legal(self.game)), tell=False)
        assert self.game is not None
        if GAME.actor(self.game) is None:
            return self.built()
        s = GAME.clone(self.game)
        s.seat = 0
        p = s.players[0]
        s.laid = s.freed = s.main_used = s.side_used = s.repeated = False
        s.frames, s.due, s.paying_for, s.subject, s.option, s.left = [], [], 0, -1, 0, 0
        s.court.purchases, s.court.young = 0, 0
        self.few(s, p)
        del p.stacks[p.turn_spaces - 1 :]
        s.question = TURN_START
        return s

    def dealt(self) -> State:
        seats, options = self.random.choice(CASES)
        return GAME.new(seats, do.Options(first_seat=0, **options), self.random.randbytes(32))

    def built(self) -> State:
        rng = self.random
        s = self.dealt()
        p = s.players[0]
        for region in rng.sample(range(1, len(REGION_SPACES)), rng.randrange(3)):
            occupy(s, p, 0, region, 0)
        p.leaves = [rng.choice((0, 0, 0, 1, 1, 2)) if rng.random() < 0.6 else 0 for _ in range(2 * BASKETS)]
        if rng.random() < 0.5:
            p.leaves[BASKETS:] = [0] * BASKETS
        p.tokens = rng.choice((0, 1, 2, 2, 2, 3, 3, 4, 5))
        p.row = rng.randrange(TOP_ROW + 1)
        p.boat = rng.randrange(RIVER_END + 1)
        if p.boat == RIVER_END:
            p.spot = s.spots.pop(0)
        p.sector = rng.randrange(5)
        p.scrolls = [rng.randrange(2) for _ in range(3)]
        tiles = rng.sample(range(len(TILE_IDS)), 9)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            row = [tiles.pop() for _ in range(rng.choice((1, 2, 2, 3)))]
            p.cups.append(row)
            p.markers.append([rng.choice((0, 0, 0, 1, 1, 1, 2)) for _ in row[1:]])
        self.few(s, p)
        p.stacks = [[card] for card in rng.sample(range(11), rng.choice((0, 1, 2, 3, 3, 3, p.turn_spaces - 1)))]
        s.question = TURN_START
        return s

    def climbing(self) -> State:
        """Below the row that gives a side action; done once or twice, that could bring a card or a fermented leaf."""
        rng = self.random
        s = self.built()
        p = s.players[0]
        p.row, p.tokens, p.scrolls[REPEAT_SCROLL] = 3, rng.choice((2, 2, 2, 3, 5)), rng.randrange(4) // 3
        p.boat, p.sector = rng.choice((0, 1, 3, 6, 6)), rng.choice((0, 1, 1, 3, 4))
        p.leaves = [0] * 2 * BASKETS
        for basket in (rng.randrange(3, BASKETS), *rng.sample(range(BASKETS), rng.choice((1, 2, 3, 3, 4)))):
            p.leaves[basket] += 1
        for kind in rng.sample(range(BASKETS, 2 * BASKETS), rng.choice((0, 0, 1, 1, 2))):
            p.leaves[kind] += 1
        p.hand, p.deck, p.discard = p.hand[: rng.randrange(5) // 4], p.deck[:1], []
        s.emperor_row, s.emperor_deck = [rng.choice((-1, s.emperor_row[0])), -1, -1], []
        p.cups, p.markers = [[rng.choice(FERMENTING_TILES) for _ in range(2)]], [[rng.choice((0, 1, 1, 1, 2))]]
        s.cup_stacks = [stack[-1:] if rng.random() < 0.1 else [] for stack in s.cup_stacks]
        p.stacks = [[card] for card in range(rng.choice((0, 1, 2, 3, 3)))]
        return s

    def few(self, s: State, p: Player) -> None:
        """Few cards, tiles and markers are left: the plain look-ahead tries all there are in every order."""
        rng = self.random
        cards = p.hand + p.deck + p.discard
        rng.shuffle(cards)
        p.hand = [cards.pop() for _ in range(min(rng.choice((0, 0, 1, 1, 1, 2)), len(cards)))]
        p.deck = [cards.pop() for _ in range(min(rng.choice((0, 0, 0, 1, 2)), len(cards)))]
        p.discard = [cards.pop() for _ in range(min(rng.choice((0, 0, 0, 0, 1)), len(cards)))]
        kept = rng.sample(range(len(s.cup_stacks)), rng.choice((0, 0, 1, 1, 2)))
        s.cup_stacks = [stack[-rng.randrange(1, 3) :] if at in kept else [] for at, stack in enumerate(s.cup_stacks)]
        linked = [(row, link) for row, markers in enumerate(p.markers) for link, count in enumerate(markers) if count]
        for row, link in linked[: max(0, len(linked) - rng.choice((1, 1, 2)))]:
            p.markers[row][link] = 0
        shown = rng.choice((0, 1, 1, 1, 2, 3))
        s.emperor_row[shown:] = [-1] * (len(s.emperor_row) - shown)
        s.emperor_deck = s.emperor_deck[: rng.randrange(2) if shown == len(s.emperor_row) else 0]


# Comparing.


def compare(s: State, rng: random.Random, most: int = 8) -> Counter[str]:
    """Compares in the position and along a walk through free actions from it; says what was seen."""
    seen: Counter[str] = Counter()
    p, dead = s.players[s.seat], set[bytes]()
    begins = can_be_laid(s, dead)
    assert can_begin(s) == begins, f"can_begin says {not begins}: {s}"
    seen["begins" if begins else "passes"] += not can_lay(p)
    for _ in range(most):
        if len(p.hand) > 1 and can_lay(p):
            break
        listed = choices(s)
        wanted = {action for action in free(listed) if can_be_laid(applied(hidden_removed(s), action), dead)}
        legal = free(GAME.legal(s))
        assert set(legal) == wanted, f"listed {legal}, but right is {wanted}: {s}"
        seen["positions"] += 1
        seen["refused"] += len(free(listed)) - len(wanted)
        if not legal:
            break
        GAME.apply(s, rng.choice(legal), tell=False)
    return seen


def batch(number: int, positions: int) -> Counter[str]:
    """So many positions, and a few more: a walk is not cut short."""
    made, seen = Positions(f"look-ahead {number}"), Counter[str]()
    while seen["positions"] < positions:
        seen += compare(made.next(), made.random)
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Tea Garden's look-ahead with a plain one.")
    parser.add_argument("--count", type=int, default=200_000, help="positions (200,000)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the first batch: other numbers make other positions (0)")
    arguments = parser.parse_args()
    began, seen, size = time.monotonic(), Counter[str](), 500
    with ProcessPoolExecutor(arguments.processes) as pool:
        numbers = range(arguments.first, arguments.first + -(-arguments.count // size))
        for done in [pool.submit(batch, number, size) for number in numbers]:
            seen += done.result()
            sys.stderr.write(f"\r{seen['positions']:,} positions, {time.monotonic() - began:.0f} s")
    sys.stderr.write("\n")
    print(
        f"tea_garden: {seen['positions']} positions, {seen['refused']} answers refused, {seen['begins']} turns begun "
        f"by free actions, {seen['passes']} forced passes, no difference"
    )


if __name__ == "__main__":
    main()
