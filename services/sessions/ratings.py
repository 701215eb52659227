"""Results of finished tables: ratings, leaderboards, profiles, history.

A finished table stands in an outbox of its shard until it has been counted for everyone who sat there. The ratings with
which they came are written down once, so that every try computes the same changes; a player's own script applies a
change only if the table is not in the player's history yet. Changes add up in any order.
"""

import asyncio
import json
import logging
from typing import Any

from openskill.models import PlackettLuce
from redis.exceptions import RedisError

from services.platform.errors import Refusal, answers, invalid
from services.sessions.players import player_key
from services.sessions.scripts import Together
from services.sessions.store import SHARDS, player_list_key, results_key, results_tries_key, shard
from services.sessions.tables import LARGEST_PAGE, Tables, read_cursor, shown
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


def games_key(player: str) -> str:
    return f"{{p:{player}}}:games"


def board_keys(game: str) -> list[str]:
    return [f"{{l:{game}}}", f"{{l:{game}}}:games"]


class Ratings(Tables):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._results = Together(self.store.redis, "result")
        self._ranks = Together(self.store.redis, "rank")

    @answers
    async def GetProfile(self, request: pb.GetPlayerRequest) -> rt.Profile:
        player = await self.player(request.player)
        fields = await self.store.redis.hgetall(games_key(player.id))
        played: dict[str, dict[str, float]] = {}
        for name, value in fields.items():
            game, _, what = name.decode().rpartition(":")
            played.setdefault(game, {})[what] = float(value)
        profile = rt.Profile(player=player)
        for game, found in played.items():
            profile.results[game].CopyFrom(rt.Results(played=int(found["played"]), won=int(found["won"])))
            if "rated" in found:
                rating = round(shown_rating(found["mu"], found["sigma"]))
                profile.ratings[game].CopyFrom(rt.Rating(rating=rating, games=int(found["rated"])))
        return profile

    @answers
    async def GetLeaderboard(self, request: rt.LeaderboardRequest) -> rt.Leaderboard:
        game = (await self.rules.info(request.game)).id
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        if request.cursor and not (request.cursor.isascii() and request.cursor.isdigit() and len(request.cursor) < 10):
            raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
        begin = int(request.cursor or 0)
        board, games = board_keys(game)
        rows = await self.store.redis.zrevrange(board, begin, begin + limit, withscores=True)
        following = str(begin + limit) if len(rows) > limit else ""
        rows = rows[:limit]
        if not rows:
            return rt.Leaderboard()
        counts = await self.store.redis.hmget(games, [player for player, _ in rows])
        pipe = self.store.redis.pipeline(transaction=False)
        for player, _ in rows:
            pipe.get(player_key(player.decode()))
        ranks = [
            rt.Rank(
                rank=begin + number,
                player=pb.Player.FromString(person) if person else pb.Player(id=player.decode()),
                rating=rt.Rating(rating=round(rating), games=int(count or 0)),
            )
            for number, ((player, rating), count, person) in enumerate(
                zip(rows, counts, await pipe.execute(), strict=True), 1
            )
        ]
        return rt.Leaderboard(ranks=ranks, next_cursor=following)

    @answers
    async def GetHistory(self, request: rt.HistoryRequest) -> pb.ListTablesResponse:
        await self.player(request.player)
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        below = read_cursor(request.cursor) if request.cursor else None
        found = await self.store.redis.zrevrange(player_list_key(request.player, "history"), 0, -1, withscores=True)
        rows = sorted([(int(score), table.decode()) for table, score in found], reverse=True)
        rows = [row for row in rows if below is None or row < below]
        page: list[tuple[int, pb.Table]] = []
        while rows and len(page) <= limit:
            some, rows = rows[:LARGEST_PAGE], rows[LARGEST_PAGE:]
            when = {table: score for score, table in some}
            tables = await self.store.load_many([table for _, table in some])
            page += [(when[table.id], shown(table, request.caller)) for table in tables if table.visibility == "public"]
        cursor = f"{page[limit - 1][0]}:{page[limit - 1][1].id}" if len(page) > limit else ""
        return pb.ListTablesResponse(tables=[table for _, table in page[:limit]], next_cursor=cursor)

    async def skill(self, player: str, game: str) -> tuple[float, float]:
        """(mu, sigma)."""
        mu, sigma = await self.store.redis.hmget(games_key(player), f"{game}:mu", f"{game}:sigma")
        return (float(mu), float(sigma)) if mu is not None and sigma is not None else NEWCOMER

    async def strength(self, players: list[str], game: str) -> float:
        """The rating of a party: the mean of its players' shown ones."""
        skills = await asyncio.gather(*(self.skill(player, game) for player in players))
        return sum(shown_rating(*skill) for skill in skills) / len(skills)

    async def count_due(self) -> None:
        """Counts the tables that have finished, and those that a copy of the service left half counted."""
        takes = [
            self.store.take_due(results_key(number), results_tries_key(number), AGAIN_MS) for number in range(SHARDS)
        ]
        for tables in await asyncio.gather(*takes):
            for table in tables:
                try:
                    await self.count_table(table)
                except (RedisError, OSError) as error:
                    # One that cannot be counted now must not keep the others waiting.
                    log.warning("a finished table is counted later: %s", error, extra={"table": table})

    async def count_table(self, table_id: str) -> None:
        """Counts one finished table. Safe to repeat, and to leave at any point."""
        try:
            table = (await self.store.load(table_id)).table
        except Refusal as gone:
            log.warning("a finished table is not counted: %s", gone.message)
            return await self.counted(table_id)
        places = json.loads(table.outcome or b"{}").get("places", [])
        people = [
            (seat.player.id, place) for seat, place in zip(table.seats, places, strict=False) if seat.kind == "player"
        ]
        rated = table.rated and len(people) == len(table.seats) > 1
        changes = await self.changes(table, people) if rated else [None] * len(people)
        for (player, place), change in zip(people, changes, strict=True):
            await self.count(table, player, place, change)
        return await self.counted(table_id)

    async def changes(self, table: pb.Table, people: list[tuple[str, int]]) -> list[tuple[float, float] | None]:
        """For each player what is added to mu and the factor of sigma; the same however often it is asked."""
        skills = await asyncio.gather(*(self.skill(player, table.game) for player, _ in people))
        now = rt.RatingsBefore(mu=[mu for mu, _ in skills], sigma=[sigma for _, sigma in skills])
        key = self.store.key(table.id, ":ratings")
        await self.store.redis.set(key, now.SerializeToString(), nx=True, px=BEFORE_MS)
        written = await self.store.redis.get(key)
        # None: another copy has counted it to the end meanwhile, and every player's history knows the table.
        before = rt.RatingsBefore.FromString(written) if written else now
        teams = [[MODEL.rating(mu=mu, sigma=sigma)] for mu, sigma in zip(before.mu, before.sigma, strict=True)]
        after = MODEL.rate(teams, ranks=[float(place) for _, place in people])
        return [
            (new.mu - mu, new.sigma / sigma) for [new], mu, sigma in zip(after, before.mu, before.sigma, strict=True)
        ]

    async def count(self, table: pb.Table, player: str, place: int, change: tuple[float, float] | None) -> None:
        more, factor = change or ("", 1.0)
        won = int(place == 1)
        mu, sigma, rated = await self._results.run(
            [games_key(player), player_list_key(player, "history"), player_list_key(player, "live")],
            [table.id, table.updated_at, table.game, won, more, factor, *NEWCOMER, HISTORY],
        )
        if change:
            await self._ranks.run(board_keys(table.game), [player, shown_rating(float(mu), float(sigma)), rated])

    async def counted(self, table: str) -> None:
        number = shard(table)
        await self.store.redis.delete(self.store.key(table, ":ratings"))
        await self.store.redis.hdel(results_tries_key(number), table)
        await self.store.redis.zrem(results_key(number), table)


async def count_results(service: Ratings) -> None:
    """Counts finished tables for as long as the process lives."""
    while True:
        await asyncio.sleep(PAUSE)
        try:
            await service.count_due()
        except (RedisError, OSError) as error:
            log.warning("finished tables cannot be counted: %s", error)
        except Exception:
            log.exception("counting goes on after an error")
