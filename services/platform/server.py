"""Starts a gRPC service, the same way for each: health, reflection, metrics, draining on SIGTERM."""

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Protocol

import grpc
import grpc.aio
import uvloop
from google.protobuf import message_factory
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from services.platform import tracing
from services.platform.call_limit import CallLimit
from services.platform.channels import LARGEST, listen
from services.platform.errors import Refusal, abort
from services.platform.link import LinkServer
from services.platform.logs import message_fields, set_up_logs
from services.platform.metrics import attributes, calls
from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE, from_metadata
from teahouse.v1 import link_pb2_grpc

log = logging.getLogger(__name__)
OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", LARGEST),
    ("grpc.keepalive_permit_without_calls", 1),
    # Callers ping every 5 s, whether there are calls or not.
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_pings_without_data", 0),
    # Notice that the machine of a caller has vanished: its streams must not stay open.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
]


class PlainCalls(grpc.aio.ServerInterceptor):
    """Does for plain unary calls what the link does for its own: limits, measures and traces them."""

    def __init__(self, limit: CallLimit) -> None:
        self.limit = limit

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or handler.unary_unary is None or details.method.startswith("/grpc."):
            return handler
        method = details.method.rsplit("/", 1)[1]
        cause, answer, tracer = from_metadata(details.invocation_metadata), handler.unary_unary, tracing.tracer()

        async def measured(request: Any, context: Any) -> Any:
            began, status = time.perf_counter(), "UNKNOWN"
            try:
                span = tracer.within("server", method, attributes(method, request), cause) if tracer else nullcontext()
                with span:
                    answered = await answer(request, context)
                status = "OK"
                return answered
            finally:
                code = context.code()
                if isinstance(code, grpc.StatusCode) and code is not grpc.StatusCode.OK:
                    status = code.name
                took = time.perf_counter() - began
                calls(method, status).observe(took)
                if log.isEnabledFor(logging.DEBUG):
                    log.debug("%s %s in %.1f ms", method, status, 1000 * took, extra=message_fields(request))

        async def limited(request: Any, context: Any) -> Any:
            try:
                with self.limit:
                    CAUSE.set(cause)
                    return await measured(request, context)
            except Refusal as refusal:
                await abort(context, refusal)

        return grpc.unary_unary_rpc_method_handler(limited, handler.request_deserializer, handler.response_serializer)


class Service(Protocol):
    """What `serve` starts: the methods of its contracts, and what is to be done before and after it serves."""

    # Its contracts, such as `rules_pb2.DESCRIPTOR.services_by_name["Rules"]`; no two have a method of the same name.
    descriptors: tuple[Any, ...]

    async def begin(self) -> None: ...

    async def end(self) -> None: ...


def serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    """Runs until SIGTERM or SIGINT. `make` is called inside the event loop."""
    set_up_logs(name, settings)
    tracing.begin(name, settings)
    uvloop.run(_serve(name, settings, make))
    tracing.end()


async def _serve(name: str, settings: Settings, make: Callable[[], Service]) -> None:
    limit = CallLimit(settings.call_limit)
    server = grpc.aio.server(interceptors=[PlainCalls(limit)], options=OPTIONS)
    service = make()
    await service.begin()
    link = LinkServer(service, service.descriptors, limit)
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
    # Last, because whoever waits for the service to be ready asks for its metrics.
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.host)
    log.info("listening on %s", address)
    collect_seldom()
    await stop_signal()
    log.info("draining, %g s at the most", settings.drain)
    await healthy.enter_graceful_shutdown()
    link.drain()
    await server.stop(settings.drain)
    await service.end()
    log.info("stopped")


def handlers(service: Service, descriptor: Any) -> grpc.GenericRpcHandler:
    """The methods of one contract, for a gRPC server."""
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
    """Makes the garbage collector look for cycles rarely, and never in what is there after the start: that stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


async def stop_signal() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
