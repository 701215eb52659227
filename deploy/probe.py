"""Asks a service whether it is healthy: `python -m deploy.probe grpc sessions:7400`, for health checks of containers.

grpc HOST:PORT     the gRPC health checking protocol (rules services and sessions)
http URL           any answer below 300 (the gateway's /readyz)
redis HOST:PORT    PING
worker BROKER-URL  the bot worker of this machine answers a Celery ping
"""

import contextlib
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

# A refused connection must not delay the next try: no back-off shared between probes.
FRESH = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
TIMEOUT = 2.0
PING = 1.0  # seconds until a worker that is there has answered


class Unhealthy(Exception):
    """Why a service is not ready."""


def grpc_health(address: str) -> None:
    with grpc.insecure_channel(address, options=FRESH) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=HealthCheckRequest.SerializeToString,
            response_deserializer=HealthCheckResponse.FromString,
        )
        try:
            status = check(HealthCheckRequest(), timeout=TIMEOUT).status
        except grpc.RpcError as error:
            raise Unhealthy(f"{address} does not answer: {error.code().name}") from None
    if status != HealthCheckResponse.SERVING:
        raise Unhealthy(f"{address} is {HealthCheckResponse.ServingStatus.Name(status)}")


def http(url: str) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=TIMEOUT):
            return
    except (urllib.error.URLError, OSError) as error:
        raise Unhealthy(f"{url} does not answer: {error}") from None


def redis(address: str) -> None:
    host, _, port = address.rpartition(":")
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), TIMEOUT) as connection:
        connection.sendall(b"PING\r\n")
        answer = connection.recv(64)
    if answer != b"+PONG\r\n":
        raise Unhealthy(f"{address} does not answer PING: {answer.decode(errors='replace').strip() or 'no connection'}")


def worker(broker: str, name: str = "celery") -> None:
    """The worker of that name on this machine; Celery calls it `celery` if nobody says otherwise."""
    from celery import Celery

    node = f"{name}@{socket.gethostname()}"
    with Celery("probe", broker=broker) as app:
        if not app.control.ping(destination=[node], timeout=PING, limit=1):
            raise Unhealthy(f"the bot worker {node} does not answer")


PROBES: dict[str, Callable[[str], None]] = {"grpc": grpc_health, "http": http, "redis": redis, "worker": worker}


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in PROBES:
        sys.exit(__doc__)
    try:
        PROBES[sys.argv[1]](sys.argv[2])
    except Unhealthy as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
