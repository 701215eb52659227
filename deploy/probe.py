"""Health checks for containers: `python -m deploy.probe grpc sessions:7400`. Exits with 0, or says what is wrong.

grpc HOST:PORT     gRPC health checking (sessions, rules services)
http URL           any answer below 300 (the gateway's /readyz)
redis HOST:PORT    PING
(no arguments)     the service that runs in this container
"""

import contextlib
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from services.platform.settings import Settings

# A pool of its own: in a shared one, a refused connection would make the next probe wait for its back-off.
FRESH = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
TIMEOUT = 2.0


class Unhealthy(Exception):
    """The service is not ready. The text says why."""


def grpc_health(address: str) -> None:
    # Imported here because it is large, and the local stack does not need it.
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
    """Chooses the probe by the command of the container's first process."""
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
