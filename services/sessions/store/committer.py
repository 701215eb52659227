"""One change of a table, written whole or not at all: the only way in which a table changes."""

import asyncio
from functools import cache
from typing import Any

from msgspec import Raw, Struct
from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster

from services.sessions.store import keys
from services.sessions.store.records import Again, Change, Commit, Stale
from services.sessions.store.script import Script, encode, raw
from teahouse.v1 import sessions_pb2 as pb

# How long a repeated request gets its first answer, and how many of a table's latest requests do.
ONCE_MS = 3_600_000
MOST_ONCE = 50
NOTHING = Raw()


class Packed(Struct, omit_defaults=True):
    """The argument of commit.lua. What is left out is nil there, and stays as it was unless something else is said."""

    table: str
    # The version that the change was made for.
    expected: int
    record: Raw
    entry: Raw
    channel: str
    message: Raw
    # A channel that only the writing copy hears; left out in a cluster, where nobody can tell who listens elsewhere.
    own_channel: str | None = None
    state: Raw = NOTHING
    # As in `Commit`; without `bot_due` no bot has the decision.
    bot_due: int | None = None
    listed: str | None = None
    # With `listed`: the table's status, and when it was made.
    status: str | None = None
    created: int | None = None
    deadline: int | None = None
    expires: int | None = None
    finished: int | None = None
    notifications: str = ""
    # The answer to keep for a repeated request, its name, for how many milliseconds, and how many are kept.
    once_answer: Raw = NOTHING
    once_key: str = ""
    once_ms: int = 0
    once_most: int = 0


class Committer:
    """Owns commit.lua: packs its argument, reads its answer."""

    def __init__(self, redis: Redis | RedisCluster, origin: bytes) -> None:
        # Marks this copy's own messages, which its watchers have had already.
        self.origin = origin
        self.cluster = isinstance(redis, RedisCluster)
        self.own_channel = None if self.cluster else keys.own_channel(origin)
        # Whether other copies of the service listen. If none did, nothing was published, and the next message is a bare
        # notice, which one that has just come answers by reading the log.
        self.others = True
        self._script = Script(redis, "commit")

    def commit(
        self, record: pb.TableRecord, expected: int, commit: Commit, change: Change
    ) -> "asyncio.Future[tuple[bytes, Any]]":
        """Writes the change; `read` reads the answer."""
        table = record.table
        id_ = table.id
        number = keys.shard(id_)
        packed = Packed(
            table=id_,
            expected=expected,
            record=raw(record.SerializeToString()),
            entry=raw(commit.entry.SerializeToString()),
            channel=keys.changes(number),
            message=raw(self.origin + id_.encode() + (change.encode() if self.others else b"")),
            own_channel=self.own_channel,
            bot_due=commit.bot_due,
            listed=commit.listed,
            deadline=commit.deadline,
            expires=commit.expires,
            notifications=commit.notifications,
        )
        if commit.state:
            packed.state = raw(commit.state)
        if commit.listed is not None:
            packed.status, packed.created = table.status, table.created_at
        if commit.finished:
            packed.finished = table.updated_at
        if commit.once_answer:
            packed.once_answer, packed.once_key = raw(commit.once_answer), commit.once_key
            packed.once_ms, packed.once_most = ONCE_MS, MOST_ONCE
        key = keys.table_of(number, id_)
        own = (key, key + ":log", key + ":once", key + ":once:order")
        return self._script.ask([*own, *of_shard(number)], [encode(packed)])

    def read(self, answer: tuple[bytes, Any]) -> None:
        """Raises Stale or Again if nothing was changed."""
        what, value = answer
        if what == b"again":
            raise Again(value)
        if what == b"stale":
            raise Stale(int(value))
        self.others = self.cluster or int(value) > 0


@cache
def of_shard(number: int) -> tuple[str, ...]:
    """The shard's keys, in the order of commit.lua."""
    return (
        keys.outbox(number),
        keys.tries(number),
        keys.late(number),
        keys.listed(number, "open"),
        keys.listed(number, "playing"),
        keys.deadlines(number),
        keys.expiry(number),
        keys.results(number),
        keys.states(number),
        keys.webhook_marks(number),
        keys.notifications(number),
    )
