"""Live updates: every copy of the service hears of every change of the tables that somebody watches there."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

from prometheus_client import Gauge
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.sessions.store import channel
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
    """One Redis subscription for all watchers of this process."""

    def __init__(self, redis: Redis, origin: bytes) -> None:
        self.redis: Any = redis
        self.origin = origin
        self.watchers: dict[str, set[Watcher]] = defaultdict(set)
        self.pubsub: Any = redis.pubsub(ignore_subscribe_messages=True)
        self.changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def watch(self, table: str) -> AsyncIterator[Watcher]:
        """A watcher that hears of every change made after this returns."""
        watcher = Watcher()
        first = table not in self.watchers
        self.watchers[table].add(watcher)
        WATCHERS.inc()
        try:
            if first:
                await self.pubsub.subscribe(channel(table))
                self.changed.set()
            yield watcher
        finally:
            WATCHERS.dec()
            self.watchers[table].discard(watcher)
            if not self.watchers[table]:
                del self.watchers[table]
                with contextlib.suppress(RedisError):
                    await self.pubsub.unsubscribe(channel(table))

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
                await asyncio.sleep(0.2)
                await self._resubscribe()

    async def _listen(self) -> None:
        while True:
            if not self.pubsub.subscribed:
                self.changed.clear()
                await self.changed.wait()
                continue
            message = await self.pubsub.get_message(timeout=None)
            if message is None or message["type"] != "message":
                continue
            data = message["data"]
            if data.startswith(self.origin):
                continue
            table = message["channel"].decode().removeprefix("table:")
            self.deliver(table, pb.Change.FromString(data[len(self.origin) :]))

    async def _resubscribe(self) -> None:
        """A new subscription to everything watched; whoever watches reads the log for what it may have missed."""
        with contextlib.suppress(RedisError, OSError):
            await self.pubsub.aclose()
        self.pubsub = self.redis.pubsub(ignore_subscribe_messages=True)
        while self.watchers:
            try:
                await self.pubsub.subscribe(*map(channel, self.watchers))
                break
            except (RedisError, OSError):
                await asyncio.sleep(0.2)
        for table in self.watchers:
            self.missed(table)
