"""The broker is a matter of configuration: what differs between Redis and RabbitMQ, seen from its URL."""

import pytest

from services.platform.pool.celery_app import INSTANT, SEARCH, make_app, priority
from services.platform.settings import Settings

REDIS = Settings(broker_url="redis://here:6379/0")
RABBIT = Settings(broker_url="amqp://user:secret@here:5672//")


def test_a_process_takes_one_turn_at_a_time() -> None:
    """RabbitMQ gives everything at once to who does not acknowledge; with Redis acknowledging is what goes wrong."""
    queues = make_app(REDIS).conf.task_queues
    assert all(queue.no_ack for queue in queues)
    assert make_app(REDIS).conf.worker_disable_prefetch
    queues = make_app(RABBIT).conf.task_queues
    assert not any(queue.no_ack for queue in queues)
    assert make_app(RABBIT).conf.task_acks_late
    assert make_app(RABBIT).conf.worker_prefetch_multiplier == 1
    assert {INSTANT, SEARCH} < {queue.name for queue in queues}


def test_people_come_first_whichever_way_the_broker_counts() -> None:
    assert priority(REDIS, True) < priority(REDIS, False)
    assert priority(RABBIT, True) > priority(RABBIT, False) == 0
    assert all(queue.max_priority >= priority(RABBIT, True) for queue in make_app(RABBIT).conf.task_queues)


def test_rate_limits_are_never_counted_in_rabbitmq(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAHOUSE_LIMITS_URL", raising=False)
    monkeypatch.setenv("TEAHOUSE_REDIS_URL", "redis://a:6379/0")
    monkeypatch.setenv("TEAHOUSE_BROKER_URL", "redis://b:6379/0")
    assert Settings().limits_url == "redis://b:6379/0"
    monkeypatch.setenv("TEAHOUSE_BROKER_URL", "amqp://b:5672//")
    assert Settings().limits_url == "redis://a:6379/0"
    monkeypatch.setenv("TEAHOUSE_REDIS_URL", "redis://a:6379,b:6379")
    with pytest.raises(SystemExit, match="TEAHOUSE_LIMITS_URL"):
        Settings()
    monkeypatch.setenv("TEAHOUSE_LIMITS_URL", "redis://c:6379/0")
    assert Settings().limits_url == "redis://c:6379/0"
