"""The time, as all copies of the service know it: that of Redis. A machine whose own clock is wrong or jumps changes
nothing: between two looks at Redis only its monotonic clock counts.
"""

import asyncio
import logging
import time
from typing import Any

from redis.exceptions import RedisError

log = logging.getLogger(__name__)
# Seconds between two looks at the clock of Redis.
LOOK = 1.0
# A script with a key, so that in a cluster everybody asks the same node.
SCRIPT, KEY = "return redis.call('TIME')", "{clock}"


class Clock:
    """Milliseconds from the start of this machine to 1970, and as many more as Redis is ahead."""

    def __init__(self) -> None:
        self.ahead = time.time_ns() // 1_000_000 - monotonic_ms()
        # Whether anybody has told the time yet; until then this machine's own clock is as good as any.
        self.known = False

    def learn(self, told: int, asked: int, heard: int) -> None:
        """`told` was the time at some moment between `asked` and `heard`: moves no further than that proves.

        >>> clock = Clock()
        >>> clock.ahead = 1000
        >>> for told in (1105, 1090, 1120):
        ...     clock.learn(told, asked=100, heard=110)
        ...     print(clock.ahead)
        1000
        990
        1010
        """
        self.known = True
        self.ahead = min(max(self.ahead, told - heard), told - asked)


def monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


CLOCK = Clock()


def now_ms() -> int:
    """Milliseconds since 1970."""
    return monotonic_ms() + CLOCK.ahead


async def look(redis: Any) -> None:
    asked = monotonic_ms()
    seconds, micros = await redis.eval(SCRIPT, 1, KEY)
    CLOCK.learn(int(seconds) * 1000 + int(micros) // 1000, asked, monotonic_ms())


async def follow(redis: Any) -> None:
    """Keeps the clock right for as long as the process lives."""
    while True:
        await asyncio.sleep(LOOK)
        try:
            await look(redis)
        except (RedisError, OSError) as error:
            log.warning("cannot read the clock of Redis, going on without: %s", error)
        except Exception:
            log.exception("the clock goes on after an error")
