"""The way into the worker pool, for the session service."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor

from services.platform import tracing
from services.platform.clock import now_ms
from services.platform.pool.celery_app import DELIVER, HINT, HOOKS, PLAY, make_app, priority, queue_of
from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE, caused_by, metadata
from teahouse.v1.link_pb2 import Cause

log = logging.getLogger(__name__)


def until(expires: float) -> int:
    """When the message is worth nothing any more, by the clock of Redis. Celery's own `expires` goes by the clocks of
    the machines: a worker whose clock is ahead would drop every turn."""
    return now_ms() + int(expires * 1000)


class WorkerQueue:
    """Hands work to Celery from a thread of its own: its client blocks, the session service must not."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.app = settings, make_app(settings)
        self.thread = ThreadPoolExecutor(1, "bot-queue")
        self.tracer = tracing.tracer()

    def put(self, table: str, version: int, level: str, expires: float, person_waits: bool = True) -> None:
        """A bot's turn. `expires`: seconds after which it is handed out again, and this message is worth nothing."""
        self._submit(PLAY, (table, version, until(expires)), queue_of(level), expires, person_waits)

    def ask_for_hint(self, table: str, version: int, level: str, expires: float) -> None:
        """`expires`: seconds after which nobody waits for it any more."""
        self._submit(HINT, (table, version, level, until(expires)), queue_of(level), expires)

    def deliver(self, player: str, webhook: str, delivery: str, expires: float) -> None:
        """A webhook's delivery. One that comes late is asked for in vain: BeginAttempt knows what is due."""
        self._submit(DELIVER, (player, webhook, delivery), HOOKS, expires)

    def _submit(
        self, task: str, arguments: tuple[str | int, ...], queue: str, expires: float, person_waits: bool = True
    ) -> None:
        rank, late = priority(self.settings, person_waits), time.monotonic() + expires
        self.thread.submit(self._send, CAUSE.get(), task, arguments, queue, rank, late)

    def _send(
        self, cause: Cause, task: str, arguments: tuple[str | int, ...], queue: str, rank: int, late: float
    ) -> None:
        if time.monotonic() > late:
            return  # the broker was away for so long that it has been handed out again
        about = {"messaging.system": "celery", "messaging.destination.name": queue}
        with self.tracer.within("producer", task, about, cause) if self.tracer else caused_by(cause):
            try:
                self.app.send_task(
                    task,
                    arguments,
                    queue=queue,
                    priority=rank,
                    headers={"handed_out": now_ms() / 1000, **dict(metadata())},
                    retry=False,
                )
            except Exception as error:
                # An outbox hands it out again; whoever wants a hint asks again.
                log.warning("%s %s: the broker did not take it: %s", task, arguments[0], error)

    def close(self) -> None:
        self.thread.shutdown(wait=True, cancel_futures=True)
