"""Hands bots' turns to the worker pool: at once after a move, and again if one was not played in time."""

import logging

from prometheus_client import Gauge

from services.platform.errors import Refusal
from services.platform.pool.levels import thinking
from services.platform.settings import Settings
from services.platform.tracing.context import caused_by
from services.sessions.background import repeat
from services.sessions.store.tables import TableStore
from services.sessions.tables.seats import bot_level, bot_seat, person_waits
from services.sessions.turns.outbox import Outbox
from services.sessions.turns.worker_queue import WorkerQueue
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
WAITING = Gauge("teahouse_outbox_turns", "Bot turns that are due or being played.")
OVERDUE = Gauge("teahouse_outbox_overdue_seconds", "How long the oldest unplayed bot turn has waited past its time.")


class Dispatcher:
    """Owns the way of a bot's turn to a worker. When a turn is due again is for the `Outbox` to say."""

    def __init__(self, settings: Settings, store: TableStore, outbox: Outbox, queue: WorkerQueue) -> None:
        self.redeliver = settings.redeliver
        self.store, self.outbox, self.queue = store, outbox, queue

    def patience(self, level: str) -> float:
        """Seconds after which a bot's turn is handed out again: those that think get the time for it."""
        return self.redeliver + thinking(level)

    def hand_out(self, table: pb.Table, expires: float | None = None) -> None:
        """Never waits, never fails. `expires`: seconds after which the turn is handed out again."""
        level = bot_level(table.seats[table.actor]) or ""
        expires = self.patience(level) if expires is None else expires
        self.queue.put(table.id, table.version, level, expires, person_waits(table))

    async def run(self) -> None:
        await repeat("the handing out of bots' turns", self._hand_out_due, min(0.25, self.redeliver / 4))

    async def _hand_out_due(self) -> None:
        """Every bot's turn that was not played in time."""
        waiting, overdue = await self.outbox.depth()
        WAITING.set(waiting)
        OVERDUE.set(overdue / 1000)
        for table, again in await self.outbox.due(int(self.redeliver * 1000)):
            await self._hand_out_again(table, again / 1000)

    async def _hand_out_again(self, table: str, expires: float) -> None:
        try:
            loaded = await self.store.load(table)
        except Refusal as gone:
            log.warning("no bot plays: %s", gone.message, extra={"table": table})
            return
        seat = bot_seat(loaded.table)
        if seat is not None:
            with caused_by(loaded.record.cause):
                about = {"table": table, "seat": seat, "version": loaded.version}
                log.info("a bot's turn is handed out again", extra=about)
                self.hand_out(loaded.table, expires)
