"""Tables in Redis. The truth of a table is its log; the record and the state are snapshots of it.

Keys of a table carry the hash tag of its shard, `{t:<n>}`, so that they, the shard's outbox and its lists of tables
live on one node of a Redis Cluster and one Lua script can change them together.

A table leaves nothing behind when it expires. So whoever gives tables another key names it in `TABLE_KEYS`, and whoever
keeps another list of tables for a player names it in `PLAYER_LISTS`.
"""

import asyncio
import re
import secrets
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import RedisError

from services.platform import tracing
from services.platform.clock import now_ms
from services.platform.errors import invalid, not_found
from services.sessions.scripts import Together
from services.sessions.wire import Wire
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

SHARDS = 16
# Every key of a table is `{t:<n>}:<table>` with one of these behind it: the table itself, its log, the answers to
# repeated requests and their order, the ratings with which its players came to its end, its chat, who is there, hints.
TABLE_KEYS = ("", ":log", ":once", ":once:order", ":ratings", ":chat", ":present", ":hints")
# Sorted sets `{p:<player>}:<list>` with ids of tables: all; those that have not ended, as far as is known; those that
# were counted as results.
PLAYER_LISTS = ("tables", "live", "history")
# How long a repeated request gets its first answer, and how many of a table's latest requests do.
ONCE_MS = 3_600_000
MOST_ONCE = 50
# Milliseconds after which another copy handles a deadline that one has taken.
DEADLINE_AGAIN_MS = 500
# A bot's turn that nobody takes is handed out again after ever longer pauses, up to so many times the first.
LONGEST_PAUSE = 32
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
# A table's id, and its length; the length of what marks the messages of one process.
TABLE_ID = re.compile(r"t_[a-z0-9]{14}")
ID, ORIGIN = 16, 8
# Lines of chat that are kept per table; what an id looks like, and one that is before all of them.
MOST_LINES = 500
LINE_ID = re.compile(r"[0-9]{1,15}-[0-9]{1,10}")
FIRST_LINE = "0-0"


def new_id(prefix: str, length: int = 14) -> str:
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length))


def shard(table: str) -> int:
    return zlib.crc32(table.encode()) % SHARDS


@cache
def outbox_key(number: int) -> str:
    return f"{{t:{number}}}:outbox"


@cache
def list_key(number: int, status: str) -> str:
    return f"{{t:{number}}}:{status}"


@cache
def tries_key(number: int) -> str:
    return f"{{t:{number}}}:tries"


@cache
def late_key(number: int) -> str:
    """Bots' turns that were handed out again, by the time at which they should have been played."""
    return f"{{t:{number}}}:late"


@cache
def results_key(number: int) -> str:
    """Finished tables that have not been counted for their players."""
    return f"{{t:{number}}}:results"


def results_tries_key(number: int) -> str:
    return f"{{t:{number}}}:results-tries"


@cache
def deadlines_key(number: int) -> str:
    return f"{{t:{number}}}:deadlines"


@cache
def expiry_key(number: int) -> str:
    """The shard's tables by the time at which they expire, if nothing happens there."""
    return f"{{t:{number}}}:expiry"


def player_list_key(player: str, name: str) -> str:
    return f"{{p:{player}}}:{name}"


def line_from(id_: bytes, data: bytes) -> pb.ChatLine:
    """A line of a table's chat, as Redis keeps it."""
    line = pb.ChatLine.FromString(data)
    line.id, line.at = id_.decode(), int(id_.partition(b"-")[0])
    return line


def checked_line(id_: str) -> str:
    if not LINE_ID.fullmatch(id_):
        raise invalid("BAD_PAGE", "that is not the id of a line", field="after")
    return id_


@cache
def marks_key(number: int) -> str:
    """The players who have webhooks, each with the id of one of them."""
    return f"{{t:{number}}}:hooked"


@cache
def notices_key(number: int) -> str:
    """What players with webhooks are to be told."""
    return f"{{t:{number}}}:notices"


def states_key(number: int) -> str:
    """How many tables of the shard are open, in play, finished, closed."""
    return f"{{t:{number}}}:states"


@cache
def channel(number: int) -> str:
    """Where the changes of a shard's tables are published."""
    return f"{{t:{number}}}:changes"


def own_channel(origin: bytes) -> str:
    """That a copy subscribes to beside those of all shards: whoever counts listeners can leave it out."""
    return f"copy:{origin.hex()}"


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
class Change:
    """What those who watch need to know of one change. Nothing in it is altered later."""

    version: int
    entry: pb.LogEntry
    position: rules_pb2.Position | None
    table: pb.Table

    def encode(self) -> bytes:
        return pb.Change(
            version=self.version, entry=self.entry, position=self.position, table=self.table
        ).SerializeToString()

    @staticmethod
    def decode(data: bytes) -> "Change":
        change = pb.Change.FromString(data)
        return Change(
            change.version, change.entry, change.position if change.HasField("position") else None, change.table
        )


