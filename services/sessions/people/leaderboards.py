"""The best players of each game."""

from services.platform.errors import invalid
from services.sessions.rules.client import RulesClient
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.script import Script
from services.sessions.tables.listing import LARGEST_PAGE
from teahouse.v1 import ratings_pb2 as rt
from teahouse.v1 import sessions_pb2 as pb


class Leaderboards:
    """Owns the order of the players by their ratings."""

    def __init__(self, redis: AsyncRedis, rules: RulesClient) -> None:
        self.redis, self.rules = redis, rules
        self._rank = Script(redis, "rank")

    async def place(self, game: str, player: str, rating: float, rated: int) -> None:
        """`rated` games have made this rating; what is older than that changes nothing."""
        await self._rank.run(keys.leaderboard(game), [player, rating, rated])

    async def page(self, request: rt.LeaderboardRequest) -> rt.Leaderboard:
        game = (await self.rules.info(request.game)).id
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        if request.cursor and not (request.cursor.isascii() and request.cursor.isdigit() and len(request.cursor) < 10):
            raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
        begin = int(request.cursor or 0)
        board, games = keys.leaderboard(game)
        rows = await self.redis.zrevrange(board, begin, begin + limit, withscores=True)
        following = str(begin + limit) if len(rows) > limit else ""
        rows = rows[:limit]
        if not rows:
            return rt.Leaderboard()
        counts = await self.redis.hmget(games, [player for player, _ in rows])
        pipe = self.redis.pipeline(transaction=False)
        for player, _ in rows:
            pipe.get(keys.player(player.decode()))
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
