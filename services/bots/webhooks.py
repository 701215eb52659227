"""`python -m services.bots.webhooks`: a worker that delivers to webhooks.

It waits for strangers' servers, so it is a worker of its own, with threads: a bot's turn never waits behind a receiver
that does not answer.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import grpc
from celery import signals
from prometheus_client import Histogram, start_http_server

from services.bots.http_post import Undeliverable, post
from services.bots.task import at_work, set_up_worker_logs
from services.platform import tracing
from services.platform.channels import ask, blocking_channel
from services.platform.errors import from_rpc
from services.platform.pool.celery_app import DELIVER, HOOKS, make_app, work
from services.platform.settings import Settings
from teahouse.v1 import webhooks_pb2 as pb
from teahouse.v1 import webhooks_pb2_grpc

settings = Settings()
app = make_app(settings)
SENDING = Histogram("teahouse_webhook_seconds", "How long receivers of webhooks take to answer.")
# Attempts under way, by player. The slow receivers of one must not hold all threads.
UNDER_WAY: Counter[str] = Counter()
MOST_OF_ONE = max(1, settings.webhook_threads // 4)
LOCK = Lock()


@cache
def sessions() -> Any:
    return webhooks_pb2_grpc.WebhooksStub(blocking_channel(settings.sessions, settings))


@signals.setup_logging.connect
def _logs(**_: Any) -> None:
    set_up_worker_logs("hooks", settings)


@signals.worker_init.connect
def _begin(**_: Any) -> None:
    tracing.begin("hooks", settings)


@signals.worker_ready.connect
def _serve_metrics(**_: Any) -> None:
    """That they are served at all says that the worker is ready."""
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)


@app.task(name=DELIVER, bind=True)
def deliver(task: Any, player: str, webhook: str, delivery: str) -> None:
    """One attempt. Whatever goes wrong with the report of it, the outbox hands the delivery out again."""
    with at_work(task, webhook=webhook) as work, place_for(player) as free:
        if not free:
            work.status = "busy"
            return
        try:
            attempt_delivery(player, webhook, delivery)
        except grpc.RpcError as error:
            work.give_up("sessions", f"an attempt for {webhook} is not reported: {from_rpc(error).message}")


@contextmanager
def place_for(player: str) -> Iterator[bool]:
    """Whether another attempt for that player may be made now."""
    with LOCK:
        UNDER_WAY[player] += 1
        free = UNDER_WAY[player] <= MOST_OF_ONE
    try:
        yield free
    finally:
        with LOCK:
            UNDER_WAY[player] -= 1
            if not UNDER_WAY[player]:
                del UNDER_WAY[player]


def attempt_delivery(player: str, webhook: str, delivery: str) -> None:
    request = pb.AttemptRequest(player=player, webhook=webhook, delivery=delivery)
    attempt = ask(sessions(), "BeginAttempt", request, settings.deadline)
    if not attempt.due:
        return
    result = pb.AttemptResult(player=player, webhook=webhook, delivery=delivery, number=attempt.number)
    try:
        with SENDING.time():
            result.answer = send(attempt)
    except Undeliverable as problem:
        result.error = str(problem)
    ask(sessions(), "EndAttempt", result, settings.deadline)


def send(attempt: pb.Attempt) -> int:
    return post(attempt.url, attempt.headers, attempt.body, settings.webhook_timeout, settings.webhook_private)


if __name__ == "__main__":
    work(app, "hooks", [HOOKS], settings.webhook_threads, settings.log_level, pool_cls="threads")
