"""The way to the store: one Redis, or a Redis Cluster where the address names several of its nodes."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from redis.asyncio import BlockingConnectionPool, Connection, Redis, SSLConnection
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, RedisClusterException, RedisError

from services.platform import tracing
from services.platform.errors import OUTAGES

CONNECT = 2.0  # seconds
# Seconds after which a connection that does not answer is given up: less than callers wait, so that they are told.
PATIENCE = 4.0
# No silent retries: a commit whose answer was lost must be reported, not sent twice.
ONCE = Retry(NoBackoff(), 0)
OUTAGES.append(RedisError)
# redis-py types its answers for its blocking and its asynchronous clients at once; ours are asynchronous.
AsyncRedis: TypeAlias = Any


def nodes(url: str) -> list[str]:
    """The addresses in TEAHOUSE_REDIS_URL; what stands before the first host goes for all.

    >>> nodes("redis://:secret@a:6379,b:6380")
    ['redis://:secret@a:6379', 'redis://:secret@b:6380']
    """
    first, *others = url.split(",")
    head = first[: first.rfind("@") + 1] or first[: first.find("://") + 3]
    return [first, *(head + other.strip() for other in others if other.strip())]


class Cluster(RedisCluster):
    async def initialize(self) -> "Cluster":
        try:
            await super().initialize()
        except RedisClusterException as error:
            # Not one of redis-py's own connection errors, which are those that callers know.
            raise ConnectionError(str(error)) from error
        return self


class Patient:
    """A connection that ends when it is not answered: the network may swallow everything without a word.

    What redis-py's `socket_timeout` does, at a tenth of its price: that makes a task of every command it sends.
    """

    @contextmanager
    def patience(self) -> Iterator[None]:
        late = asyncio.get_running_loop().call_later(PATIENCE, self.give_up)
        try:
            yield
        finally:
            late.cancel()

    def give_up(self) -> None:
        connection: Any = self
        self.ending = asyncio.ensure_future(connection.disconnect(nowait=True))

    async def send_packed_command(self, *arguments: Any, **options: Any) -> None:
        try:
            with self.patience():
                await super().send_packed_command(*arguments, **options)  # type: ignore[misc]
        except RuntimeError as error:
            # What uvloop says of a connection that was reset a moment ago; redis-py does not expect it.
            raise ConnectionError(str(error)) from error

    async def read_response(self, *arguments: Any, **options: Any) -> Any:
        with self.patience():
            return await super().read_response(*arguments, **options)  # type: ignore[misc]


class PatientConnection(Patient, Connection):
    pass


class PatientTLSConnection(Patient, SSLConnection):
    pass


def connect(url: str) -> Redis | RedisCluster:
    redis: Any = connect_to_all(url)
    if tracing.tracer():
        redis.execute_command = traced(redis.execute_command)
    return redis  # type: ignore[no-any-return]


def traced(execute: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Commands as parts of a trace, by their names: keys and values are nobody's business."""
    tracer = tracing.tracer()
    assert tracer

    async def run(command: str, *arguments: Any, **options: Any) -> Any:
        with tracer.within("client", command, {"db.system.name": "redis", "db.operation.name": command}):
            return await execute(command, *arguments, **options)

    return run


def connect_to_all(url: str) -> Redis | RedisCluster:
    patient = PatientTLSConnection if url.startswith("rediss:") else PatientConnection
    if "," not in url:
        pool = BlockingConnectionPool.from_url(
            url, retry=ONCE, socket_connect_timeout=CONNECT, socket_keepalive=True, max_connections=64, timeout=PATIENCE
        )
        pool.connection_class = patient
        return Redis(connection_pool=pool)
    seeds: list[Any] = [parse_url(node) for node in nodes(url)]
    secret = {key: seeds[0][key] for key in ("username", "password") if key in seeds[0]}
    cluster = Cluster(
        startup_nodes=[ClusterNode(seed["host"], seed.get("port", 6379)) for seed in seeds],
        ssl=url.startswith("rediss:"),
        retry=ONCE,
        socket_connect_timeout=CONNECT,
        socket_keepalive=True,
        **secret,
    )
    # Of the nodes that it will find, and of those that it has been told.
    cluster.connection_kwargs["connection_class"] = patient
    for node in cluster.startup_nodes:
        node.connection_class = patient
    return cluster


def connect_to_node(url: str) -> Redis:
    """To any node, for subscriptions: in a cluster each passes on what is published at another."""
    return Redis.from_url(random.choice(nodes(url)), retry=ONCE, socket_connect_timeout=CONNECT, socket_keepalive=True)
