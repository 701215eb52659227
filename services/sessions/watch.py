"""Live updates: every copy of the service hears of every change of the tables that somebody watches there."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator

from prometheus_client import Gauge
from redis.exceptions import RedisError

from services.sessions.connect import connect_to_node
from services.sessions.store import FIRST_LINE, ID, ORIGIN, SHARDS, Change, channel, own_channel
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
WATCHERS = Gauge("teahouse_watchers", "Open watch streams.")
# Seconds after which a silent subscription is asked whether it still stands, and in which it must answer.
QUIET = 3.0
# A watcher that is further behind than this reads the log instead.
MOST_PENDING = 32


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
        self.stirred = False
        self.told: pb.Presence | None = None
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
    """Hears of every change that any copy of the service makes, and tells the watchers of this one."""

    # What is heard: one of these per shard.
    topics: tuple[Callable[[int], str], ...] = (channel,)

    def __init__(self, url: str, origin: bytes) -> None:
        self.url, self.origin = url, origin
        self.watchers: dict[str, set[Watcher]] = defaultdict(set)
        # Set once the first subscription stands.
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def watch(self, table: str, spectator: bool) -> Iterator[Watcher]:
        """A watcher that hears of every change made from now on."""
        watcher = Watcher(spectator)
        self.join(table, watcher)
        WATCHERS.inc()
        try:
            yield watcher
        finally:
            WATCHERS.dec()
            self.leave(table, watcher)

    def join(self, table: str, watcher: Watcher) -> None:
        self.watchers[table].add(watcher)

    def leave(self, table: str, watcher: Watcher) -> None:
        self.watchers[table].discard(watcher)
        if not self.watchers[table]:
            del self.watchers[table]

    def has_spectators(self, table: str) -> bool:
        return any(watcher.spectator for watcher in self.watchers.get(table, ()))

    def deliver(self, table: str, change: Change) -> None:
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
        channels = [own_channel(self.origin), *(topic(number) for topic in self.topics for number in range(SHARDS))]
        async with connect_to_node(self.url) as redis, redis.pubsub() as pubsub:
            await pubsub.subscribe(*channels)
            missing, asked = len(channels), False
            while True:
                message = await pubsub.get_message(timeout=QUIET)
                if message is None and asked:
                    raise ConnectionError("it does not answer")
                asked = message is None
                if message is None:
                    await pubsub.ping()
                elif message["type"] == "subscribe":
                    missing -= 1
                    if not missing:
                        self._stands()
                elif message["type"] == "message":
                    self._hear(message["channel"], message["data"])

    def _stands(self) -> None:
        """From here on nothing is missed; what came before is in the log."""
        self.listening.set()
        for table in self.watchers:
            self.missed(table)

    def _hear(self, topic: bytes, data: bytes) -> None:
        origin, table, change = data[:ORIGIN], data[ORIGIN : ORIGIN + ID].decode(), data[ORIGIN + ID :]
        if origin != self.origin and table in self.watchers:
            if change:
                self.deliver(table, Change.decode(change))
            else:
                self.missed(table)
