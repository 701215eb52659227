"""Errors that cross a process: a gRPC status with google.rpc.ErrorInfo, and back again."""

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from redis.exceptions import RedisError

DOMAIN = "teahouse"
DETAILS = "grpc-status-details-bin"


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


async def abort(context: Any, refusal: Refusal) -> NoReturn:
    """Ends the call with the refusal."""
    info = error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=refusal.metadata)
    detail = any_pb2.Any()
    detail.Pack(info)
    status = status_pb2.Status(code=refusal.code.value[0], message=refusal.message, details=[detail])
    context.set_trailing_metadata(((DETAILS, status.SerializeToString()),))
    await context.abort(refusal.code, refusal.message)
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


Handler = Callable[[Any, Any, Any], Awaitable[Any]]


def answers(handler: Handler) -> Handler:
    """Wraps a unary method of a servicer: its refusals become the call's status."""

    async def method(self: Any, request: Any, context: Any) -> Any:
        try:
            return await handler(self, request, context)
        except Refusal as refusal:
            await abort(context, refusal)
        except RedisError:
            await abort(context, store_away())

    return method
