"""Watches the clocks of all tables, beside the calls. Every copy does; each deadline is handled by one of them."""

import asyncio
import logging

from redis.exceptions import RedisError

from services.sessions.leaving import Leaving

log = logging.getLogger(__name__)
TICK = 0.2


async def keep_time(service: Leaving) -> None:
    """Applies the tables' rules to seats whose time is up, for as long as the process lives."""
    while True:
        await asyncio.sleep(TICK)
        try:
            due = await service.store.due_deadlines()
            await asyncio.gather(*map(service.time_up, due))
        except (RedisError, OSError) as error:
            log.warning("the timekeeper cannot reach Redis: %s", error)
        except Exception:
            log.exception("the timekeeper goes on after an error")
