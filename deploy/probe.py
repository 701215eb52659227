"""Asks a service whether it is healthy: `python -m deploy.probe grpc sessions:7400`, for health checks of containers.

grpc HOST:PORT     the gRPC health checking protocol (rules services and sessions)
http URL           any answer below 300 (the gateway's /readyz)
redis HOST:PORT    PING
(nothing)          the service that this container runs
"""

import contextlib
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from services.platform.settings import Settings

# A refused connection must not delay the next try: no back-off shared between probes.
FRESH = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
TIMEOUT = 2.0


class Unhealthy(Exception):
    """Why a service is not ready."""


def grpc_health(address: str) -> None:
    # Only here: it is large, and the local stack needs the other probes alone.
    import grpc
    from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

    from services.platform.channels import blocking_channel

    with blocking_channel(address, Settings(), FRESH) as channel:
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


def this_container() -> None:
    """What its first process runs says how to ask."""
    words, settings = Path("/proc/1/cmdline").read_text().split("\0"), Settings()
    module = words[words.index("-m") + 1] if "-m" in words else "nothing of ours"
    if module == "gateway":
        http(f"http://127.0.0.1:{settings.port}/readyz")
    elif module.startswith("services.bots"):
        http(f"http://127.0.0.1:{settings.metrics_port}/metrics")
    elif module.startswith("services."):
        grpc_health(f"127.0.0.1:{settings.port}")
    else:
        raise Unhealthy(f"this container runs {module}")


PROBES: dict[str, Callable[[str], None]] = {"grpc": grpc_health, "http": http, "redis": redis}


def main() -> None:
    asked = sys.argv[1:]
    if asked and (len(asked) != 2 or asked[0] not in PROBES):
        sys.exit(__doc__)
    try:
        if asked:
            PROBES[asked[0]](asked[1])
        else:
            this_container()
    except Unhealthy as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
