"""What goes on beside the calls for as long as the process lives."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from redis.exceptions import RedisError

log = logging.getLogger(__name__)


async def repeat(what: str, step: Callable[[], Awaitable[None]], pause: float) -> None:
    """Neither a Redis that is away nor an error ends it. `what` is for the log, `pause` in seconds."""
    while True:
        try:
            await step()
        except (RedisError, OSError) as error:
            log.warning("%s waits: Redis does not answer: %s", what, error)
        except Exception:
            log.exception("%s goes on after an error", what)
        await asyncio.sleep(pause)
