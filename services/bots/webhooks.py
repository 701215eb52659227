"""`python -m services.bots.webhooks`: the worker that delivers to webhooks.

It waits for servers of strangers, so it is a process of its own, with threads: a receiver that does not answer never
delays a bot.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from celery import signals
from prometheus_client import Histogram, start_http_server

from services.bots.http_post import Undeliverable, post
from services.bots.task import running
from services.bots.worker import run_worker, set_up_worker_logs
from services.platform import tracing
from services.platform.channels import ask, blocking_channel
from services.platform.pool.celery_app import DELIVER, HOOKS, make_app
from services.platform.settings import Settings
from teahouse.v1 import webhooks_pb2 as pb
from teahouse.v1 import webhooks_pb2_grpc

settings = Settings()
app = make_app(settings)
SENDING = Histogram("teahouse_webhook_seconds", "How long receivers of webhooks take to answer.")
# Attempts under way, by player, and the most of one player: slow receivers of one must not hold all threads.
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
    """Health checks ask for the metrics: they are served once the worker is ready."""
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)


@app.task(name=DELIVER, bind=True)
def deliver(task: Any, player: str, webhook: str, delivery: str) -> None:
    """One attempt. If its result cannot be reported, the outbox hands the delivery out again."""
    with running(task, webhook=webhook) as run, place_for(player) as free:
        if free:
            attempt_delivery(player, webhook, delivery)
        else:
            run.status = "busy"


@contextmanager
def place_for(player: str) -> Iterator[bool]:
    """Counts an attempt for that player. False if the player has too many under way already."""
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
    timeout, private = settings.webhook_timeout, settings.webhook_private
    try:
        with SENDING.time():
            result.answer = post(attempt.url, attempt.headers, attempt.body, timeout, private)
    except Undeliverable as problem:
        result.error = str(problem)
    ask(sessions(), "EndAttempt", result, settings.deadline)


if __name__ == "__main__":
    run_worker(app, "hooks", [HOOKS], settings.webhook_threads, settings.log_level, pool_cls="threads")
