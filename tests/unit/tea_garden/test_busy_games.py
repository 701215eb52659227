"""Random games whose players hardly ever pass or end a turn early: they reach what plain random games seldom do."""

import random
from collections import Counter
from typing import Any

from teahouse.games.tea_garden.v1 import structs as do
from tests.campaigns.random_games import Checks, Table
from tests.unit.tea_garden.pieces import CASES


class Busy(random.Random):
    """Chooses at random, but rather not the end of something."""

    def choice(self, seq: Any) -> Any:
        rest = [one for one in seq if type(one) not in (do.PassRound, do.EndTurn)]
        return super().choice(rest if rest and self.random() < 0.97 else seq)


def test_busy_games_keep_every_promise() -> None:
    seen: Counter[type] = Counter()
    for number in range(14):
        seats, options = CASES[number % len(CASES)]
        table = Table("tea_garden", seats, options, number, Checks(redeal=5))
        table.random = Busy(f"busy {number}")
        table.play()
        seen.update(map(type, table.seen))
    assert set(do.ACTIONS.values()) - set(seen) <= {do.TakeScroll, do.MarkLink, do.SellLeaf, do.AddStrength}
