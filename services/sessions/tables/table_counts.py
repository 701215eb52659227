"""How many tables there are, by status. The scripts that change a table keep the count, so every copy says the same."""

from collections import Counter

from prometheus_client import Gauge

from services.sessions.background import repeat
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import SHARDS

TABLES = Gauge("teahouse_tables", "Tables by status, the same from every copy: take the maximum.", ["status"])
STATUSES = ("open", "playing", "finished", "closed")
PAUSE = 2.0  # seconds


class TableCounts:
    """Owns the gauge."""

    def __init__(self, redis: AsyncRedis) -> None:
        self.redis = redis

    async def run(self) -> None:
        await repeat("the count of tables", self._count, PAUSE)

    async def _count(self) -> None:
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.hgetall(keys.states(number))
        counted: Counter[str] = Counter()
        for shard in await pipe.execute():
            counted.update({status.decode(): int(count) for status, count in shard.items()})
        for status in STATUSES:
            TABLES.labels(status).set(counted[status])
