"""What each route says of itself for the OpenAPI document: its shapes, examples and problems."""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, get_args

import msgspec

from gateway.contract.problems import MEDIA_TYPE, TITLES, Problem

# Schemas and examples: of any shape.
JsonObject = dict[str, Any]
REF = "#/components/schemas/"
JSON = "application/json"
# What a successful answer contains, by operation.
CONTENTS: dict[str, JsonObject] = {}
# What routes take and return; shapes may be defined beside their routes or in gateway.schemas.
SHAPES: list[type] = []
# The problems that any route may answer with.
ALWAYS = ("UNAVAILABLE", "STORE_UNAVAILABLE", "OVERLOADED", "TIMEOUT")
STATUS_OF = {
    **dict.fromkeys(("MALFORMED_JSON", "MALFORMED_HTTP"), 400),
    "HEAD_TOO_LARGE": 431,
    "UPGRADE_REQUIRED": 426,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "BODY_TOO_LARGE": 413,
    **dict.fromkeys(("TOKEN_NEEDED", "BAD_TOKEN", "KEY_NEEDED", "BAD_KEY"), 401),
    **dict.fromkeys(("NOT_SEATED", "NOT_HOST", "NOT_A_BOT", "NOT_YOUR_PLAYER"), 403),
    **dict.fromkeys(("WRONG_CODE", "RATED_TABLE", "SCOPE_MISSING"), 403),
    **dict.fromkeys(("UNKNOWN_GAME", "UNKNOWN_TABLE", "UNKNOWN_PLAYER", "UNKNOWN_TICKET", "UNKNOWN_WEBHOOK"), 404),
    **dict.fromkeys(("UNKNOWN_ROUTE", "UNKNOWN_PROBLEM"), 404),
    "METHOD_NOT_ALLOWED": 405,
    **dict.fromkeys(("STALE_VERSION", "NOT_YOUR_TURN", "SEAT_TAKEN", "ALREADY_SEATED", "NOT_OPEN"), 409),
    **dict.fromkeys(("NOT_PLAYING", "NOT_FINISHED", "SEATS_OPEN", "BUSY", "RULES_CHANGED"), 409),
    **dict.fromkeys(("TIME_UP", "RESIGNED", "NOT_ABSENT", "NOTHING_TO_UNDO"), 409),
    **dict.fromkeys(("ALREADY_WAITING", "TICKET_CLOSED", "NAME_TAKEN", "BOT_AWAY", "TOO_MANY_WEBHOOKS"), 409),
    **dict.fromkeys(("TOO_MANY_REQUESTS", "TOO_MANY_OPEN"), 429),
    "INTERNAL": 500,
    **dict.fromkeys(("UNAVAILABLE", "GAME_UNAVAILABLE", "STORE_UNAVAILABLE", "OVERLOADED"), 503),
    **dict.fromkeys(("TIMEOUT", "HINT_LATE"), 504),
}


def describe(
    name: str,
    summary: str,
    returns: type,
    example: object,
    *,
    status: int = 200,
    takes: type | UnionType | None = None,
    sends: object = None,
    body_needed: bool = True,
    problems: Sequence[str] = (),
    cached: bool = False,
    media_type: str = JSON,
    also: Mapping[str, object] | None = None,
    nothing: str = "",
    anonymous: bool = False,
) -> JsonObject:
    """The keyword arguments of a route: its name, the shapes that it takes and returns, and its problems.

    `also` has examples of the same in other media types, `nothing` is what an answer without content (204) means.
    """
    examples = {media_type: example, **(also or {})}
    CONTENTS[name] = {
        kind: {"schema": {"$ref": REF + returns.__name__} if kind == JSON else {"type": "string"}, "example": each}
        for kind, each in examples.items()
    }
    responses: dict[int | str, Any] = {status: {"description": summary}}
    if nothing:
        responses[204] = {"description": nothing}
    if cached:
        responses[304] = {"description": "The client has it already (If-None-Match)."}
    extra: JsonObject = {"security": [{}]} if anonymous else {}
    if takes is not None:
        problems = [*problems, "MALFORMED_JSON", "UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_LARGE", "INVALID_REQUEST"]
        kinds = get_args(takes) or (takes,)
        schema = one_of(kinds) if len(kinds) > 1 else {"$ref": REF + kinds[0].__name__}
        extra["requestBody"] = {"content": {JSON: {"schema": schema, "example": sends}}, "required": body_needed}
        SHAPES.extend(kinds)
    SHAPES.append(returns)
    return {
        "operation_id": name,
        "summary": summary,
        "status_code": status,
        "responses": responses | failures([*problems, *ALWAYS]),
        "openapi_extra": extra,
    }


def failures(reasons: Sequence[str]) -> dict[int | str, Any]:
    """The error responses of a route, one example per reason."""
    found: dict[int | str, Any] = {}
    for reason in reasons:
        add_problem(found, STATUS_OF.get(reason, 422), reason)
    return found


def add_problem(responses: dict[Any, Any], status: int | str, reason: str) -> None:
    response = responses.setdefault(status, {"description": "", "content": {}})
    schema = {"$ref": REF + "ProblemDocument"}
    examples = response["content"].setdefault(MEDIA_TYPE, {"schema": schema, "examples": {}})["examples"]
    if reason not in examples:
        shown = Problem(int(status), reason, f"{TITLES[reason]}.").document("/v1/…")
        # Not the id of the request that asks for the document: every copy and every start gives the same bytes.
        examples[reason] = {"value": shown | {"request_id": "4bf92f3577b34da6"}}
        response["description"] = " · ".join(filter(None, [response["description"], f"{reason}: {TITLES[reason]}"]))


def one_of(kinds: Sequence[type]) -> JsonObject:
    """One of several tagged shapes, with the field that tells them apart."""
    tagged = [kind.__struct_config__ for kind in kinds if issubclass(kind, msgspec.Struct)]
    mapping = {str(each.tag): REF + kind.__name__ for each, kind in zip(tagged, kinds, strict=True)}
    references = [{"$ref": REF + kind.__name__} for kind in kinds]
    return {"oneOf": references, "discriminator": {"propertyName": tagged[0].tag_field, "mapping": mapping}}
