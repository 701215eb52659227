"""How many tables there are, by status. The scripts that change a table keep the count, so every copy says the same."""

import asyncio
import logging
from collections import Counter
from typing import Any

from prometheus_client import Gauge
from redis.exceptions import RedisError

from services.sessions.store import keys
from services.sessions.store.keys import SHARDS

log = logging.getLogger(__name__)
TABLES = Gauge("teahouse_tables", "Tables by status, the same from every copy: take the maximum.", ["status"])
STATUSES = ("open", "playing", "finished", "closed")
PAUSE = 2.0  # seconds


class TableCounts:
    """Owns the gauge."""

    def __init__(self, redis: Any) -> None:
        self.redis = redis

    async def run(self) -> None:
        """Keeps the figure true, for as long as the process lives."""
        while True:
            try:
                counted = await self._count()
                for status in STATUSES:
                    TABLES.labels(status).set(counted[status])
            except (RedisError, OSError) as error:
                log.warning("tables cannot be counted: %s", error)
            except Exception:
                log.exception("the count of tables goes on after an error")
            await asyncio.sleep(PAUSE)

    async def _count(self) -> Counter[str]:
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.hgetall(keys.states(number))
        counted: Counter[str] = Counter()
        for shard in await pipe.execute():
            counted.update({status.decode(): int(count) for status, count in shard.items()})
        return counted
