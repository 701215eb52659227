"""The time. It is that of Redis, so that all copies of a service agree on it.

A machine whose own clock is wrong, or jumps, changes nothing: between two readings of the clock of Redis only its
monotonic clock counts.
"""

import asyncio
import logging
import time
from typing import Any

from redis.exceptions import RedisError

log = logging.getLogger(__name__)
# Seconds between two readings.
INTERVAL = 1.0
# A script with a key: in a cluster all copies read the clock of the same node.
SCRIPT, KEY = "return redis.call('TIME')", "{clock}"


class Clock:
    """How far Redis is ahead of the monotonic clock of this machine, in milliseconds."""

    def __init__(self) -> None:
        self.ahead = time.time_ns() // 1_000_000 - monotonic_ms()
        # Whether Redis has been read; until then the clock of this machine must do.
        self.known = False

    def learn(self, told: int, asked: int, heard: int) -> None:
        """`told` was the time at some moment between `asked` and `heard`. Changes `ahead` no further than that proves.

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
    """Reads the clock of Redis again and again, for as long as the process lives."""
    while True:
        await asyncio.sleep(INTERVAL)
        try:
            await look(redis)
        except (RedisError, OSError) as error:
            log.warning("cannot read the clock of Redis, going on without: %s", error)
        except Exception:
            log.exception("the clock goes on after an error")
