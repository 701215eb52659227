"""A collector of traces: takes what services export over OTLP/HTTP, decoded with the protocol's own messages."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from deploy.stack import LOCAL


class Heard(NamedTuple):
    """A span, the service it came from, and what it says of itself."""

    service: str
    span: Span

    @property
    def trace(self) -> str:
        return self.span.trace_id.hex()

    @property
    def about(self) -> dict[str, str | int]:
        return {each.key: each.value.string_value or each.value.int_value for each in self.span.attributes}


class Collector:
    def __init__(self, url: str) -> None:
        self.url = url
        self.heard: list[Heard] = []
        self.paths: set[str] = set()

    def take(self, body: bytes) -> None:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = [each.value.string_value for each in resource.resource.attributes if each.key == "service.name"]
            self.heard += [Heard(names[0], span) for scope in resource.scope_spans for span in scope.spans]

    def trace(self, trace: str) -> list[Heard]:
        return [each for each in self.heard if each.trace == trace]

    def until(self, trace: str, enough: Callable[[list[Heard]], bool], patience: float = 60) -> list[Heard]:
        """The spans of a trace, when those that are waited for are there."""
        limit = time.monotonic() + patience
        while not enough(spans := self.trace(trace)):
            assert time.monotonic() < limit, sorted((each.service, each.span.name) for each in spans)
            time.sleep(0.05)
        return spans


@contextmanager
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collecting.paths.add(self.path)
            collecting.take(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Quietly."""

    server = ThreadingHTTPServer((LOCAL, 0), Handler)
    server.daemon_threads = True
    collecting = Collector(f"http://{LOCAL}:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collecting
        assert collecting.paths <= {"/v1/traces"}
    finally:
        server.shutdown()
        server.server_close()
