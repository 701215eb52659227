"""What a call is made for: the id of the client's request, and its trace. It goes with calls, tasks and log lines."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from teahouse.v1.link_pb2 import Cause

# Never altered, only replaced: tasks that were begun here share it.
CAUSE: ContextVar[Cause] = ContextVar("cause", default=Cause())  # noqa: B039
REQUEST_ID, TRACEPARENT = "x-request-id", "traceparent"


@contextmanager
def caused_by(cause: Cause) -> Iterator[None]:
    before = CAUSE.set(cause)
    try:
        yield
    finally:
        CAUSE.reset(before)


def metadata() -> list[tuple[str, str]]:
    """The cause of what is being done, for a plain gRPC call."""
    cause = CAUSE.get()
    given = ((REQUEST_ID, cause.request_id), (TRACEPARENT, cause.traceparent))
    return [(name, value) for name, value in given if value]


def from_metadata(rows: Iterable[Any]) -> Cause:
    """
    >>> from_metadata([("user-agent", "grpc"), ("x-request-id", "r1")]).request_id
    'r1'
    """
    given = {name: value for name, value in rows if name in (REQUEST_ID, TRACEPARENT)}
    return Cause(request_id=given.get(REQUEST_ID, ""), traceparent=given.get(TRACEPARENT, ""))
