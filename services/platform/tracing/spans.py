"""Spans for OpenTelemetry. Their parents come from services.platform.tracing.context, within a process and between two.

A span says which method was called about which table, seat and version, and how that ended. Never what was in it: that
may be hidden, and messages of errors quote it.
"""

import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio

from services.platform.errors import Refusal
from services.platform.tracing.context import CAUSE, caused_by
from services.platform.tracing.export import Exporter, Span
from teahouse.v1.link_pb2 import Cause

Attributes = Mapping[str, str | int]
TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]([0-9a-f])")
# How the flags of a trace that is recorded end.
RECORDED = tuple("13579bdf")
# The others are answers to mistakes of the caller.
FAULTS = {
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DATA_LOSS,
}


class Tracer:
    """`share` is the part of the traces begun here that is recorded."""

    def __init__(self, exporter: Exporter, share: float) -> None:
        self.exporter, self.share = exporter, share

    def start(self, kind: str, name: str, cause: Cause, attributes: Attributes, linked: bool = False) -> Span:
        """A span under that cause, or the first of a trace; `linked`: of a new trace that names the other one."""
        trace, parent, recorded = parent_in(cause.traceparent)
        link = (trace, parent) if trace and recorded and linked else None
        if not trace or linked:
            trace, parent = secrets.token_hex(16), ""
            recorded = int(trace[:8], 16) < self.share * 2**32
        about = {"teahouse.request_id": cause.request_id, **attributes} if cause.request_id else {**attributes}
        id_ = secrets.token_hex(8)
        return Span(self.exporter if recorded else None, trace, id_, parent, kind, name, about, link, time.time_ns())

    @contextmanager
    def span(self, kind: str, name: str, cause: Cause, attributes: Attributes, linked: bool = False) -> Iterator[Span]:
        """A span that is the cause of what is done in it."""
        span = self.start(kind, name, cause, attributes, linked)
        try:
            with caused_by(self.under(span, cause)):
                yield span
        except BaseException as error:
            note(span, error)
            raise
        finally:
            span.end()

    @contextmanager
    def within(self, kind: str, name: str, attributes: Attributes, cause: Cause | None = None) -> Iterator[None]:
        """The same, if it is part of a trace that is recorded; else nothing."""
        cause = CAUSE.get() if cause is None else cause
        if cause.traceparent[-1:] not in RECORDED:
            with caused_by(cause):
                yield
            return
        with self.span(kind, name, cause, attributes):
            yield

    def under(self, span: Span, cause: Cause) -> Cause:
        """The cause of what is done in a span. A request without an id of its own has that of its trace."""
        traceparent = f"00-{span.trace}-{span.id}-{'01' if span.exporter else '00'}"
        return Cause(request_id=cause.request_id or span.trace, traceparent=traceparent)

    def end(self) -> None:
        self.exporter.end()


def parent_in(traceparent: str) -> tuple[str, str, bool]:
    """Trace, span, and whether they are recorded.

    >>> parent_in("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    ('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', True)
    >>> parent_in("00-00000000000000000000000000000000-b7ad6b7169203331-01"), parent_in("")
    (('', '', False), ('', '', False))
    """
    found = TRACEPARENT.match(traceparent)
    return (found[1], found[2], found[3] in RECORDED) if found else ("", "", False)


def note(span: Span, error: BaseException) -> None:
    """How a span ended; never the message of the error."""
    error = error.__cause__ if isinstance(error, grpc.aio.AbortError) and error.__cause__ else error
    code: Any = error.code if isinstance(error, Refusal) else error.code() if isinstance(error, grpc.RpcError) else None
    if isinstance(code, grpc.StatusCode):
        span.attributes["rpc.response.status_code"] = code.name
    reason = error.reason if isinstance(error, Refusal) else code.name if code else type(error).__name__
    span.refused(reason, code is None or code in FAULTS)
