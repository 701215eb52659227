"""Tables in Redis. The truth of a table is its log; the record and the state are snapshots of it.

Keys of a table carry the hash tag of its shard, `{t:<n>}`, so that they, the shard's outbox and its lists of tables
live on one node of a Redis Cluster and one Lua script can change them together.
"""

import asyncio
import re
import secrets
import time
import zlib
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from services.platform.errors import not_found
from teahouse.v1 import sessions_pb2 as pb

SHARDS = 16
HERE = Path(__file__).parent
# How long a repeated request gets its first answer.
ONCE_MS = 3_600_000
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
# A table's id, and its length; the length of what marks the messages of one process.
TABLE_ID = re.compile(r"t_[a-z0-9]{14}")
ID, ORIGIN = 16, 8


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def new_id(prefix: str, length: int = 14) -> str:
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length))


def shard(table: str) -> int:
    return zlib.crc32(table.encode()) % SHARDS


def outbox_key(number: int) -> str:
    return f"{{t:{number}}}:outbox"


def list_key(number: int, status: str) -> str:
    return f"{{t:{number}}}:{status}"


def tries_key(number: int) -> str:
    return f"{{t:{number}}}:tries"


def channel(number: int) -> str:
    """Where the changes of a shard's tables are published."""
    return f"{{t:{number}}}:changes"


@dataclass(slots=True)
class Loaded:
    """A table as read from Redis."""

    record: pb.TableRecord
    version: int
    state: bytes

    @property
    def table(self) -> pb.Table:
        return self.record.table


@dataclass(slots=True)
class Commit:
    """What a change writes beside the record."""

    entry: pb.LogEntry
    change: pb.Change = field(default_factory=pb.Change)
    state: bytes = b""
    bot_due: int | None = None
    # "open", "playing", "" (none) or "=" (as it was).
    listed: str = "="
    once_key: str = ""
    once_answer: bytes = b""


class Stale(Exception):
    """Somebody else changed the table first."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the table is at version {version}")
        self.version = version


class Again(Exception):
    """The same request was answered before."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("answered before")
        self.answer = answer


class Together:
    """Runs one script for many callers: those who come at the same moment share a round trip to Redis."""

    def __init__(self, redis: Redis, script: str) -> None:
        self.redis: Any = redis
        self.script = script
        self.name = sha1(script.encode()).hexdigest()
        self.waiting: list[tuple[list[Any], asyncio.Future[Any]]] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self, keys: list[str], args: list[Any]) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append(([len(keys), *keys, *args], answer))
        if len(self.waiting) == 1:
            task = asyncio.create_task(self.send())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return await answer

    async def send(self) -> None:
        await asyncio.sleep(0)
        waiting, self.waiting = self.waiting, []
        try:
            results = await self.execute([call for call, _ in waiting])
        except Exception as error:
            results = [error] * len(waiting)
        for (_, answer), result in zip(waiting, results, strict=True):
            if answer.done():
                continue
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)

    async def execute(self, calls: list[list[Any]]) -> list[Any]:
        pipe = self.redis.pipeline(transaction=False)
        for call in calls:
            pipe.evalsha(self.name, *call)
        results: list[Any] = await pipe.execute(raise_on_error=False)
        lost = [number for number, result in enumerate(results) if isinstance(result, NoScriptError)]
        if lost:
            await self.redis.script_load(self.script)
            again = await self.execute([calls[number] for number in lost])
            for number, result in zip(lost, again, strict=True):
                results[number] = result
        return results


