"""Which tables a player has. The lists are written before the table is: one may name a table that never came to be."""

from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import PLAYER_LISTS
from teahouse.v1 import sessions_pb2 as pb


class PlayerLists:
    """Owns the sorted sets of tables that each player has: all of them, those that go on, those that were counted."""

    def __init__(self, redis: AsyncRedis) -> None:
        self.redis = redis

    async def remember(self, player: str, table: pb.Table) -> None:
        for name in ("tables", "live"):
            await self.redis.zadd(keys.player_list(player, name), {table.id: table.created_at})

    async def forget(self, player: str, table: str) -> None:
        """The table is gone, or will never be."""
        for name in PLAYER_LISTS:
            await self.redis.zrem(keys.player_list(player, name), table)

    async def ended(self, player: str, *tables: str) -> None:
        await self.redis.zrem(keys.player_list(player, "live"), *tables)

    async def all(self, player: str) -> list[tuple[int, str]]:
        """(made at, table), newest first."""
        return await self._newest_first(player, "tables")

    async def counted(self, player: str) -> list[tuple[int, str]]:
        """(finished at, table), newest first."""
        return await self._newest_first(player, "history")

    async def live(self, player: str) -> list[tuple[int, str]]:
        """(made at, table) of those that have not ended, as far as is known; oldest first."""
        rows = await self.redis.zrange(keys.player_list(player, "live"), 0, -1, withscores=True)
        return [(int(score), table.decode()) for table, score in rows]

    async def _newest_first(self, player: str, name: str) -> list[tuple[int, str]]:
        rows = await self.redis.zrange(keys.player_list(player, name), 0, -1, withscores=True)
        return sorted([(int(score), table.decode()) for table, score in rows], reverse=True)
