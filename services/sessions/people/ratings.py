"""Results of finished tables: ratings, leaderboards, history.

A finished table stands in an outbox of its shard until it has been counted for everyone who sat there. The ratings with
which they came are written down once, so that every try computes the same changes; a player's own script applies a
change only if the table is not in the player's history yet. Changes add up in any order.
"""

import asyncio
import json
import logging

from openskill.models import PlackettLuce
from redis.exceptions import RedisError

from services.platform.errors import Refusal
from services.sessions.background import repeat
from services.sessions.people.leaderboards import Leaderboards
from services.sessions.store import keys
from services.sessions.store.claims import Claims
from services.sessions.store.keys import SHARDS
from services.sessions.store.script import Script, pack
from services.sessions.store.tables import TableStore
from teahouse.v1 import ratings_pb2 as rt
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
MODEL = PlackettLuce()
NEWCOMER = (MODEL.mu, MODEL.sigma)
# Finished tables that a player's history keeps.
HISTORY = 1000
PAUSE = 0.5
# Seconds after which a table that was not counted to the end is taken up again.
AGAIN_MS = 5000
BEFORE_MS = 30 * 86_400_000


def shown_rating(mu: float, sigma: float) -> float:
    """What people see: 1000 at first, and near 1500 for an average player of whom much is known.

    >>> shown_rating(*NEWCOMER), shown_rating(25, 1.67)
    (1000.0, 1499.75)
    """
    return max(0.0, 1000 + 25 * (mu - 3 * sigma))


class Ratings:
    """Owns what players are rated, and counts every finished table for them once."""

    def __init__(self, store: TableStore, claims: Claims, boards: Leaderboards) -> None:
        self.store, self.claims, self.boards = store, claims, boards
        self._result = Script(store.redis, "result")

    async def run(self) -> None:
        await repeat("the count of finished tables", self._count_due, PAUSE)

    async def _skill(self, player: str, game: str) -> tuple[float, float]:
        """(mu, sigma)."""
        mu, sigma = await self.store.redis.hmget(keys.games(player), f"{game}:mu", f"{game}:sigma")
        return (float(mu), float(sigma)) if mu is not None and sigma is not None else NEWCOMER

    async def strength(self, players: list[str], game: str) -> float:
        """The rating of a party: the mean of its players' shown ones."""
        skills = await asyncio.gather(*(self._skill(player, game) for player in players))
        return sum(shown_rating(*skill) for skill in skills) / len(skills)

    async def _count_due(self) -> None:
        """Counts the tables that have finished, and those that a copy of the service left half counted."""
        takes = [
            self.claims.take(keys.results(number), keys.results_tries(number), AGAIN_MS) for number in range(SHARDS)
        ]
        for tables in await asyncio.gather(*takes):
            for table in tables:
                try:
                    await self._count_table(table)
                except (RedisError, OSError) as error:
                    # One that cannot be counted now must not keep the others waiting.
                    log.warning("a finished table is counted later: %s", error, extra={"table": table})

    async def _count_table(self, table_id: str) -> None:
        """Counts one finished table. Safe to repeat, and to leave at any point."""
        try:
            table = (await self.store.load(table_id)).table
        except Refusal as gone:
            log.warning("a finished table is not counted: %s", gone.message)
            return await self._counted(table_id)
        places = json.loads(table.outcome or b"{}").get("places", [])
        people = [
            (seat.player.id, place) for seat, place in zip(table.seats, places, strict=False) if seat.kind == "player"
        ]
        rated = table.rated and len(people) == len(table.seats) > 1
        changes = await self._changes(table, people) if rated else [None] * len(people)
        for (player, place), change in zip(people, changes, strict=True):
            await self._count(table, player, place, change)
        return await self._counted(table_id)

    async def _changes(self, table: pb.Table, people: list[tuple[str, int]]) -> list[tuple[float, float] | None]:
        """For each player what is added to mu and the factor of sigma; the same however often it is asked."""
        skills = await asyncio.gather(*(self._skill(player, table.game) for player, _ in people))
        now = rt.RatingsBefore(mu=[mu for mu, _ in skills], sigma=[sigma for _, sigma in skills])
        key = keys.table(table.id, ":ratings")
        await self.store.redis.set(key, now.SerializeToString(), nx=True, px=BEFORE_MS)
        written = await self.store.redis.get(key)
        # None: another copy has counted it to the end meanwhile, and every player's history knows the table.
        before = rt.RatingsBefore.FromString(written) if written else now
        teams = [[MODEL.rating(mu=mu, sigma=sigma)] for mu, sigma in zip(before.mu, before.sigma, strict=True)]
        after = MODEL.rate(teams, ranks=[float(place) for _, place in people])
        return [
            (new.mu - mu, new.sigma / sigma) for [new], mu, sigma in zip(after, before.mu, before.sigma, strict=True)
        ]

    async def _count(self, table: pb.Table, player: str, place: int, change: tuple[float, float] | None) -> None:
        more, factor = change or (None, None)
        mu, sigma, rated = await self._result.run(
            [keys.games(player), keys.player_list(player, "history"), keys.player_list(player, "live")],
            [
                pack(
                    table=table.id,
                    finished=table.updated_at,
                    game=table.game,
                    won=int(place == 1),
                    mu_change=more,
                    sigma_factor=factor,
                    newcomer_mu=NEWCOMER[0],
                    newcomer_sigma=NEWCOMER[1],
                    kept=HISTORY,
                )
            ],
        )
        if change:
            await self.boards.place(table.game, player, shown_rating(float(mu), float(sigma)), int(rated))

    async def _counted(self, table: str) -> None:
        number = keys.shard(table)
        await self.store.redis.delete(keys.table(table, ":ratings"))
        await self.store.redis.hdel(keys.results_tries(number), table)
        await self.store.redis.zrem(keys.results(number), table)
