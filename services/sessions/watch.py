"""Live updates: every copy of the service hears of every change of the tables that somebody watches there."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from prometheus_client import Gauge
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.sessions.store import ID, ORIGIN, SHARDS, channel
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
WATCHERS = Gauge("teahouse_watchers", "Open watch streams.")
# A watcher that is further behind than this reads the log instead.
MOST_PENDING = 32


class Watcher:
    """One onlooker's place in a table's history."""

    def __init__(self) -> None:
        self.pending: list[pb.Change] = []
        # Something was missed or dropped: what is pending is not the whole story.
        self.gap = False
        self.ready = asyncio.Event()

    def deliver(self, change: pb.Change) -> None:
        if len(self.pending) >= MOST_PENDING:
            self.pending.clear()
            self.gap = True
        self.pending.append(change)
        self.ready.set()

    def missed(self) -> None:
        self.gap = True
        self.ready.set()

    async def take(self) -> tuple[list[pb.Change], bool]:
        """Waits for news; returns the changes in order and whether there is a gap before or between them."""
        await self.ready.wait()
        self.ready.clear()
        changes, gap = self.pending, self.gap
        self.pending, self.gap = [], False
        return changes, gap


class Hub:
    """Hears of every change that any copy of the service makes, and tells the watchers of this one."""

    def __init__(self, redis: Redis, origin: bytes) -> None:
        self.redis: Any = redis
        self.origin = origin
        self.watchers: dict[str, set[Watcher]] = defaultdict(set)
        # Set once the first subscription stands.
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def watch(self, table: str) -> Iterator[Watcher]:
        """A watcher that hears of every change made from now on."""
        watcher = Watcher()
        self.watchers[table].add(watcher)
        WATCHERS.inc()
        try:
            yield watcher
        finally:
            WATCHERS.dec()
            self.watchers[table].discard(watcher)
            if not self.watchers[table]:
                del self.watchers[table]

    def deliver(self, table: str, change: pb.Change) -> None:
        for watcher in self.watchers.get(table, ()):
            watcher.deliver(change)

    def missed(self, table: str) -> None:
        """Something may have happened there: whoever watches reads the log."""
        for watcher in self.watchers.get(table, ()):
            watcher.missed()

    async def run(self) -> None:
        """Passes on what the other copies publish, until cancelled."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("lost the subscription, trying again: %s", error)
            except Exception:
                log.exception("the subscription goes on after an error")
            await asyncio.sleep(0.2)

    async def _listen(self) -> None:
        async with self.redis.pubsub() as pubsub:
            await pubsub.subscribe(*map(channel, range(SHARDS)))
            missing = SHARDS
            while True:
                message = await pubsub.get_message(timeout=None)
                if message is None:
                    continue
                if message["type"] == "subscribe":
                    missing -= 1
                    if not missing:
                        self._stands()
                elif message["type"] == "message":
                    self._hear(message["data"])

    def _stands(self) -> None:
        """From here on nothing is missed; what came before is in the log."""
        self.listening.set()
        for table in self.watchers:
            self.missed(table)

    def _hear(self, data: bytes) -> None:
        origin, table, change = data[:ORIGIN], data[ORIGIN : ORIGIN + ID].decode(), data[ORIGIN + ID :]
        if origin != self.origin and table in self.watchers:
            self.deliver(table, pb.Change.FromString(change))
