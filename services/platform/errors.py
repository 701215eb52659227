"""Errors that cross a process: a gRPC status with google.rpc.ErrorInfo, and back again."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, NoReturn

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

DOMAIN = "teahouse"
DETAILS = "grpc-status-details-bin"
# What the client of a store raises when the store is away. Who has a store adds it here
# (services/sessions/store/connection.py): a service without one must not pay for the client's code.
OUTAGES: list[type[Exception]] = []


class Refusal(Exception):
    """A call is refused: `reason` for machines, `message` for people. Raised by services, answered by the server."""

    def __init__(self, code: grpc.StatusCode, reason: str, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.code, self.reason, self.message, self.metadata = code, reason, message, metadata


def invalid(reason: str, message: str, **metadata: str) -> Refusal:
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, reason, message, **metadata)


def not_found(reason: str, message: str) -> Refusal:
    return Refusal(grpc.StatusCode.NOT_FOUND, reason, message)


def denied(reason: str, message: str) -> Refusal:
    return Refusal(grpc.StatusCode.PERMISSION_DENIED, reason, message)


def conflict(reason: str, message: str) -> Refusal:
    return Refusal(grpc.StatusCode.FAILED_PRECONDITION, reason, message)


def status_of(refusal: Refusal) -> status_pb2.Status:
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=refusal.metadata))
    return status_pb2.Status(code=refusal.code.value[0], message=refusal.message, details=[detail])


async def abort(context: Any, refusal: Refusal) -> NoReturn:
    """Ends the call with the refusal."""
    context.set_trailing_metadata(((DETAILS, status_of(refusal).SerializeToString()),))
    try:
        await context.abort(refusal.code, refusal.message)
    except grpc.aio.AbortError as ended:
        raise ended from refusal
    raise AssertionError("abort returned")


def from_rpc(error: Any) -> Refusal:
    """The refusal inside a failed call; a bare status (a dead peer, a deadline) becomes reason "RPC_<code>"."""
    code: grpc.StatusCode = error.code()
    trailing: Any = error.trailing_metadata()
    for key, value in trailing or ():
        if key == DETAILS and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            for detail in status.details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return Refusal(code, info.reason, status.message, **info.metadata)
    return Refusal(code, f"RPC_{code.name}", error.details() or code.name)


def store_away() -> Refusal:
    text = "the store does not answer; look at the table again before you repeat a move"
    return Refusal(grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", text)


def overloaded() -> Refusal:
    text = "the server has more to do than it can; nothing was done, repeat the call in a second"
    return Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", text)


def answers(plain: Callable[[Any, Any], Awaitable[Any]]) -> Any:
    """Makes a gRPC method of `async def method(self, request)`: what it refuses becomes the call's status.

    The plain method stays reachable as `.plain`, for calls that come over a link.
    """

    async def method(self: Any, request: Any, context: Any) -> Any:
        try:
            return await plain(self, request)
        except Refusal as refusal:
            await abort(context, refusal)
        except tuple(OUTAGES):
            await abort(context, store_away())

    return Method(method, plain)


def streams(plain: Callable[[Any, Any], AsyncIterator[Any]]) -> Any:
    """The same for a method that gives a stream of answers."""

    async def method(self: Any, request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            async for answer in plain(self, request):
                yield answer
        except Refusal as refusal:
            await abort(context, refusal)
        except tuple(OUTAGES):
            await abort(context, store_away())

    return Method(method, plain)


class Method:
    """A function of a class that carries another one with it; both are bound to the instance."""

    def __init__(self, method: Callable[..., Any], plain: Callable[..., Any]) -> None:
        self.method, self.plain = method, plain

    def __get__(self, instance: Any, owner: type) -> Any:
        bound = partial(self.method, instance)
        bound.plain = partial(self.plain, instance)  # type: ignore[attr-defined]
        return bound
