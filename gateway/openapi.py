"""The OpenAPI document: what each route says of itself, and the shapes from gateway.schemas."""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, get_args

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import compile_path

from gateway import schemas, scopes
from gateway.problems import MEDIA_TYPE, TITLES, Problem

TITLE = "Teahouse"
DESCRIPTION = """An open game server: modern board games by their full rules, for any client.

Get a token with `POST /v1/players`, open a table with `POST /v1/tables`, begin with `POST /v1/tables/{table}/start`,
then play: `GET …/view` lists your legal actions, `POST …/actions` carries one out. Live updates come through
`GET …/events` (Server-Sent Events, or JSON lines) or the WebSocket `…/socket`, which also takes actions:
a client sends `SocketMessage` and receives `Snapshot`, `Change`, `SaidLine`, `PresenceNews`,
`Acked`, `LineAcked` and `Refused` (see the schemas).

What belongs to a game is an open object here (`Action`, `Event`, `View`, `Options`), because games are added without a
new version of the API. Each game of this server has its own shapes among the schemas: `<Game>Action`, `<Game>Event`,
`<Game>View` and `<Game>Options`, named after its id.

Every error is an RFC 9457 problem document; its `type` is an address of this server that explains it. Every answer has
an `X-Request-Id`, the client's own if it sent one, by which the operator finds what the server did."""
REF = "#/components/schemas/"
JSON = "application/json"
# What a successful answer contains, by operation.
CONTENTS: dict[str, dict[str, Any]] = {}
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
    **dict.fromkeys(("NOT_SEATED", "NOT_HOST", "WRONG_CODE", "RATED_TABLE", "NOT_YOUR_PLAYER", "SCOPE_MISSING"), 403),
    "NOT_A_BOT": 403,
    **dict.fromkeys(("UNKNOWN_GAME", "UNKNOWN_TABLE", "UNKNOWN_PLAYER", "UNKNOWN_TICKET", "UNKNOWN_WEBHOOK"), 404),
    **dict.fromkeys(("UNKNOWN_ROUTE", "UNKNOWN_PROBLEM"), 404),
    "METHOD_NOT_ALLOWED": 405,
    **dict.fromkeys(("STALE_VERSION", "NOT_YOUR_TURN", "SEAT_TAKEN", "ALREADY_SEATED", "NOT_OPEN"), 409),
    **dict.fromkeys(("NOT_PLAYING", "NOT_FINISHED", "SEATS_OPEN", "BUSY", "RULES_CHANGED"), 409),
    **dict.fromkeys(("TIME_UP", "RESIGNED", "NOT_ABSENT", "NOTHING_TO_UNDO"), 409),
    **dict.fromkeys(("ALREADY_WAITING", "TICKET_CLOSED", "NAME_TAKEN", "BOT_AWAY", "TOO_MANY_WEBHOOKS"), 409),
    **dict.fromkeys(("TOO_MANY_REQUESTS", "TOO_MANY_OPEN"), 429),
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "GAME_UNAVAILABLE": 503,
    "STORE_UNAVAILABLE": 503,
    "OVERLOADED": 503,
    "TIMEOUT": 504,
    "HINT_LATE": 504,
}
OBJECT: dict[str, Any] = {"type": "object"}
# Payloads pass through unread; their fields have these names in every shape of the API.
PAYLOADS: dict[str, dict[str, Any]] = {
    "action": {"$ref": REF + "Action"},
    "legal": {"type": "array", "items": {"$ref": REF + "Action"}},
    "events": {"type": "array", "items": {"$ref": REF + "Event"}},
    "table_events": {"type": "array", "items": {"$ref": REF + "TableEvent"}},
    "options": {"$ref": REF + "Options"},
    "view": {"$ref": REF + "View"},
    "outcome": {"$ref": REF + "Outcome"},
}
PAYLOAD_SHAPES = {
    "Action": OBJECT | {"description": "An action of the table's game: `<Game>Action`. One key, which is its kind."},
    "Event": OBJECT | {"description": "An event of the table's game: `<Game>Event`. One key, which is its kind."},
    "TableEvent": OBJECT | {"description": "What happened to the table itself. One key, which is its kind."},
    "Options": OBJECT | {"description": "Options of the table's game: `<Game>Options`."},
    "View": OBJECT | {"description": "A view of the table's game: `<Game>View`."},
}


