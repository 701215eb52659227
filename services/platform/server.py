"""Starts a gRPC service the way all of ours start: health, reflection, metrics, draining on SIGTERM."""

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import grpc
import grpc.aio
import uvloop
from google.protobuf import message_factory
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from services.platform import tracing
from services.platform.channels import LARGEST, listen
from services.platform.errors import abort, overloaded
from services.platform.link.server import Gate, LinkServer
from services.platform.logs import about, set_up_logs
from services.platform.metrics import SHED, attributes, calls
from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE, from_metadata
from teahouse.v1 import link_pb2_grpc
from teahouse.v1.link_pb2 import Cause

if TYPE_CHECKING:
    from services.platform.tracing.spans import Tracer

log = logging.getLogger(__name__)
OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", LARGEST),
    ("grpc.keepalive_permit_without_calls", 1),
    # Callers ask every 5 s whether we are there, calls or not.
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A caller whose machine has vanished is noticed: its streams must not stay open.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
]


class Measure(grpc.aio.ServerInterceptor):
    """Counts and times plain unary calls, as the link does with its own; refuses them when too many are under way."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or handler.unary_unary is None or details.method.startswith("/grpc."):
            return handler
        method = details.method.rsplit("/", 1)[1]
        gate, cause, answer = self.gate, from_metadata(details.invocation_metadata), handler.unary_unary
        if tracer := tracing.tracer():
            answer = traced(tracer, method, cause, answer)

        async def timed(request: Any, context: Any) -> Any:
            if gate.calls >= gate.most:
                SHED.inc()
                await abort(context, overloaded())
            CAUSE.set(cause)
            began, status = time.perf_counter(), "UNKNOWN"
            gate.calls += 1
            try:
                answered = await answer(request, context)
                status = "OK"
                return answered
            finally:
                gate.calls -= 1
                code = context.code()
                if isinstance(code, grpc.StatusCode) and code is not grpc.StatusCode.OK:
                    status = code.name
                took = time.perf_counter() - began
                calls(method, status).observe(took)
                if log.isEnabledFor(logging.DEBUG):
                    log.debug("%s %s in %.1f ms", method, status, 1000 * took, extra=about(request))

        return grpc.unary_unary_rpc_method_handler(timed, handler.request_deserializer, handler.response_serializer)


def traced(tracer: "Tracer", method: str, cause: Cause, answer: Callable[..., Awaitable[Any]]) -> Any:
    async def within(request: Any, context: Any) -> Any:
        with tracer.within("server", method, attributes(method, request), cause):
            return await answer(request, context)

    return within


class Service(Protocol):
    """What `serve` starts: it answers the methods of its contracts, begins, and ends."""

    # What it serves: `rules_pb2.DESCRIPTOR.services_by_name["Rules"]`, …; no two of them have a method of one name.
    descriptors: tuple[Any, ...]

    async def begin(self) -> None: ...

    async def end(self) -> None: ...


def serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    """Runs until SIGTERM or SIGINT. `make` makes the service inside the event loop."""
    set_up_logs(name, settings)
    tracing.begin(name, settings)
    uvloop.run(_serve(name, settings, make))
    tracing.end()


async def _serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    gate = Gate(settings.call_limit)
    server = grpc.aio.server(interceptors=[Measure(gate)], options=OPTIONS)
    service = make()
    await service.begin()
    link = LinkServer(service, service.descriptors, gate)
    server.add_generic_rpc_handlers(tuple(handlers(service, each) for each in service.descriptors))
    link_pb2_grpc.add_LinkServicer_to_server(link, server)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    names = [each.full_name for each in service.descriptors]
    others = ("teahouse.v1.Link", health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection((*names, *others), server)
    address = f"{settings.host}:{settings.port}"
    if not listen(server, settings):
        raise SystemExit(f"{name} cannot listen on {address}: is the port taken?")
    await server.start()
    for what in ("", *names):
        await healthy.set(what, health_pb2.HealthCheckResponse.SERVING)
    # Last: that they are served at all says that the service is ready.
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)
    log.info("listening on %s", address)
    collect_seldom()
    await told_to_stop()
    log.info("draining, %g s at the most", settings.drain)
    await healthy.enter_graceful_shutdown()
    link.drain()
    await server.stop(settings.drain)
    await service.end()
    log.info("stopped")


def handlers(service: Service, descriptor: Any) -> grpc.GenericRpcHandler:
    """The methods of one contract, as a server takes them."""
    made = {}
    for method in descriptor.methods:
        make = grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
        made[method.name] = make(
            getattr(service, method.name),
            message_factory.GetMessageClass(method.input_type).FromString,
            message_factory.GetMessageClass(method.output_type).SerializeToString,
        )
    return grpc.method_handlers_generic_handler(descriptor.full_name, made)


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
