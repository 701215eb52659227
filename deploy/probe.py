"""Asks a service whether it is healthy: `python -m deploy.probe grpc sessions:7400`, for health checks of containers.

grpc HOST:PORT     the gRPC health checking protocol (rules services and sessions)
http URL           any answer below 300 (the gateway's /readyz)
redis HOST:PORT    PING
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


PROBES: dict[str, Callable[[str], None]] = {"grpc": grpc_health, "http": http, "redis": redis}


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in PROBES:
        sys.exit(__doc__)
    try:
        PROBES[sys.argv[1]](sys.argv[2])
    except Unhealthy as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