class Store:
    def __init__(self, redis: Redis, origin: bytes) -> None:
        # redis-py types its answers for both its clients at once; this is the asynchronous one.
        self.redis: Any = redis
        # Marks this process's own messages, which its watchers have had already.
        self.origin = origin
        self._commits = Together(redis, (HERE / "commit.lua").read_text())
        self._claims = Together(redis, (HERE / "claim.lua").read_text())

    def key(self, table: str, suffix: str = "") -> str:
        return f"{{t:{shard(table)}}}:{table}{suffix}"

    async def load(self, table: str) -> Loaded:
        record = version = state = None
        if TABLE_ID.fullmatch(table):
            record, version, state = await self.redis.hmget(self.key(table), "record", "version", "state")
        if record is None or version is None:
            raise not_found("UNKNOWN_TABLE", f"there is no table {table[:40]!r}")
        loaded = Loaded(pb.TableRecord.FromString(record), int(version), state or b"")
        loaded.table.version = loaded.version
        return loaded

    async def load_many(self, tables: list[str]) -> list[pb.Table]:
        """The tables that (still) exist, in the same order."""
        pipe = self.redis.pipeline(transaction=False)
        for table in tables:
            pipe.hmget(self.key(table), "record", "version")
        found = []
        for record, version in await pipe.execute():
            if record is not None and version is not None:
                one = pb.TableRecord.FromString(record).table
                one.version = int(version)
                found.append(one)
        return found

    async def commit(self, record: pb.TableRecord, expected: int, commit: Commit) -> None:
        """Writes the change; raises Stale or Again without having changed anything."""
        table = record.table.id
        number = shard(table)
        keys = [
            self.key(table),
            self.key(table, ":log"),
            outbox_key(number),
            list_key(number, "open"),
            list_key(number, "playing"),
            self.key(table, f":once:{commit.once_key}"),
            tries_key(number),
        ]
        answer, value = await self._commits.run(
            keys,
            [
                expected,
                record.SerializeToString(),
                commit.state,
                commit.entry.SerializeToString(),
                channel(number),
                self.origin + table.encode() + commit.change.SerializeToString(),
                table,
                "" if commit.bot_due is None else commit.bot_due,
                commit.listed,
                record.table.created_at,
                commit.once_answer,
                ONCE_MS,
            ],
        )
        if answer == b"again":
            raise Again(value)
        if answer == b"stale":
            raise Stale(int(value))

    async def answered(self, table: str, once_key: str) -> bytes | None:
        answer: bytes | None = await self.redis.get(self.key(table, f":once:{once_key}"))
        return answer

    async def log(self, table: str, after: int, limit: int | None = None) -> list[pb.LogEntry]:
        """The entries that made versions after+1, after+2, …"""
        last = -1 if limit is None else after + limit - 1
        entries = await self.redis.lrange(self.key(table, ":log"), after, last)
        return [pb.LogEntry.FromString(entry) for entry in entries]

    async def listed(self, status: str, below: tuple[int, str] | None, count: int) -> list[tuple[int, str]]:
        """(created at, id) of the public tables with that status, newest first: at most `count`, all below `below`."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            highest = "+inf" if below is None else below[0]
            pipe.zrevrangebyscore(list_key(number, status), highest, "-inf", start=0, num=count + 1, withscores=True)
        found = [(int(score), table.decode()) for rows in await pipe.execute() for table, score in rows]
        return sorted((row for row in found if below is None or row < below), reverse=True)[:count]

    async def due_bots(self, redeliver_ms: int, limit: int = 200) -> list[tuple[str, int]]:
        """Tables whose bot has not acted in time, each given to one caller, and in how many ms it is due again."""
        now = now_ms()
        keys = [[outbox_key(number), tries_key(number)] for number in range(SHARDS)]
        claims = [self._claims.run(pair, [now, redeliver_ms, limit]) for pair in keys]
        rows = [row for shard_rows in await asyncio.gather(*claims) for row in shard_rows]
        return [(table.decode(), int(delay)) for table, delay in rows]

    async def outbox(self) -> tuple[int, int]:
        """How many bot turns wait, and for how many milliseconds the oldest has been overdue."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zcard(outbox_key(number))
            pipe.zrange(outbox_key(number), 0, 0, withscores=True)
        answers, now = await pipe.execute(), now_ms()
        oldest = min([now, *(int(due) for rows in answers[1::2] for _, due in rows)])
        return sum(answers[0::2]), now - oldest
