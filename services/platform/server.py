"""Starts a gRPC service the way all of ours start: health, reflection, metrics, draining on SIGTERM."""

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Callable
from typing import Any, Protocol

import grpc
import grpc.aio
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from services.platform.link import LinkServer
from services.platform.logs import set_up_logs
from services.platform.metrics import CALLS
from services.platform.settings import Settings
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
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


class Service(Protocol):
    """What `serve` starts: it adds itself to a server, begins, and ends."""

    # The service's descriptor: `rules_pb2.DESCRIPTOR.services_by_name["Rules"]`.
    descriptor: Any

    def add_to(self, server: grpc.aio.Server) -> None: ...

    async def begin(self) -> None: ...

    async def end(self) -> None: ...


def serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    """Runs until SIGTERM or SIGINT. `make` makes the service inside the event loop."""
    set_up_logs(name, settings)
    uvloop.run(_serve(name, settings, make))


async def _serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    server = grpc.aio.server(interceptors=[Measure()], options=OPTIONS)
    service = make()
    await service.begin()
    link = LinkServer(service, service.descriptor)
    service.add_to(server)
    link_pb2_grpc.add_LinkServicer_to_server(link, server)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    names = (service.descriptor.full_name, "teahouse.v1.Link", health.SERVICE_NAME)
    reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), server)
    address = f"{settings.host}:{settings.port}"
    if server.add_insecure_port(address) == 0:
        raise SystemExit(f"{name} cannot listen on {address}: is the port taken?")
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)
    await server.start()
    for what in ("", service.descriptor.full_name):
        await healthy.set(what, health_pb2.HealthCheckResponse.SERVING)
    log.info("listening on %s", address)
    collect_seldom()
    await told_to_stop()
    log.info("draining, %g s at the most", settings.drain)
    await healthy.enter_graceful_shutdown()
    link.drain()
    await server.stop(settings.drain)
    await service.end()
    log.info("stopped")


def collect_seldom() -> None:
    """What is there after the start stays; looking through it for cycles after every 700 objects is a waste."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


async def told_to_stop() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