def describe(
    name: str,
    summary: str,
    returns: type,
    example: Any,
    *,
    status: int = 200,
    takes: type | UnionType | None = None,
    sends: Any = None,
    body_needed: bool = True,
    problems: Sequence[str] = (),
    cached: bool = False,
    media_type: str = JSON,
    also: Mapping[str, Any] | None = None,
    nothing: str = "",
    anonymous: bool = False,
) -> dict[str, Any]:
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
    extra: dict[str, Any] = {"security": [{}]} if anonymous else {}
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
    for reason in dict.fromkeys(reasons):
        status = STATUS_OF.get(reason, 422)
        example = Problem(status, reason, f"{TITLES[reason]}.").document("/v1/…")
        response = found.setdefault(
            status,
            {
                "description": "",
                "content": {MEDIA_TYPE: {"schema": {"$ref": REF + "ProblemDocument"}, "examples": {}}},
            },
        )
        response["description"] = " · ".join(filter(None, [response["description"], f"{reason}: {TITLES[reason]}"]))
        response["content"][MEDIA_TYPE]["examples"][reason] = {"value": example}
    return found


def one_of(kinds: Sequence[type]) -> dict[str, Any]:
    """One of several tagged shapes, with the field that tells them apart."""
    tagged = [kind.__struct_config__ for kind in kinds if issubclass(kind, msgspec.Struct)]
    mapping = {str(each.tag): REF + kind.__name__ for each, kind in zip(tagged, kinds, strict=True)}
    references = [{"$ref": REF + kind.__name__} for kind in kinds]
    return {"oneOf": references, "discriminator": {"propertyName": tagged[0].tag_field, "mapping": mapping}}


def document(app: FastAPI) -> dict[str, Any]:
    """All but the games' own shapes. Made once, when first asked for."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=TITLE,
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            servers=[{"url": "/"}],
        )
        for route in made["paths"].values():
            for operation in route.values():
                _replace_validation(operation["responses"])
                _put_contents(operation)
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = _sendable(parameter["schema"], parameter["in"])
        made.setdefault("components", {})["schemas"] = components()
        scopes.announce(made)
        app.openapi_schema = made
    return app.openapi_schema


def components() -> dict[str, Any]:
    """The shapes by name."""
    shapes = [each for each in vars(schemas).values() if isinstance(each, type) and _is_shape(each)]
    shapes += [each for each in SHAPES if each not in shapes]
    _, made = msgspec.json.schema_components(shapes, ref_template=REF + "{name}")
    for shape in made.values():
        properties = shape.get("properties", {})
        for name in properties.keys() & PAYLOADS.keys():
            properties[name] = _payload(properties[name], PAYLOADS[name])
    return made | PAYLOAD_SHAPES


def _payload(schema: dict[str, Any], payload: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field that may hold anything, replaced by that of the payload."""
    described = {key: value for key, value in schema.items() if key == "description"}
    if schema == described:
        return payload | described
    if {} in schema.get("anyOf", ()):
        return described | {"anyOf": [payload, {"type": "null"}]}
    return schema


def _is_shape(kind: type) -> bool:
    return issubclass(kind, msgspec.Struct) and kind not in (msgspec.Struct, schemas.Request)


def _replace_validation(responses: dict[str, Any]) -> None:
    """FastAPI announces its own shape for parameters that it refuses; ours is a problem document."""
    ours = failures(["INVALID_REQUEST"])[422]
    announced = responses.get("422")
    if announced and JSON in announced["content"]:
        del announced["content"][JSON]
        announced["content"] = ours["content"] | announced["content"]
        announced["description"] = announced["description"].replace("Validation Error", ours["description"])


def _put_contents(operation: dict[str, Any]) -> None:
    """Ours instead of FastAPI's, which leaves out what is null; in our answers those fields are there."""
    for status, response in operation["responses"].items():
        if status.startswith("2") and status != "204":
            response["content"] = CONTENTS[operation["operationId"]]


def _sendable(schema: dict[str, Any], where: str) -> dict[str, Any]:
    """A parameter is left out, never null; and what a header holds is text."""
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    if where == "header" and kinds[0].get("type") == "integer":
        kinds = [{"type": "string", "pattern": "^[0-9]{1,18}$"}]
    return {"title": schema["title"], **kinds[0]} if len(kinds) == 1 else schema


def allowed(app: FastAPI, path: str) -> list[str]:
    """The methods that a path takes, for the Allow header of a 405."""
    for template, operations in document(app)["paths"].items():
        if compile_path(template)[0].match(path):
            return sorted(method.upper() for method in operations)
    return ["GET"]
