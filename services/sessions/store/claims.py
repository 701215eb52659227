"""What is due at some time and is handled by one copy: bots' turns, deadlines, results, proposals."""

import asyncio

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster

from services.platform.clock import now_ms
from services.sessions.store.script import Script

# An entry that was taken before is set aside for twice as long. For more than that only where it is asked for.
TWICE = 2


class Claims:
    """Owns claim_with_backoff.lua: gives what is due to one caller, and to another if that one does not finish it."""

    def __init__(self, redis: Redis | RedisCluster) -> None:
        self._script = Script(redis, "claim_with_backoff")

    async def take(self, outbox: str, tries: str, again_ms: int, limit: int = 200) -> list[str]:
        """What is due; each entry is set aside for so many milliseconds."""
        return [entry for entry, _ in await self.take_all([[outbox, tries]], again_ms, limit)]

    async def take_all(
        self, outboxes: list[list[str]], again_ms: int, limit: int, most: int = TWICE
    ) -> list[tuple[str, int]]:
        """Of several outboxes, each with its other keys: (entry, milliseconds until it is due again)."""
        now = now_ms()
        claims = [self._script.run(keys, [now, again_ms, limit, most]) for keys in outboxes]
        rows = [row for found in await asyncio.gather(*claims) for row in found]
        return [(entry.decode(), int(delay)) for entry, delay in rows]
