"""One task under way: timed, counted, traced, and logged under the request that caused it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from prometheus_client import Histogram

from services.engine.game import WrongRules
from services.platform import tracing
from services.platform.errors import from_rpc
from services.platform.pool.celery_app import priority
from services.platform.settings import Settings
from services.platform.tracing.context import REQUEST_ID, TRACEPARENT, caused_by
from teahouse.v1.link_pb2 import Cause

log = logging.getLogger(__name__)
NOBODY_WAITS = priority(Settings(), person_waits=False)
TASKS = Histogram(
    "teahouse_task_seconds",
    "Duration of tasks, by task and result.",
    ["task", "status"],
    buckets=(0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)


class RunningTask:
    def __init__(self, name: str, about: dict[str, str | int]) -> None:
        self.name, self.about, self.status = name, about, "OK"

    def give_up(self, why: str, message: str) -> None:
        """Leaves the task undone. An outbox hands it out again; a player who wants a hint asks again."""
        self.status = why
        table_or_webhook = next(iter(self.about.values()))
        log.warning("%s of %s is left undone: %s", self.name, table_or_webhook, message, extra=self.about)


@contextmanager
def running(task: Any, **about: str | int) -> Iterator[RunningTask]:
    """Runs what is inside on behalf of the request that caused the task; `about` goes into logs and traces.

    A task is left undone if the session service does not answer, or if this worker does not know the table's rules.
    Where a person waits, the task belongs to the trace of that person's move. Where only bots play, a whole game would
    become one trace, so each task begins a trace of its own that links to the one before.
    """
    headers = vars(task.request)
    cause = Cause(request_id=headers.get(REQUEST_ID) or "", traceparent=headers.get(TRACEPARENT) or "")
    run, began, tracer = RunningTask(task.name, about), time.perf_counter(), tracing.tracer()
    attributes = {"messaging.system": "celery", **{f"teahouse.{name}": value for name, value in about.items()}}
    linked = (task.request.delivery_info or {}).get("priority") == NOBODY_WAITS
    try:
        with tracer.span("consumer", task.name, cause, attributes, linked) if tracer else caused_by(cause):
            try:
                yield run
            except grpc.RpcError as error:
                run.give_up("sessions", from_rpc(error).message)
            except WrongRules as error:
                run.give_up("rules", f"this worker has other rules: {error}")
            if log.isEnabledFor(logging.DEBUG):
                log.debug("%s %s", run.name, run.status, extra=about)
    except BaseException:
        run.status = "FAILED"
        raise
    finally:
        TASKS.labels(run.name, run.status).observe(time.perf_counter() - began)
