"""The Celery app of the worker pool: its queues and how it treats a turn that goes wrong.

A turn may be handed out twice, and a worker may die with it: the version check of the session service makes a second
move impossible, and its outbox hands a lost turn out again. So turns are not acknowledged to the broker at all. (With
acknowledgements, late or early, a worker whose broker was killed at the wrong moment waited for ever: what it could not
acknowledge filled its prefetch window. `python -m tests.faults` showed it in one kill of three.)
"""

from celery import Celery
from kombu import Exchange, Queue

from services.platform.settings import Settings

INSTANT, SEARCH = "bots.instant", "bots.search"
TASK = "bots.play"


def make_app(settings: Settings) -> Celery:
    app = Celery("teahouse", broker=settings.broker_url)
    app.conf.update(
        task_queues=[Queue(name, Exchange(name), routing_key=name, no_ack=True) for name in (INSTANT, SEARCH)],
        task_default_queue=INSTANT,
        task_ignore_result=True,
        task_time_limit=settings.turn_limit,
        # A process that plays takes no second turn along.
        worker_disable_prefetch=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        # Workers are counted and asked for their health by their metrics; the remote control's own subscription
        # brings a worker down when the broker restarts.
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={"socket_connect_timeout": 2},
    )
    return app


def queue_of(level: str) -> str:
    """Where turns of that level wait: cheap ones never wait behind those that think."""
    return SEARCH if level.startswith("search") else INSTANT
