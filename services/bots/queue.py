"""The way into the worker pool, for the session service."""

import logging
from concurrent.futures import ThreadPoolExecutor

from services.bots.app import TASK, make_app, queue_of
from services.platform.settings import Settings

log = logging.getLogger(__name__)


class Queue:
    """Hands turns to Celery from a thread of its own: its client blocks, the session service must not."""

    def __init__(self, settings: Settings) -> None:
        self.app = make_app(settings)
        self.thread = ThreadPoolExecutor(1, "bot-queue")

    def put(self, table: str, version: int, level: str, expires: float) -> None:
        """`expires`: seconds after which it is handed out again, and this message is worth nothing."""
        self.thread.submit(self._send, table, version, level, expires)

    def _send(self, table: str, version: int, level: str, expires: float) -> None:
        try:
            self.app.send_task(TASK, (table, version), queue=queue_of(level), expires=expires, retry=False)
        except Exception as error:
            # The outbox hands it out again.
            log.warning("table %s: the broker did not take the bot's turn: %s", table, error)

    def close(self) -> None:
        self.thread.shutdown(wait=True, cancel_futures=True)
