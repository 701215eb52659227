"""Tables in Redis, as they are read. The truth of a table is its log; the record and the state are snapshots of it.

committer.py writes them. A table leaves nothing behind when it expires: keys.py names all that it has.
"""

from typing import Any

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import RedisError

from services.platform import tracing
from services.platform.clock import now_ms
from services.platform.errors import not_found
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.ids import TABLE_ID
from services.sessions.store.keys import SHARDS, TABLE_KEYS
from services.sessions.store.records import Loaded
from services.sessions.store.script import Script
from services.sessions.store.shared_connection import SharedConnection
from teahouse.v1 import sessions_pb2 as pb


class TableStore:
    """Owns the reading of tables, of their logs and lists, and their removal."""

    def __init__(self, redis: Redis | RedisCluster) -> None:
        self.redis: AsyncRedis = redis
        # Not the connection of the scripts: who reads must not wait behind those who write. It is no part of a trace.
        self._connection = (
            None if isinstance(redis, RedisCluster) or tracing.tracer() else SharedConnection(redis.connection_pool)
        )
        self._purge = Script(redis, "purge")

    async def load(self, table: str) -> Loaded:
        record = version = state = None
        if TABLE_ID.fullmatch(table):
            record, version, state = await self._ask("HMGET", keys.table(table), "record", "version", "state")
        if record is None or version is None:
            raise not_found("UNKNOWN_TABLE", f"there is no table {table[:40]!r}")
        loaded = Loaded(pb.TableRecord.FromString(record), int(version), state or b"")
        loaded.table.version = loaded.version
        return loaded

    async def _ask(self, *command: str) -> Any:
        """Reads what is read often."""
        if self._connection is None:
            return await self.redis.execute_command(*command)
        [answer] = await self._connection.ask([command])
        if isinstance(answer, RedisError):
            raise answer
        return answer

    async def load_many(self, tables: list[str]) -> list[pb.Table]:
        """The tables that (still) exist, in the same order."""
        pipe = self.redis.pipeline(transaction=False)
        for table in tables:
            pipe.hmget(keys.table(table), "record", "version")
        found = []
        for record, version in await pipe.execute():
            if record is not None and version is not None:
                one = pb.TableRecord.FromString(record).table
                one.version = int(version)
                found.append(one)
        return found

    async def answered(self, table: str, once_key: str) -> bytes | None:
        """The first answer to a request that came before."""
        answer: bytes | None = await self.redis.hget(keys.table(table, ":once"), once_key)
        return answer

    async def log(self, table: str, after: int, limit: int | None = None) -> list[pb.LogEntry]:
        """The entries that made versions after+1, after+2, …"""
        last = -1 if limit is None else after + limit - 1
        entries = await self.redis.lrange(keys.table(table, ":log"), after, last)
        return [pb.LogEntry.FromString(entry) for entry in entries]

    async def listed(self, status: str, below: tuple[int, str] | None, count: int) -> list[tuple[int, str]]:
        """(created at, id) of the public tables with that status, newest first: at most `count`, all below `below`."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            highest = "+inf" if below is None else below[0]
            pipe.zrevrangebyscore(keys.listed(number, status), highest, "-inf", start=0, num=count + 1, withscores=True)
        found = [(int(score), table.decode()) for rows in await pipe.execute() for table, score in rows]
        return sorted((row for row in found if below is None or row < below), reverse=True)[:count]

    async def expired(self, limit: int = 50) -> list[str]:
        """Tables that may have expired: nothing happened there since the time of their expiry was set, or something."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zrangebyscore(keys.expiry(number), "-inf", now_ms(), start=0, num=limit)
        return [table.decode() for rows in await pipe.execute() for table in rows]

    async def expires_at(self, table: str, at: int) -> None:
        await self.redis.zadd(keys.expiry(keys.shard(table)), {table: at}, xx=True)

    async def purge(self, table: str, version: int) -> bool:
        """Removes all that there is of a table beside the players' lists; False if it is not at that version."""
        number = keys.shard(table)
        sets = (keys.outbox, keys.late, keys.deadlines, keys.expiry)
        names = [
            keys.table(table),
            keys.tries(number),
            keys.states(number),
            *(one(number) for one in sets),
            *(keys.listed(number, status) for status in ("open", "playing")),
            *(keys.table(table, suffix) for suffix in TABLE_KEYS if suffix),
        ]
        return bool(await self._purge.run(names, [version, table]))
