"""Who watches what on this copy of the service, and is told of every change."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Iterator

from prometheus_client import Gauge
from redis.exceptions import RedisError

from services.sessions.people.chat_lines import FIRST_LINE
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.ids import ID, ORIGIN
from services.sessions.store.records import Change
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
WATCHERS = Gauge("teahouse_watchers", "Open watch streams.")
# A watcher that is further behind than this reads the log instead.
MOST_PENDING = 32
# Seconds after which a stream of a player or a ticket looks again though nobody told it to.
LOOK_AGAIN = 5.0


class Watcher:
    """One onlooker's place in a table's history."""

    def __init__(self, spectator: bool) -> None:
        self.spectator = spectator
        self.pending: list[Change] = []
        # Something was missed or dropped: what is pending is not the whole story.
        self.gap = False
        # What was said since that line; whether other people may be there now than those this onlooker was told of.
        self.line = FIRST_LINE
        self.lines: list[pb.ChatLine] = []
        self.presence_changed = False
        self.presence_told: pb.Presence | None = None
        # Something has come since the last look; the one task that waits for that.
        self.ready = False
        self.waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        self.ready = True
        if self.waiter and not self.waiter.done():
            self.waiter.set_result(None)

    def deliver(self, change: Change) -> None:
        if len(self.pending) >= MOST_PENDING:
            self.pending.clear()
            self.gap = True
        self.pending.append(change)
        self.wake()

    def missed(self) -> None:
        self.gap = True
        self.wake()

    async def take(self) -> tuple[list[Change], bool]:
        """Waits for news; returns the changes in order and whether there is a gap before or between them."""
        if not self.ready:
            self.waiter = asyncio.get_running_loop().create_future()
            await self.waiter
        self.ready = False
        changes, gap = self.pending, self.gap
        self.pending, self.gap = [], False
        return changes, gap


class Hub:
    """Owns the watchers of this copy: of tables, and of players and tickets, which have no log."""

    def __init__(self, redis: AsyncRedis, origin: bytes) -> None:
        self.redis, self.origin = redis, origin
        self.watchers: dict[str, set[Watcher]] = defaultdict(set)

    @contextlib.contextmanager
    def watch(self, watched: str, spectator: bool) -> Iterator[Watcher]:
        """A watcher that hears of every change made from now on."""
        watcher = Watcher(spectator)
        self.join(watched, watcher)
        WATCHERS.inc()
        try:
            yield watcher
        finally:
            WATCHERS.dec()
            self.leave(watched, watcher)

    def join(self, watched: str, watcher: Watcher) -> None:
        self.watchers[watched].add(watcher)

    def leave(self, watched: str, watcher: Watcher) -> None:
        self.watchers[watched].discard(watcher)
        if not self.watchers[watched]:
            del self.watchers[watched]

    def has_spectators(self, table: str) -> bool:
        return any(watcher.spectator for watcher in self.watchers.get(table, ()))

    def deliver(self, table: str, change: Change) -> None:
        for watcher in self.watchers.get(table, ()):
            watcher.deliver(change)

    def missed(self, watched: str) -> None:
        """Something may have happened there: whoever watches reads the log."""
        for watcher in self.watchers.get(watched, ()):
            watcher.missed()

    def missed_all(self) -> None:
        """Other copies may have done something unheard."""
        for watched in self.watchers:
            self.missed(watched)

    def hear(self, data: bytes) -> None:
        """What a copy of the service has published of one change."""
        origin, watched, change = data[:ORIGIN], data[ORIGIN : ORIGIN + ID].decode(), data[ORIGIN + ID :]
        if origin != self.origin and watched in self.watchers:
            if change:
                self.deliver(watched, Change.decode(change))
            else:
                self.missed(watched)

    async def tell(self, *watched: str) -> None:
        """Whoever watches one of these players or tickets, at any copy, looks again."""
        for one in watched:
            self.missed(one)
        notices = [(keys.changes(keys.shard(one)), self.origin + one.encode()) for one in watched]
        try:
            # The cluster's client has no `publish`.
            await asyncio.gather(*(self.redis.execute_command("PUBLISH", *notice) for notice in notices))
        except RedisError as error:
            # What happened has been written; those who watch look again by themselves after some seconds.
            log.warning("nobody was told of %s: %s", ", ".join(watched), error)
