"""Rate limits that hold across copies of the gateway: token buckets in Redis, from which each copy takes permits.

A copy takes a fiftieth of a bucket at a time and spends it by itself, so that a request seldom waits for Redis. Never
more is spent than the buckets held. While Redis is away, each copy allows the same rate by itself, without bursts.
Which call counts against which limit is in `admission.py`. Chat and hints have quotas of their own in the session
service (`services/sessions/people/quotas.py`).
"""

import asyncio
import logging
import math
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from gateway.contract.problems import Problem
from gateway.server import metrics
from services.platform.settings import Settings

log = logging.getLogger(__name__)
SCRIPT = (Path(__file__).parent / "token_bucket.lua").read_text()
SHARE = 50
# Clients that a copy remembers; one that is forgotten takes new permits.
MOST = 20_000
# Seconds that Redis may take, and for which it is left alone when it did not answer.
PATIENCE, AWAY = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class Policy:
    """So many requests in so many seconds; a client that was quiet may make all of them at once."""

    name: str
    requests: int
    seconds: int

    @property
    def lease(self) -> int:
        """Permits that a copy takes at a time."""
        return max(1, self.requests // SHARE)

    def header(self) -> str:
        """
        >>> Policy("player", 600, 60).header()
        '"player";q=600;w=60'
        """
        return f'"{self.name}";q={self.requests};w={self.seconds}'


class RateLimits:
    """Made once per process, inside its event loop."""

    def __init__(self, settings: Settings) -> None:
        once = Retry(NoBackoff(), 0)
        self.redis = Redis.from_url(
            settings.limits_url, retry=once, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )
        self.script = self.redis.register_script(SCRIPT)
        self.policies = {
            name: Policy(name, *rate)
            for name, rate in {
                "player": settings.limit_player,
                "application": settings.limit_application,
                "address": settings.limit_address,
                "new-players": settings.limit_new_players,
                "tables": settings.limit_tables,
                "codes": settings.limit_codes,
            }.items()
        }
        self.allowances: dict[tuple[str, str], Allowance] = {}
        self.away = 0.0

    def allowance(self, policy: str, client: str, requests: int = 0, seconds: int = 0) -> "Allowance":
        """What this client may still do; `requests` and `seconds` if it has a limit of its own."""
        found = self.allowances.get((policy, client))
        if found is None:
            while len(self.allowances) >= MOST:
                del self.allowances[next(iter(self.allowances))]
            rule = Policy(policy, requests, seconds) if requests else self.policies[policy]
            found = self.allowances[policy, client] = Allowance(self, rule, client)
        return found

    async def take(self, policy: Policy, client: str) -> tuple[int, int, int] | None:
        """Permits taken, permits left, milliseconds until the next; None while Redis is away."""
        if monotonic() < self.away:
            return None
        try:
            # One key a call, as a Redis Cluster needs it.
            key = f"{{limit:{policy.name}:{client}}}"
            taken, left, wait = await self.script(
                keys=[key], args=[policy.requests, policy.seconds * 1000, policy.lease]
            )
        except (RedisError, OSError, RuntimeError) as error:  # the last from uvloop, of a connection just reset
            if not self.away:
                log.warning("Redis is away, each gateway limits by itself: %s", error)
            self.away = monotonic() + AWAY
            return None
        if self.away:
            log.info("Redis is back, limits hold across gateways again")
            self.away = 0.0
        return taken, left, wait

    async def close(self) -> None:
        await self.redis.aclose()


class Allowance:
    """One client's permits under one policy, as this copy of the gateway has them."""

    __slots__ = ("again", "alone", "client", "left", "limits", "lock", "permits", "policy", "until")

    def __init__(self, limits: RateLimits, policy: Policy, client: str) -> None:
        self.limits, self.policy, self.client = limits, policy, client
        self.permits, self.left = 0, policy.requests
        # Until when the permits are good: by then the bucket is full without them.
        self.until = 0.0
        # When there may be permits again, after there were none.
        self.again = 0.0
        # When this copy may give permits by itself again, while Redis is away.
        self.alone = 0.0
        self.lock = asyncio.Lock()

    def spend(self, now: float) -> bool:
        """Spends a permit that is at hand."""
        if self.permits > 0 and now < self.until:
            self.permits -= 1
            return True
        return not self.policy.requests

    def exhausted(self) -> bool:
        return self.permits <= 0 and monotonic() < self.again

    async def take(self) -> None:
        """Spends a permit, fetched from Redis if need be; raises TOO_MANY_REQUESTS."""
        if self.spend(monotonic()):
            return
        async with self.lock:
            if self.spend(monotonic()):
                return
            if not self.exhausted():
                await self.fetch()
            if not self.spend(monotonic()):
                raise self.exceeded()

    async def fetch(self) -> None:
        found = await self.limits.take(self.policy, self.client)
        now = monotonic()
        # Given back in the meantime.
        kept = self.permits if now < self.until else 0
        if found is None:
            self.left, wait = 0, AWAY * 1000
            if now >= self.alone:
                self.permits = self.policy.lease
                self.alone = now + self.policy.seconds * self.policy.lease / self.policy.requests
        else:
            taken, self.left, wait = found
            self.permits = kept + taken
        self.again = 0.0 if self.permits else now + wait / 1000
        self.until = now + self.policy.seconds

    def give_back(self) -> None:
        self.permits += 1

    def exceeded(self) -> Problem:
        metrics.LIMITED.labels(self.policy.name).inc()
        wait = max(1, math.ceil(self.again - monotonic()))
        rule = f"{self.policy.requests} in {self.policy.seconds} s"
        return Problem(
            429,
            "TOO_MANY_REQUESTS",
            f"The limit {self.policy.name!r} is {rule}. Wait {wait} s, then go on; see the RateLimit headers.",
            {"Retry-After": str(wait)},
            {"retry_after": wait, "violated-policies": [self.policy.name]},
        )

    def header(self) -> str:
        """What is left, and in how many seconds all of it is there again."""
        left = max(0, self.permits) + self.left
        full = math.ceil((self.policy.requests - left) * self.policy.seconds / self.policy.requests)
        return f'"{self.policy.name}";r={left};t={full}'
