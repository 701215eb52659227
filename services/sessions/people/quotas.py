"""How often a player may do something, counted in Redis so that it holds over all copies of the service."""

from dataclasses import dataclass

import grpc

from services.platform.errors import Refusal
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.script import Script


@dataclass(frozen=True)
class Rate:
    """`most` times in `seconds`; `what` is counted."""

    name: str
    most: int
    seconds: int
    what: str


class Quotas:
    """Owns the counters."""

    def __init__(self, redis: AsyncRedis) -> None:
        self._script = Script(redis, "rate")

    async def count(self, player: str, rate: Rate) -> None:
        """One more; raises the refusal if it is one too many."""
        used, left = await self._script.run([keys.rate(player, rate.name)], [rate.seconds * 1000])
        if used > rate.most:
            wait = max(1, -(-left // 1000))
            raise Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_REQUESTS",
                f"at most {rate.most} {rate.what} in {rate.seconds} s; wait {wait} s",
                retry_after=str(wait),
                policy=rate.name,
            )
