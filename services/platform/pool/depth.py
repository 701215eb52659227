"""How much waits for the bots, as a line of JSON for an autoscaler: `.venv/bin/python -m services.platform.pool.depth`.

It asks TEAHOUSE_BROKER_URL, or else the Redis that `make run` has started on the data in TEAHOUSE_DATA.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from amqp.exceptions import AMQPError, NotFound
from kombu import Connection
from kombu.exceptions import OperationalError
from prometheus_client.core import GaugeMetricFamily
from redis import Redis
from redis.exceptions import RedisError

from services.platform.pool.celery_app import QUEUES, over_amqp, waiting_lists
from services.platform.settings import Settings, running

PATIENCE = 1
AWAY = (RedisError, AMQPError, OperationalError, OSError)


class Load(NamedTuple):
    """Of one queue: turns that no worker has taken yet, and how long the oldest has waited, if that is known."""

    waiting: int
    oldest: float | None


def load(broker: Any, queue: str) -> Load:
    """As Redis tells it."""
    waiting, oldest = 0, 0.0
    seconds, micros = broker.time()
    for name in waiting_lists(queue).values():
        waiting += broker.llen(name)
        last = broker.lindex(name, -1)
        if last:
            handed_out = json.loads(last)["headers"].get("handed_out")
            oldest = max(oldest, seconds + micros / 1_000_000 - handed_out if handed_out else 0.0)
    return Load(waiting, oldest)


def load_of_rabbit(url: str, queue: str) -> Load:
    """As RabbitMQ tells it, which does not say how old its messages are."""
    with Connection(url, connect_timeout=PATIENCE) as connection:
        try:
            return Load(connection.default_channel.queue_declare(queue, passive=True).message_count, None)
        except NotFound:
            return Load(0, None)  # nobody has used it yet


def asking(settings: Settings) -> Callable[[str], Load]:
    """What tells of a queue, whichever broker it is in; raises one of `AWAY` if that does not answer."""
    if over_amqp(settings):
        return partial(load_of_rabbit, settings.broker_url)
    return partial(load, Redis.from_url(settings.broker_url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE))


class Depth:
    """The same as metrics, asked for whenever somebody reads them."""

    def __init__(self, settings: Settings) -> None:
        self.ask = asking(settings)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        waiting = GaugeMetricFamily("teahouse_bot_queue_turns", "Turns that no worker has taken.", labels=["queue"])
        oldest = GaugeMetricFamily(
            "teahouse_bot_queue_oldest_seconds", "How long the oldest of them has waited.", labels=["queue"]
        )
        try:
            for name, queue in QUEUES.items():
                found = self.ask(queue)
                waiting.add_metric([name], found.waiting)
                if found.oldest is not None:
                    oldest.add_metric([name], found.oldest)
        except AWAY:
            return
        yield waiting
        yield oldest


def main() -> None:
    settings = Settings()
    named = os.environ.get("TEAHOUSE_BROKER_URL") or os.environ.get("TEAHOUSE_REDIS_URL")
    if not named and (noted := running("redis-url")):
        settings = replace(settings, broker_url=noted)
    try:
        ask = asking(settings)
        print(json.dumps({name: ask(queue)._asdict() for name, queue in QUEUES.items()}))
    except AWAY as error:
        sys.exit(f"The bots' broker does not answer: {error}. Name it with TEAHOUSE_BROKER_URL, or start one: make run")


if __name__ == "__main__":
    main()