@dataclass(slots=True)
class Commit:
    """What a change writes beside the record."""

    entry: pb.LogEntry
    state: bytes = b""
    bot_due: int | None = None
    # "open", "playing", "" (none) or "=" (as it was; then the table's status is as it was, too).
    listed: str = "="
    once_key: str = ""
    once_answer: bytes = b""
    # Milliseconds since 1970; "" (none) or "=" (as it was).
    deadline: int | str = "="
    # Milliseconds since 1970; "" (as it was).
    expires: int | str = ""
    # The game is over: the table is to be counted for its players.
    finished: bool = False
    # Who is told what if they have webhooks; see services.sessions.notices.
    notices: str = ""


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


class Store:
    def __init__(self, redis: Redis | RedisCluster, origin: bytes) -> None:
        # redis-py types its answers for both its clients at once; this is the asynchronous one.
        self.redis: Any = redis
        # Marks this process's own messages, which its watchers have had already.
        self.origin = origin
        # Whether other copies of the service listen. If none did, nothing was published, and the next message is a bare
        # notice, which one that has just come answers by reading the log. A node of a cluster cannot say who listens at
        # another one.
        self.others = True
        self.cluster = isinstance(redis, RedisCluster)
        # Not the wire of the scripts: who reads must not wait behind those who write. It is no part of a trace.
        self._wire = None if isinstance(redis, RedisCluster) or tracing.tracer() else Wire(redis.connection_pool)
        self._commits = Together(redis, "commit")
        self._claims = Together(redis, "claim")
        self._purges = Together(redis, "purge")

    def key(self, table: str, suffix: str = "") -> str:
        return f"{{t:{shard(table)}}}:{table}{suffix}"

    async def load(self, table: str) -> Loaded:
        record = version = state = None
        if TABLE_ID.fullmatch(table):
            record, version, state = await self._ask("HMGET", self.key(table), "record", "version", "state")
        if record is None or version is None:
            raise not_found("UNKNOWN_TABLE", f"there is no table {table[:40]!r}")
        loaded = Loaded(pb.TableRecord.FromString(record), int(version), state or b"")
        loaded.table.version = loaded.version
        return loaded

    async def _ask(self, *command: str) -> Any:
        """Reads what is read often: by the wire, where there is one."""
        if self._wire is None:
            return await self.redis.execute_command(*command)
        [answer] = await self._wire.ask([command])
        if isinstance(answer, RedisError):
            raise answer
        return answer

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

    def commit(
        self, record: pb.TableRecord, expected: int, commit: Commit, change: Change
    ) -> "asyncio.Future[tuple[bytes, Any]]":
        """Writes the change; `committed` reads the answer."""
        table = record.table.id
        number = shard(table)
        key = f"{{t:{number}}}:{table}"
        keys = [
            key,
            key + ":log",
            outbox_key(number),
            list_key(number, "open"),
            list_key(number, "playing"),
            key + ":once",
            tries_key(number),
            deadlines_key(number),
            expiry_key(number),
            key + ":once:order",
            results_key(number),
            marks_key(number),
            notices_key(number),
            states_key(number),
            late_key(number),
        ]
        return self._commits.ask(
            keys,
            [
                expected,
                record.SerializeToString(),
                commit.state,
                commit.entry.SerializeToString(),
                channel(number),
                self.origin + table.encode() + (change.encode() if self.others else b""),
                table,
                "" if commit.bot_due is None else commit.bot_due,
                commit.listed,
                record.table.created_at,
                commit.once_answer,
                ONCE_MS,
                commit.once_key,
                MOST_ONCE,
                commit.deadline,
                commit.expires,
                record.table.updated_at if commit.finished else "",
                commit.notices,
                "" if commit.listed == "=" else record.table.status,
                "" if self.cluster else own_channel(self.origin),
            ],
        )

    def committed(self, answer: tuple[bytes, Any]) -> None:
        """Raises Stale or Again if nothing was changed."""
        what, value = answer
        if what == b"again":
            raise Again(value)
        if what == b"stale":
            raise Stale(int(value))
        self.others = self.cluster or int(value) > 0

    async def answered(self, table: str, once_key: str) -> bytes | None:
        answer: bytes | None = await self.redis.hget(self.key(table, ":once"), once_key)
        return answer

    async def log(self, table: str, after: int, limit: int | None = None) -> list[pb.LogEntry]:
        """The entries that made versions after+1, after+2, …"""
        last = -1 if limit is None else after + limit - 1
        entries = await self.redis.lrange(self.key(table, ":log"), after, last)
        return [pb.LogEntry.FromString(entry) for entry in entries]

    async def newest_line(self, table: str) -> str:
        rows = await self.redis.xrevrange(self.key(table, ":chat"), count=1)
        return rows[0][0].decode() if rows else FIRST_LINE

    async def chat(self, table: str, after: str, limit: int = MOST_LINES) -> list[pb.ChatLine]:
        """The lines after that one, oldest first."""
        rows = await self.redis.xrange(self.key(table, ":chat"), f"({checked_line(after)}", count=limit)
        return [line_from(id_, fields[b"line"]) for id_, fields in rows]

    async def latest_chat(self, table: str, limit: int) -> list[pb.ChatLine]:
        """The newest lines, oldest first."""
        rows = await self.redis.xrevrange(self.key(table, ":chat"), count=limit)
        return [line_from(id_, fields[b"line"]) for id_, fields in reversed(rows)]

    async def listed(self, status: str, below: tuple[int, str] | None, count: int) -> list[tuple[int, str]]:
        """(created at, id) of the public tables with that status, newest first: at most `count`, all below `below`."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            highest = "+inf" if below is None else below[0]
            pipe.zrevrangebyscore(list_key(number, status), highest, "-inf", start=0, num=count + 1, withscores=True)
        found = [(int(score), table.decode()) for rows in await pipe.execute() for table, score in rows]
        return sorted((row for row in found if below is None or row < below), reverse=True)[:count]

    async def take_due(self, outbox: str, tries: str, pause_ms: int, limit: int = 200) -> list[str]:
        """What is due in an outbox; each entry is given to one caller and set aside for so many milliseconds."""
        rows = await self._claims.run([outbox, tries], [now_ms(), pause_ms, limit, 2])
        return [entry.decode() for entry, _ in rows]

    async def notify(self, watched: Iterable[str]) -> None:
        """Tells the other copies that something happened to these players or tickets, which have no log."""
        notices = [(channel(shard(one)), self.origin + one.encode()) for one in watched]
        # The cluster's client has no `publish`.
        await asyncio.gather(*(self.redis.execute_command("PUBLISH", *notice) for notice in notices))

    async def due_bots(self, redeliver_ms: int, limit: int = 200) -> list[tuple[str, int]]:
        """Tables whose bot has not acted in time, each given to one caller, and in how many ms it is due again."""
        keys = [[outbox_key(number), tries_key(number), late_key(number)] for number in range(SHARDS)]
        return await self._claim(keys, redeliver_ms, limit, LONGEST_PAUSE)

    async def due_deadlines(self, limit: int = 50) -> list[str]:
        """Tables where a seat's time is up, each given to one caller; to another if that one dies."""
        keys = [[deadlines_key(number), tries_key(number)] for number in range(SHARDS)]
        return [table for table, _ in await self._claim(keys, DEADLINE_AGAIN_MS, limit, 2)]

    async def _claim(self, keys: list[list[str]], again_ms: int, limit: int, most: int) -> list[tuple[str, int]]:
        now = now_ms()
        claims = [self._claims.run(of_shard, [now, again_ms, limit, most]) for of_shard in keys]
        rows = [row for shard_rows in await asyncio.gather(*claims) for row in shard_rows]
        return [(table.decode(), int(delay)) for table, delay in rows]

    async def is_thought_about(self, table: str, until: int) -> None:
        """A worker has taken a bot's turn: it is not handed out again before that time."""
        await self.redis.zadd(outbox_key(shard(table)), {table: until}, xx=True, gt=True)

    async def expired(self, limit: int = 50) -> list[str]:
        """Tables that may have expired: nothing happened there since the time of their expiry was set, or something."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zrangebyscore(expiry_key(number), "-inf", now_ms(), start=0, num=limit)
        return [table.decode() for rows in await pipe.execute() for table in rows]

    async def expires_at(self, table: str, at: int) -> None:
        await self.redis.zadd(expiry_key(shard(table)), {table: at}, xx=True)

    async def purge(self, table: str, version: int) -> bool:
        """Removes all that there is of a table beside the players' lists; False if it is not at that version."""
        number = shard(table)
        sets = (outbox_key, late_key, deadlines_key, expiry_key)
        keys = [
            self.key(table),
            tries_key(number),
            states_key(number),
            *(one(number) for one in sets),
            *(list_key(number, status) for status in ("open", "playing")),
            *(self.key(table, suffix) for suffix in TABLE_KEYS if suffix),
        ]
        return bool(await self._purges.run(keys, [version, table]))

    async def outbox(self) -> tuple[int, int]:
        """How many bot turns are due or being played, and for how many milliseconds the oldest has been overdue."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zcard(outbox_key(number))
            pipe.zrange(late_key(number), 0, 0, withscores=True)
        answers, now = await pipe.execute(), now_ms()
        oldest = min([now, *(int(due) for rows in answers[1::2] for _, due in rows)])
        return sum(answers[0::2]), now - oldest
