"""The Celery app of the worker pool: its queues and how it treats a turn (or a webhook's delivery) that goes wrong.

A turn may be handed out twice, and a worker may die with it: the version check of the session service makes a second
move impossible, and its outbox hands a lost turn out again. So turns are not acknowledged to the broker at all. (With
acknowledgements, late or early, a worker whose broker was killed at the wrong moment waited for ever: what it could not
acknowledge filled its prefetch window. `python -m tests.faults` showed it in one kill of three.)

That is so with Redis. RabbitMQ pours a whole queue into a consumer that does not acknowledge, so there a turn is
acknowledged when it has been played; what a worker that died had taken goes back to the queue with its connection.
"""

import socket
import sys
from typing import Any

from celery import Celery
from kombu import Exchange, Queue

from services.platform.pool.levels import thinking
from services.platform.settings import Settings

INSTANT, SEARCH, HOOKS = "bots.instant", "bots.search", "hooks"
QUEUES = {"instant": INSTANT, "search": SEARCH}
TASK, HINT, DELIVER = "bots.play", "bots.hint", "hooks.deliver"
# The lists of a queue in Redis, by priority: what a person waits for, and the rest. The lower number is taken first.
PERSON_WAITS, NOBODY_WAITS = 0, 9
PRIORITIES = [PERSON_WAITS, NOBODY_WAITS]
SEPARATOR = ":"
# In RabbitMQ the higher number is taken first.
AMQP_PERSON_WAITS, AMQP_NOBODY_WAITS = 1, 0


def make_app(settings: Settings) -> Celery:
    app = Celery("teahouse", broker=settings.broker_url)
    app.conf.update(
        task_default_queue=INSTANT,
        task_ignore_result=True,
        # A turn that hangs ends with its process; what thinks too long is stopped earlier (see worker.decide).
        task_time_limit=settings.turn_limit,
        # A process that has grown ends after its turn; a fresh one takes its place.
        worker_max_memory_per_child=settings.bot_memory * 1000,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        # Workers are counted and asked for their health by their metrics; the remote control's own subscription
        # brings a worker down when the broker restarts.
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        **(with_amqp() if over_amqp(settings) else with_redis()),
    )
    return app


def with_redis() -> dict[str, Any]:
    return {
        "task_queues": queues(no_ack=True),
        # A process that plays takes no second turn along.
        "worker_disable_prefetch": True,
        "broker_transport_options": {
            "socket_connect_timeout": 2,
            # A broker that the network has swallowed is noticed: its connection is given up and opened again.
            "socket_timeout": 5,
            "health_check_interval": 5,
            "priority_steps": PRIORITIES,
            "sep": SEPARATOR,
        },
    }


def with_amqp() -> dict[str, Any]:
    return {
        "task_queues": queues(max_priority=AMQP_PERSON_WAITS),
        # The same as above: what is being played counts as the one turn that a process may hold.
        "task_acks_late": True,
        # Losing the queue loses nothing; the disk is not needed.
        "task_default_delivery_mode": "transient",
        "broker_connection_timeout": 2,
    }


def queues(**options: Any) -> list[Queue]:
    return [Queue(name, Exchange(name), routing_key=name, **options) for name in (INSTANT, SEARCH, HOOKS)]


def over_amqp(settings: Settings) -> bool:
    """Whether the broker is a RabbitMQ."""
    return settings.broker_url.startswith(("amqp://", "amqps://"))


def priority(settings: Settings, person_waits: bool) -> int:
    if over_amqp(settings):
        return AMQP_PERSON_WAITS if person_waits else AMQP_NOBODY_WAITS
    return PERSON_WAITS if person_waits else NOBODY_WAITS


def work(app: Celery, name: str, queues: list[str], processes: int, log_level: str, **options: Any) -> None:
    """Runs a worker until it is told to stop: as `celery worker`, without the code of Celery's other commands."""
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


def queue_of(level: str) -> str:
    """Where turns of that level wait: cheap ones never wait behind those that think."""
    return SEARCH if thinking(level) else INSTANT


def waiting_lists(queue: str) -> dict[int, str]:
    """Redis' lists of that queue, by priority: the newest turn first, the oldest last."""
    return {step: f"{queue}{SEPARATOR}{step}" if step else queue for step in PRIORITIES}
