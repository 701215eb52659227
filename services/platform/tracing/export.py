"""Spans on their way to a collector: OTLP over HTTP, as protobuf, from a thread of its own.

What cannot be sent is lost: a collector that is away must cost neither memory nor time.
"""

import logging
import threading
import time
import urllib.request
from collections import deque
from http.client import HTTPException

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1 import trace_pb2 as pb

log = logging.getLogger(__name__)
KINDS = {
    "server": pb.Span.SPAN_KIND_SERVER,
    "client": pb.Span.SPAN_KIND_CLIENT,
    "producer": pb.Span.SPAN_KIND_PRODUCER,
    "consumer": pb.Span.SPAN_KIND_CONSUMER,
}
FAILED = pb.Status(code=pb.Status.STATUS_CODE_ERROR)
# Seconds between two messages, and for one; spans in a message, and spans that wait.
PAUSE, TIMEOUT = 1.0, 5.0
MOST_SENT, MOST_KEPT = 512, 8192
# A collector is reached directly, whatever proxy there is for the internet.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Span:
    """Something that takes time, and what may be told of it. Ids are hexadecimal; without an exporter none records."""

    __slots__ = ("attributes", "began", "ended", "exporter", "failed", "id", "kind", "link", "name", "parent", "trace")

    def __init__(
        self,
        exporter: "Exporter | None",
        trace: str,
        id_: str,
        parent: str,
        kind: str,
        name: str,
        attributes: dict[str, str | int],
        link: tuple[str, str] | None,
        began: int,
    ) -> None:
        self.exporter, self.trace, self.id, self.parent = exporter, trace, id_, parent
        self.kind, self.name, self.attributes, self.link = kind, name, attributes, link
        self.began, self.ended, self.failed = began, 0, False

    def refused(self, reason: str, fault: bool) -> None:
        """`fault`: it is ours, not the caller's."""
        self.attributes["error.type"], self.failed = reason, fault

    def end(self) -> None:
        if self.exporter:
            self.ended = time.time_ns()
            self.exporter.put(self)

    def message(self) -> pb.Span:
        return pb.Span(
            trace_id=bytes.fromhex(self.trace),
            span_id=bytes.fromhex(self.id),
            parent_span_id=bytes.fromhex(self.parent),
            name=self.name,
            kind=KINDS[self.kind],
            start_time_unix_nano=self.began,
            end_time_unix_nano=self.ended,
            attributes=[attribute(*each) for each in self.attributes.items()],
            links=[pb.Span.Link(trace_id=bytes.fromhex(self.link[0]), span_id=bytes.fromhex(self.link[1]))]
            if self.link
            else [],
            status=FAILED if self.failed else None,
        )


def attribute(key: str, value: str | int) -> KeyValue:
    return KeyValue(
        key=key, value=AnyValue(string_value=value) if isinstance(value, str) else AnyValue(int_value=value)
    )


class Exporter(threading.Thread):
    """`url` is the collector's, without a path."""

    def __init__(self, service: str, url: str) -> None:
        super().__init__(name="spans", daemon=True)
        self.url = f"{url.rstrip('/')}/v1/traces"
        names = {"service.namespace": "teahouse", "service.name": service}
        self.resource = Resource(attributes=[attribute(*each) for each in names.items()])
        self.waiting: deque[Span] = deque(maxlen=MOST_KEPT)
        self.stopping = threading.Event()
        self.away = False

    def put(self, span: Span) -> None:
        """The oldest goes if there are too many."""
        self.waiting.append(span)

    def run(self) -> None:
        while not self.stopping.wait(PAUSE):
            self.send()
        self.send()

    def send(self) -> None:
        while self.waiting:
            batch = [self.waiting.popleft() for _ in range(min(MOST_SENT, len(self.waiting)))]
            try:
                self.post(batch)
            except (OSError, HTTPException, ValueError) as error:
                if not self.away:
                    log.warning("traces are lost, %s does not take them: %s", self.url, error)
                self.away = True
                self.waiting.clear()
            else:
                if self.away:
                    log.info("traces are taken again by %s", self.url)
                self.away = False

    def post(self, batch: list[Span]) -> None:
        scope = pb.ScopeSpans(scope=InstrumentationScope(name="teahouse"), spans=[span.message() for span in batch])
        spans = pb.ResourceSpans(resource=self.resource, scope_spans=[scope])
        body = ExportTraceServiceRequest(resource_spans=[spans]).SerializeToString()
        headers = {"Content-Type": "application/x-protobuf"}
        with OPENER.open(urllib.request.Request(self.url, body, headers), timeout=TIMEOUT) as answer:
            answer.read()

    def end(self) -> None:
        """Sends what is left, if that can be done soon."""
        self.stopping.set()
        self.join(TIMEOUT)
