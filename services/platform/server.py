"""Starts a gRPC service the way all of ours start: health, reflection, metrics, draining on SIGTERM."""

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import Histogram, start_http_server

from services.platform.logs import set_up_logs
from services.platform.settings import Settings

log = logging.getLogger(__name__)
CALLS = Histogram(
    "teahouse_grpc_seconds",
    "Duration of gRPC calls answered, by method and status.",
    ["method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.keepalive_permit_without_calls", 1),
]
CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.lb_policy_name", "round_robin"),
    # Reconnect quickly when a peer comes back.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]

Register = Callable[[grpc.aio.Server], Awaitable[Callable[[], Awaitable[None]]]]


class Measure(grpc.aio.ServerInterceptor):
    """Counts and times unary calls."""

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or handler.unary_unary is None or details.method.startswith("/grpc."):
            return handler
        method = details.method.rsplit("/", 1)[1]
        inner = handler.unary_unary

        async def timed(request: Any, context: Any) -> Any:
            began = time.perf_counter()
            try:
                return await inner(request, context)
            finally:
                code = context.code()
                name = code.name if isinstance(code, grpc.StatusCode) else "OK"
                CALLS.labels(method, name).observe(time.perf_counter() - began)

        return grpc.unary_unary_rpc_method_handler(timed, handler.request_deserializer, handler.response_serializer)


def channel(address: str) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)


def serve(name: str, service: str, settings: Settings, register: Register) -> None:
    """Runs until SIGTERM or SIGINT. `register` adds the servicer and returns what to await before the process ends."""
    set_up_logs(name, settings)
    uvloop.run(_serve(name, service, settings, register))


async def _serve(name: str, service: str, settings: Settings, register: Register) -> None:
    server = grpc.aio.server(interceptors=[Measure()], options=OPTIONS)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection((service, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    close = await register(server)
    address = f"{settings.host}:{settings.port}"
    if server.add_insecure_port(address) == 0:
        raise SystemExit(f"{name} cannot listen on {address}: is the port taken?")
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)
    await server.start()
    for what in ("", service):
        await healthy.set(what, health_pb2.HealthCheckResponse.SERVING)
    log.info("listening on %s", address)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    log.info("draining, %g s at the most", settings.drain)
    await healthy.enter_graceful_shutdown()
    await server.stop(settings.drain)
    await close()
    log.info("stopped")
