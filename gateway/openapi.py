"""The OpenAPI document: what each route says of itself, and the shapes from gateway.schemas."""

from collections.abc import Sequence
from types import UnionType
from typing import Any, get_args

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import compile_path

from gateway import schemas
from gateway.problems import MEDIA_TYPE, TITLES, Problem

TITLE = "Teahouse"
DESCRIPTION = """An open game server: modern board games by their full rules, for any client.

Get a token with `POST /v1/players`, open a table with `POST /v1/tables`, begin with `POST /v1/tables/{table}/start`,
then play: `GET …/view` lists your legal actions, `POST …/actions` carries one out. Live updates come through
`GET …/events` (Server-Sent Events) or the WebSocket `…/socket`, which also takes actions:
a client sends `SocketMessage` and receives `Snapshot`, `Change`, `Acked` and `Refused` (see the schemas).
Every error is an RFC 9457 problem document."""
REF = "#/components/schemas/"
# The example answers, by operation.
EXAMPLES: dict[str, Any] = {}
# The problems that any route may answer with.
ALWAYS = ("UNAVAILABLE", "STORE_UNAVAILABLE", "TIMEOUT")
STATUS_OF = {
    "MALFORMED_JSON": 400,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "BODY_TOO_LARGE": 413,
    **dict.fromkeys(("TOKEN_NEEDED", "BAD_TOKEN"), 401),
    **dict.fromkeys(("NOT_SEATED", "NOT_HOST", "WRONG_CODE"), 403),
    **dict.fromkeys(("UNKNOWN_GAME", "UNKNOWN_TABLE", "UNKNOWN_PLAYER"), 404),
    **dict.fromkeys(("STALE_VERSION", "NOT_YOUR_TURN", "SEAT_TAKEN", "ALREADY_SEATED", "NOT_OPEN"), 409),
    **dict.fromkeys(("NOT_PLAYING", "NOT_FINISHED", "SEATS_OPEN", "BUSY", "RULES_CHANGED"), 409),
    "UNAVAILABLE": 503,
    "GAME_UNAVAILABLE": 503,
    "STORE_UNAVAILABLE": 503,
    "TIMEOUT": 504,
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
    problems: Sequence[str] = (),
    cached: bool = False,
    media_type: str = "application/json",
    anonymous: bool = False,
) -> dict[str, Any]:
    """The keyword arguments of a route: its name, the shapes that it takes and returns, and its problems."""
    content = {media_type: {"schema": {"$ref": REF + returns.__name__}, "example": example}}
    if media_type != "application/json":
        content = {media_type: {"schema": {"type": "string"}, "example": example}}
    responses: dict[int | str, Any] = {status: {"description": summary, "content": content}}
    if cached:
        responses[304] = {"description": "The client has it already (If-None-Match)."}
    extra: dict[str, Any] = {"security": [{}]} if anonymous else {}
    if takes is not None:
        problems = [*problems, "MALFORMED_JSON", "UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_LARGE", "INVALID_REQUEST"]
        kinds = get_args(takes) or (takes,)
        references = [{"$ref": REF + kind.__name__} for kind in kinds]
        schema: dict[str, Any] = references[0] if len(references) == 1 else {"oneOf": references}
        extra["requestBody"] = {"content": {"application/json": {"schema": schema, "example": sends}}}
    EXAMPLES[name] = example
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


def document(app: FastAPI) -> dict[str, Any]:
    """Made once, when first asked for."""
    if app.openapi_schema is None:
        made = get_openapi(title=TITLE, version=app.version, description=DESCRIPTION, routes=app.routes)
        for route in made["paths"].values():
            for operation in route.values():
                _replace_validation(operation["responses"])
                _restore_example(operation)
        shapes = [each for each in vars(schemas).values() if isinstance(each, type) and _is_shape(each)]
        _, components = msgspec.json.schema_components(shapes, ref_template=REF + "{name}")
        made.setdefault("components", {})["schemas"] = components
        app.openapi_schema = made
    return app.openapi_schema


def _is_shape(kind: type) -> bool:
    return issubclass(kind, msgspec.Struct) and kind not in (msgspec.Struct, schemas.Request)


def _replace_validation(responses: dict[str, Any]) -> None:
    """FastAPI announces its own shape for parameters that it refuses; ours is a problem document."""
    ours = failures(["INVALID_REQUEST"])[422]
    announced = responses.get("422")
    if announced and "application/json" in announced["content"]:
        del announced["content"]["application/json"]
        announced["content"] = ours["content"] | announced["content"]
        announced["description"] = announced["description"].replace("Validation Error", ours["description"])


def _restore_example(operation: dict[str, Any]) -> None:
    """FastAPI leaves out what is null; in our answers those fields are there."""
    success = next(response for status, response in operation["responses"].items() if status.startswith("2"))
    for shape in success["content"].values():
        shape["example"] = EXAMPLES[operation["operationId"]]


def allowed(app: FastAPI, path: str) -> list[str]:
    """The methods that a path takes, for the Allow header of a 405."""
    for template, operations in document(app)["paths"].items():
        if compile_path(template)[0].match(path):
            return sorted(method.upper() for method in operations)
    return ["GET"]
