"""How a task is carried out: for the request that made it due, counted, and in its trace."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import signals
from prometheus_client import Histogram

from services.platform import tracing
from services.platform.logs import set_up_logs
from services.platform.pool.celery_app import priority
from services.platform.settings import Settings
from services.platform.tracing.context import REQUEST_ID, TRACEPARENT, caused_by
from teahouse.v1.link_pb2 import Cause

log = logging.getLogger(__name__)
NOBODY_WAITS = priority(Settings(), person_waits=False)
TASKS = Histogram(
    "teahouse_task_seconds",
    "Duration of tasks, by what they are and how they ended.",
    ["task", "status"],
    buckets=(0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)


def set_up_worker_logs(name: str, settings: Settings) -> None:
    set_up_logs(name, settings)
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def _send_spans(**_: Any) -> None:
    tracing.end()


class Work:
    """A task under way."""

    def __init__(self, name: str, about: dict[str, str | int]) -> None:
        self.name, self.about, self.status = name, about, "OK"

    def give_up(self, why: str, message: str) -> None:
        """Somebody hands it out again, or asks again."""
        self.status = why
        log.warning("%s is left undone: %s", self.name, message, extra=self.about)


@contextmanager
def at_work(task: Any, **about: str | int) -> Iterator[Work]:
    """Everything inside is done for the request that the task came from; `about` says what it is about.

    Where a person waits for it, it belongs to the trace of that person's move. Where none does, a whole game would be
    one trace: it begins another one that names the one before.
    """
    sent = vars(task.request)
    cause = Cause(request_id=sent.get(REQUEST_ID) or "", traceparent=sent.get(TRACEPARENT) or "")
    work, began, tracer = Work(task.name, about), time.perf_counter(), tracing.tracer()
    told = {"messaging.system": "celery", **{f"teahouse.{name}": value for name, value in about.items()}}
    linked = (task.request.delivery_info or {}).get("priority") == NOBODY_WAITS
    try:
        with tracer.span("consumer", task.name, cause, told, linked) if tracer else caused_by(cause):
            yield work
            if log.isEnabledFor(logging.DEBUG):
                log.debug("%s %s", work.name, work.status, extra=about)
    except BaseException:
        work.status = "FAILED"
        raise
    finally:
        TASKS.labels(work.name, work.status).observe(time.perf_counter() - began)
