"""The queues and tasks that sessions and workers share, and the Celery settings that both ends need.

Celery does not have to be reliable here: the outbox of the session service hands a lost task out again, and the version
check makes it impossible to play a turn twice.

With Redis, therefore, workers do not acknowledge tasks. When they did, early or late, a worker whose broker was killed
at the wrong moment hung for ever: tasks that it could no longer acknowledge filled its prefetch window
(`python -m tests.campaigns.crashes` showed it in one kill of three).

With RabbitMQ they acknowledge a task once it is done. RabbitMQ sends a whole queue to a consumer that does not
acknowledge; and when a worker dies, RabbitMQ puts its unacknowledged tasks back into the queue.
"""

from typing import Any

from celery import Celery
from kombu import Exchange, Queue

from services.platform.pool.levels import thinking
from services.platform.settings import Settings

# Services of two versions share a broker during an upgrade, so the names of queues and tasks stay as they are.
INSTANT, SEARCH, HOOKS = "bots.instant", "bots.search", "hooks"
# The queues for turns of bots, by the names that operators use.
QUEUES = {"instant": INSTANT, "search": SEARCH}
# The tasks: play a bot's turn, give a hint, deliver to a webhook.
PLAY, HINT, DELIVER = "bots.play", "bots.hint", "hooks.deliver"
# Celery on Redis keeps one list for each priority of a queue and takes from the lower number first.
PERSON_WAITS, NOBODY_WAITS = 0, 9
PRIORITIES = [PERSON_WAITS, NOBODY_WAITS]
SEPARATOR = ":"
# RabbitMQ takes the higher number first.
AMQP_PERSON_WAITS, AMQP_NOBODY_WAITS = 1, 0


def make_app(settings: Settings) -> Celery:
    app = Celery("teahouse", broker=settings.broker_url)
    app.conf.update(
        task_default_queue=INSTANT,
        task_ignore_result=True,
        # Celery kills a process whose turn hangs. `turns.think` stops a bot that thinks too long much earlier.
        task_time_limit=settings.turn_limit,
        # A process that has grown beyond this ends after its turn, and Celery starts a fresh one.
        worker_max_memory_per_child=settings.bot_memory * 1000,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        # Metrics tell how many workers there are and how they are. Remote control would open a subscription of its own,
        # which brings the worker down when the broker restarts.
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        **(with_amqp() if over_amqp(settings) else with_redis()),
    )
    return app


def with_redis() -> dict[str, Any]:
    return {
        "task_queues": queues(no_ack=True),
        # A process that plays does not reserve a second turn.
        "worker_disable_prefetch": True,
        "broker_transport_options": {
            "socket_connect_timeout": 2,
            # Without these a connection that the network has dropped silently would wait for ever.
            "socket_timeout": 5,
            "health_check_interval": 5,
            "priority_steps": PRIORITIES,
            "sep": SEPARATOR,
        },
    }


def with_amqp() -> dict[str, Any]:
    return {
        "task_queues": queues(max_priority=AMQP_PERSON_WAITS),
        # The turn in play counts as the one that a process may reserve, so it takes no second one.
        "task_acks_late": True,
        # Losing a queue loses nothing, so RabbitMQ need not write it to its disk.
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


def queue_of(level: str) -> str:
    """The queue for turns of that level: cheap turns never wait behind bots that think."""
    return SEARCH if thinking(level) else INSTANT


def waiting_lists(queue: str) -> dict[int, str]:
    """The Redis lists of that queue, by priority. The newest task is the first of a list, the oldest the last."""
    return {step: f"{queue}{SEPARATOR}{step}" if step else queue for step in PRIORITIES}
