"""Turns of bots that are due. A table stands here from the commit that gave a bot the decision until the next one."""

from services.platform.clock import now_ms
from services.sessions.store import keys
from services.sessions.store.claims import Claims
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import SHARDS
from services.sessions.store.script import Script

# A bot's turn that nobody takes is handed out again after ever longer pauses, up to so many times the first.
LONGEST_PAUSE = 32


class Outbox:
    """Owns which bots' turns are due, when each is handed out again, and since when it is late.

    The commit that makes a turn due sets its first time, `Dispatcher.patience` from then (tables/writer.py). After that
    `due` sets each next time (store/lua/claim_with_backoff.lua: twice the pause, later up to LONGEST_PAUSE times), and
    `is_thought_about` puts it off. The dispatcher asks for what is due and hands it out.
    """

    def __init__(self, redis: AsyncRedis, claims: Claims) -> None:
        self.redis, self.claims = redis, claims
        self._requeue = Script(redis, "requeue")

    async def due(self, again_ms: int, limit: int = 200) -> list[tuple[str, int]]:
        """Tables whose bot has not acted in time, each given to one caller, and in how many ms it is due again."""
        outboxes = [[keys.outbox(number), keys.tries(number), keys.late(number)] for number in range(SHARDS)]
        return await self.claims.take_all(outboxes, again_ms, limit, LONGEST_PAUSE)

    async def is_thought_about(self, table: str, until: int) -> None:
        """A worker has taken a bot's turn: it is not handed out again before that time."""
        await self.redis.zadd(keys.outbox(keys.shard(table)), {table: until}, xx=True, gt=True)

    async def requeue(self, table: str, version: int, due: int) -> bool:
        """As if the turn had not been handed out before; False if the table is not at that version."""
        number = keys.shard(table)
        names = [keys.table(table), keys.outbox(number), keys.tries(number), keys.late(number)]
        return bool(await self._requeue.run(names, [version, table, due]))

    async def depth(self) -> tuple[int, int]:
        """How many bot turns are due or being played, and for how many milliseconds the oldest has been overdue."""
        pipe = self.redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zcard(keys.outbox(number))
            pipe.zrange(keys.late(number), 0, 0, withscores=True)
        answers, now = await pipe.execute(), now_ms()
        oldest = min([now, *(int(due) for rows in answers[1::2] for _, due in rows)])
        return sum(answers[0::2]), now - oldest
