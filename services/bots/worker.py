"""What every worker process needs: Celery's worker loop, logs, and traces that are sent before it ends."""

import logging
import socket
import sys
from typing import Any

from celery import Celery, signals

from services.platform import tracing
from services.platform.logs import set_up_logs
from services.platform.settings import Settings


def run_worker(app: Celery, name: str, queues: list[str], processes: int, log_level: str, **options: Any) -> None:
    """Runs until it is told to stop. Does what `celery worker` does, without loading Celery's other commands."""
    worker = app.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        queues=queues,
        concurrency=processes,
        loglevel=log_level,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
        **options,
    )
    worker.start()
    sys.exit(worker.exitcode)


def set_up_worker_logs(name: str, settings: Settings) -> None:
    set_up_logs(name, settings)
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def _send_spans(**_: Any) -> None:
    tracing.end()
