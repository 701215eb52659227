"""How one service reaches another: options, names and, where the operator wants it, mutual TLS."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from services.platform import tracing
from services.platform.settings import Settings
from services.platform.tracing.context import metadata

LARGEST = 16 * 1024 * 1024
# The name in every service's certificate: copies come and go, and so do their addresses.
NAME = "teahouse"
OPTIONS = [
    ("grpc.max_receive_message_length", LARGEST),
    ("grpc.lb_policy_name", "round_robin"),
    # Reconnect quickly when a peer comes back.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    # And find the new copies when an old one goes: a name is otherwise looked up once in 30 s at the most.
    ("grpc.dns_min_time_between_resolutions_ms", 1000),
    ("grpc.ssl_target_name_override", NAME),
    # A peer that the network has swallowed is noticed, though its connection stands.
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
]


def target(address: str) -> str:
    """What gRPC calls "host:port", or several of them with commas between.

    >>> target("sessions:7400"), target("127.0.0.1:1,127.0.0.1:2")
    ('sessions:7400', 'ipv4:127.0.0.1:1,127.0.0.1:2')
    """
    return f"ipv4:{address}" if "," in address else address


def channel(address: str, settings: Settings) -> grpc.aio.Channel:
    credentials = of_caller(settings)
    if credentials is None:
        return grpc.aio.insecure_channel(target(address), options=OPTIONS)
    return grpc.aio.secure_channel(target(address), credentials, options=OPTIONS)


def blocking_channel(address: str, settings: Settings, more: Sequence[tuple[str, Any]] = ()) -> grpc.Channel:
    """For programs without an event loop. Calls are spread over all copies that the address names."""
    credentials, options = of_caller(settings), [*OPTIONS, *more]
    if credentials is None:
        return grpc.insecure_channel(target(address), options=options)
    return grpc.secure_channel(target(address), credentials, options=options)


def ask(stub: Any, method: str, request: Any, seconds: float) -> Any:
    """A blocking call that says what it is made for. If the service is away, it waits until it is back.

    A blocking channel reconnects only while somebody waits for it: calls that fail at once would go on failing for
    long after the service has come back.
    """
    tracer = tracing.tracer()
    call = partial(getattr(stub, method), request, timeout=seconds, wait_for_ready=True)
    if tracer is None:
        return call(metadata=metadata())
    with tracer.within("client", method, {"rpc.system.name": "grpc", "rpc.method": method}):
        return call(metadata=metadata())


def listen(server: grpc.aio.Server, settings: Settings) -> bool:
    """Opens the port, with TLS if there are certificates; false if it is taken."""
    address = f"{settings.host}:{settings.port}"
    files = read_files(settings)
    try:
        if files is None:
            return server.add_insecure_port(address) != 0
        key, certificate, authority = files
        credentials = grpc.ssl_server_credentials([(key, certificate)], authority, require_client_auth=True)
        return server.add_secure_port(address, credentials) != 0
    except RuntimeError:
        return False


def of_caller(settings: Settings) -> Any:
    files = read_files(settings)
    if files is None:
        return None
    key, certificate, authority = files
    return grpc.ssl_channel_credentials(authority, key, certificate)


def read_files(settings: Settings) -> tuple[bytes, bytes, bytes] | None:
    """Key, certificate and the authority that signed everybody's; None without TLS."""
    names = {"KEY": settings.tls_key, "CERT": settings.tls_cert, "CA": settings.tls_ca}
    if not any(names.values()):
        return None
    for name, path in names.items():
        if not Path(path).is_file():
            raise SystemExit(f"TEAHOUSE_TLS_{name} is {path!r}; TLS needs the files TLS_KEY, TLS_CERT and TLS_CA")
    key, certificate, authority = (Path(path).read_bytes() for path in names.values())
    return key, certificate, authority
