"""Seats whose time is up. Every copy of the service looks; each deadline is handled by one of them."""

import asyncio
import logging

from prometheus_client import Counter

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.sessions.background import repeat
from services.sessions.play.stand_ins import replace, resign, stand_in_level
from services.sessions.rules.client import RulesClient
from services.sessions.store import keys
from services.sessions.store.claims import Claims
from services.sessions.store.keys import SHARDS
from services.sessions.store.records import Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.writer import TableWriter

log = logging.getLogger(__name__)
TIMEOUTS = Counter("teahouse_timeouts", "Clocks that ran out, by the rule that was applied.", ["rule"])
TICK = 0.2
# Milliseconds after which another copy handles a deadline that one has taken, and how many are taken at a time.
AGAIN_MS, HANDFUL = 500, 50


class Timeouts:
    """Owns what happens to a seat whose time is used up: the table's own rule says."""

    def __init__(self, store: TableStore, claims: Claims, rules: RulesClient, writer: TableWriter) -> None:
        self.store, self.claims, self.rules, self.writer = store, claims, rules, writer

    async def run(self) -> None:
        await repeat("the watch over the clocks", self._apply_due, TICK)

    async def _apply_due(self) -> None:
        deadlines = [[keys.deadlines(number), keys.tries(number)] for number in range(SHARDS)]
        due = await self.claims.take_all(deadlines, AGAIN_MS, HANDFUL)
        await asyncio.gather(*(self._time_up(table) for table, _ in due))

    async def _time_up(self, table_id: str) -> None:
        """Does nothing if somebody was faster."""
        try:
            loaded = await self.store.load(table_id)
            table = loaded.table
            if not table.HasField("deadline") or table.deadline > now_ms():
                return
            level, rule = stand_in_level(await self.rules.info(table.game)), table.clock.on_timeout
            if rule == "resign":
                events = resign(table, table.actor, level, "timeout")
            else:
                events = [replace(table, table.actor, level, "timeout")]
            await self.writer.write_in_play(loaded, events)
        except (Refusal, Stale) as error:
            log.info("its clock is looked at again: %s", error, extra={"table": table_id})
            return
        TIMEOUTS.labels(rule).inc()
