"""Everything that can go wrong, as RFC 9457 problem documents. docs/errors.md explains each reason to clients."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import grpc
import grpc.aio
import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from services.engine.json_errors import cut
from services.platform import errors
from services.platform.errors import Refusal, from_rpc
from services.platform.metrics import SHED
from services.platform.tracing.context import CAUSE

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "1"
# Characters: what came is not sent back at any length.
LONGEST_DETAIL, LONGEST_PATH = 1000, 200

TITLES = {
    # What was sent.
    "MALFORMED_JSON": "The body is not JSON",
    "MALFORMED_HTTP": "This is not a request of HTTP/1.1",
    "HEAD_TOO_LARGE": "The address and the headers are too large",
    "UPGRADE_REQUIRED": "This address is for WebSockets",
    "UNSUPPORTED_MEDIA_TYPE": "The body must be application/json",
    "BODY_TOO_LARGE": "The body is too large",
    "INVALID_REQUEST": "The request does not have the expected shape",
    "MALFORMED_ACTION": "The action does not have the shape of this game's actions",
    "ILLEGAL_ACTION": "The rules forbid this action now",
    "BAD_OPTIONS": "The game cannot be dealt with these options",
    "BAD_SEATS": "The game cannot be dealt for these seats",
    "BAD_BOT": "This game has no such bot",
    "BAD_CLOCK": "The game cannot be played with this clock",
    "BAD_NAME": "The name cannot be used",
    "BAD_PAGE": "There is no such page",
    "BAD_TICKET": "This ticket cannot be matched",
    "BAD_TEXT": "This cannot be said",
    "BAD_URL": "This address cannot be called",
    "BAD_EVENTS": "There is no such event to hear of",
    "BAD_OFFER": "The offer is for too long or for too many games",
    "KEY_REUSED": "The idempotency key was used for something else",
    # Who sent it.
    "TOKEN_NEEDED": "This call needs a player's token",
    "BAD_TOKEN": "The token is not valid",
    "KEY_NEEDED": "This call needs an application's API key",
    "BAD_KEY": "The API key is not valid",
    "SCOPE_MISSING": "The API key is not allowed this",
    "NOT_YOUR_PLAYER": "The player does not belong to this application",
    "NOT_SEATED": "You do not sit there",
    "NOT_HOST": "Only the host of the table may do this",
    "WRONG_CODE": "The table is private and the join code is not its own",
    "RATED_TABLE": "The table is rated",
    "NOT_A_BOT": "This is for bot accounts only",
    # What it was about.
    "UNKNOWN_ROUTE": "There is nothing at this address",
    "METHOD_NOT_ALLOWED": "This address does not take this method",
    "UNKNOWN_GAME": "There is no such game",
    "UNKNOWN_TABLE": "There is no such table",
    "UNKNOWN_PLAYER": "There is no such player",
    "UNKNOWN_TICKET": "You have no such ticket",
    "UNKNOWN_WEBHOOK": "There is no such webhook",
    "UNKNOWN_PROBLEM": "There is no such type of problem",
    # When it came.
    "STALE_VERSION": "The table has moved on",
    "NOT_YOUR_TURN": "Another seat has the decision",
    "SEAT_TAKEN": "The seat is taken",
    "ALREADY_SEATED": "You sit at this table already",
    "NOT_OPEN": "The table is no longer open",
    "NOT_PLAYING": "The game is not being played",
    "NOT_FINISHED": "The game is not finished",
    "SEATS_OPEN": "Some seats are still open",
    "BUSY": "Too many change the table at once",
    "ALREADY_WAITING": "You wait with a ticket already",
    "TICKET_CLOSED": "The ticket is matched or cancelled",
    "NAME_TAKEN": "Another bot account has this name",
    "BOT_AWAY": "The bot cannot be seated now",
    "TOO_MANY_WEBHOOKS": "You have as many webhooks as a player can have",
    "RULES_CHANGED": "The game was begun under other rules",
    "TIME_UP": "Your time is used up",
    "RESIGNED": "You have given this game up",
    "NOT_ABSENT": "Nobody can say that this player is absent",
    "NOTHING_TO_UNDO": "There is no step to take back",
    "TOO_MANY_REQUESTS": "Too many requests",
    "TOO_MANY_OPEN": "Too many requests and streams are open",
    # Not the client's fault.
    "GAME_UNAVAILABLE": "The game's rules service does not answer",
    "STORE_UNAVAILABLE": "The store does not answer",
    "OVERLOADED": "The server has too much to do",
    "UNAVAILABLE": "The server is not ready",
    "TIMEOUT": "The server took too long",
    "HINT_LATE": "No bot had the time",
    "INTERNAL": "The server made a mistake",
}
STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT: 422,
    grpc.StatusCode.OUT_OF_RANGE: 422,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.CANCELLED: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}
# A bare status, without ErrorInfo, comes from the transport: the client learns what it means, not what gRPC said.
BARE = {
    401: ("BAD_TOKEN", "Get a token with POST /v1/players and send it as Authorization: Bearer <token>."),
    422: ("INVALID_REQUEST", "The request was refused; compare it with the schema at /docs."),
    429: ("TOO_MANY_REQUESTS", "Wait for the time in Retry-After, then repeat the request."),
    503: ("UNAVAILABLE", "The session service does not answer at the moment. Repeat the request in a second."),
    504: ("TIMEOUT", "The answer did not come in time. Look at the table before you repeat the request."),
}
INTERNAL = "Something went wrong on our side; it is in the server's log. The request itself may be right."


def type_of(reason: str) -> str:
    """The address that explains a reason.

    >>> type_of("STALE_VERSION")
    '/problems/stale-version'
    """
    return "/problems/" + reason.lower().replace("_", "-")


class Problem(Exception):
    """A request that is answered with a problem document."""

    def __init__(
        self,
        status: int,
        reason: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.reason, self.detail = status, reason, detail
        self.headers, self.members = dict(headers or {}), dict(members or {})
        if status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"
        if status in (429, 503):
            self.headers.setdefault("Retry-After", str(self.members.get("retry_after", RETRY_AFTER)))

    def document(self, instance: str) -> dict[str, Any]:
        request = CAUSE.get().request_id
        return {
            **self.members,
            "type": type_of(self.reason),
            "title": TITLES.get(self.reason) or self.reason.replace("_", " ").capitalize(),
            "status": self.status,
            "detail": cut(self.detail, LONGEST_DETAIL),
            "instance": cut(instance, LONGEST_PATH),
            "reason": self.reason,
            **({"request_id": request} if request else {}),
        }

    def response(self, instance: str) -> Response:
        body = msgspec.json.encode(self.document(instance))
        return Response(body, self.status, self.headers, MEDIA_TYPE)


def invalid(errors: Sequence[Mapping[str, str]]) -> Problem:
    """A body or parameter of the wrong shape."""
    first = "; ".join(f"{error['field'] or 'body'}: {error['message']}" for error in errors)
    detail = f"{first}. The expected shape is at /docs."
    return Problem(422, "INVALID_REQUEST", detail, members={"errors": list(errors)})


def overloaded() -> Problem:
    """This gateway has as much to do as it takes on."""
    SHED.inc()
    return from_refusal(errors.overloaded())


def from_error(error: Exception) -> Problem:
    """The problem behind any exception; one that nobody foresaw is logged and becomes INTERNAL."""
    match error:
        case Problem():
            return error
        case Refusal():
            return from_refusal(error)
        case grpc.aio.AioRpcError():
            return from_refusal(from_rpc(error))
        case RequestValidationError():
            return from_validation(error)
        case HTTPException():
            return from_http(error)
    log.error("unforeseen error", exc_info=error)
    return Problem(500, "INTERNAL", INTERNAL)


def from_refusal(refusal: Refusal) -> Problem:
    # Not this client's limit, which would be 429.
    status = 503 if refusal.reason == "OVERLOADED" else STATUSES.get(refusal.code, 500)
    if refusal.reason.startswith("RPC_"):
        if status == 500:
            log.error("a service failed with %s: %s", refusal.code.name, refusal.message)
        reason, detail = BARE.get(status, ("INTERNAL", INTERNAL))
        return Problem(status if status in BARE else 500, reason, detail)
    told = {key: value for key, value in refusal.metadata.items() if key not in ("field", "policy")}
    members: dict[str, Any] = {key: _number(value) for key, value in told.items()}
    if policy := refusal.metadata.get("policy"):
        members["violated-policies"] = [policy]
    if field := refusal.metadata.get("field"):
        members["errors"] = [{"field": field, "message": cut(refusal.message, LONGEST_DETAIL)}]
    return Problem(status, refusal.reason, refusal.message, members=members)


def from_validation(error: RequestValidationError) -> Problem:
    """Path and query parameters; bodies are decoded by gateway.bodies."""
    errors = [{"field": ".".join(map(str, each["loc"][1:])), "message": str(each["msg"])} for each in error.errors()]
    return invalid(errors)


def from_http(error: HTTPException) -> Problem:
    if error.status_code == 404:
        return Problem(404, "UNKNOWN_ROUTE", "There is nothing at this address. All addresses are listed at /docs.")
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        detail = f"Use {allowed} here." if allowed else "Use another method here."
        return Problem(405, "METHOD_NOT_ALLOWED", f"{detail} All calls are listed at /docs.", error.headers)
    reason = HTTPStatus(error.status_code).name
    return Problem(error.status_code, reason, str(error.detail), error.headers)


def _number(value: str) -> str | int:
    """Metadata of a gRPC error is text; versions and counts are numbers to a client."""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 16 else value
