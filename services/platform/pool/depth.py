"""How many turns wait for bots. For an autoscaler, as JSON: `.venv/bin/python -m services.platform.pool.depth`.

It asks the broker at TEAHOUSE_BROKER_URL, or else the Redis that `make run` started on the data in TEAHOUSE_DATA.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from amqp.exceptions import AMQPError, NotFound
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from services.platform.pool.celery_app import QUEUES, over_amqp, waiting_lists
from services.platform.settings import Settings, running

TIMEOUT = 1
UNREACHABLE = (RedisError, AMQPError, OperationalError, OSError)


class Depth(NamedTuple):
    """The turns of a queue that no worker has taken, and the seconds that the oldest has waited, if that is known."""

    waiting: int
    oldest: float | None


def redis_depth(broker: Any, queue: str) -> Depth:
    waiting, oldest = 0, 0.0
    seconds, micros = broker.time()
    for name in waiting_lists(queue).values():
        waiting += broker.llen(name)
        last = broker.lindex(name, -1)
        if last:
            handed_out = json.loads(last)["headers"].get("handed_out")
            oldest = max(oldest, seconds + micros / 1_000_000 - handed_out if handed_out else 0.0)
    return Depth(waiting, oldest)


def rabbitmq_depth(url: str, queue: str) -> Depth:
    """RabbitMQ does not tell how old its messages are."""
    with Connection(url, connect_timeout=TIMEOUT) as connection:
        try:
            return Depth(connection.default_channel.queue_declare(queue, passive=True).message_count, None)
        except NotFound:
            return Depth(0, None)  # the queue has not been used yet


def depth_reader(settings: Settings) -> Callable[[str], Depth]:
    """A function that tells the depth of a queue of the configured broker, or raises one of UNREACHABLE."""
    if over_amqp(settings):
        return partial(rabbitmq_depth, settings.broker_url)
    return partial(
        redis_depth, Redis.from_url(settings.broker_url, socket_connect_timeout=TIMEOUT, socket_timeout=TIMEOUT)
    )


def main() -> None:
    settings = Settings()
    named = os.environ.get("TEAHOUSE_BROKER_URL") or os.environ.get("TEAHOUSE_REDIS_URL")
    if not named and (noted := running("redis-url")):
        settings = replace(settings, broker_url=noted)
    try:
        depth = depth_reader(settings)
        print(json.dumps({name: depth(queue)._asdict() for name, queue in QUEUES.items()}))
    except UNREACHABLE as error:
        sys.exit(f"The bots' broker does not answer ({error}). Set TEAHOUSE_BROKER_URL, or run: make run")


if __name__ == "__main__":
    main()
