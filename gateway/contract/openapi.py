"""The OpenAPI document, made of what each route says of itself and of the shapes."""

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import compile_path

from gateway.admission import scopes
from gateway.contract import schemas
from gateway.contract.describe import CONTENTS, JSON, REF, SHAPES, STATUS_OF, JsonObject, add_problem, failures

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
# What any call of the API may be answered with before it is looked at.
REFUSALS = (
    *("BAD_KEY", "BAD_TOKEN", "SCOPE_MISSING", "NOT_YOUR_PLAYER"),
    *("INVALID_REQUEST", "TOO_MANY_REQUESTS", "TOO_MANY_OPEN"),
)
OBJECT: JsonObject = {"type": "object"}
# Payloads pass through unread; their fields have these names in every shape of the API.
PAYLOADS: dict[str, JsonObject] = {
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


def document(app: FastAPI) -> JsonObject:
    """All but the games' own shapes. Made once, when first asked for."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=TITLE,
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            servers=[{"url": "/"}],
        )
        for path, route in made["paths"].items():
            for method, operation in route.items():
                _replace_validation(operation["responses"])
                _put_contents(operation)
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = _sendable(parameter["schema"], parameter["in"])
                if path.startswith("/v1/"):
                    _add_admission(operation, scopes.needed(method.upper(), path))
        made.setdefault("components", {})["schemas"] = components()
        app.openapi_schema = made
    return app.openapi_schema


def components() -> JsonObject:
    """The shapes by name."""
    shapes = [each for each in vars(schemas).values() if isinstance(each, type) and _is_shape(each)]
    # By file, so that the document is the same whatever was imported first.
    shapes += sorted((each for each in SHAPES if each not in shapes), key=lambda each: each.__module__.split(".")[-1])
    _, made = msgspec.json.schema_components(shapes, ref_template=REF + "{name}")
    for shape in made.values():
        properties = shape.get("properties", {})
        for name in properties.keys() & PAYLOADS.keys():
            properties[name] = _payload(properties[name], PAYLOADS[name])
    return made | PAYLOAD_SHAPES


def _payload(schema: JsonObject, payload: JsonObject) -> JsonObject:
    """The schema of a field that may hold anything, replaced by that of the payload."""
    described = {key: value for key, value in schema.items() if key == "description"}
    if schema == described:
        return payload | described
    if {} in schema.get("anyOf", ()):
        return described | {"anyOf": [payload, {"type": "null"}]}
    return schema


def _is_shape(kind: type) -> bool:
    return issubclass(kind, msgspec.Struct) and kind not in (msgspec.Struct, schemas.Request)


def _replace_validation(responses: JsonObject) -> None:
    """FastAPI announces its own shape for parameters that it refuses; ours is a problem document."""
    ours = failures(["INVALID_REQUEST"])[422]
    announced = responses.get("422")
    if announced and JSON in announced["content"]:
        del announced["content"][JSON]
        announced["content"] = ours["content"] | announced["content"]
        announced["description"] = announced["description"].replace("Validation Error", ours["description"])


def _add_admission(operation: JsonObject, scope: str) -> None:
    """A key with its scope, and the problems of those who are not admitted."""
    others = [each for each in operation.get("security", [{}]) if "api_key" not in each]
    operation["security"] = [*others, {"api_key": [scope]}]
    for reason in REFUSALS:
        add_problem(operation["responses"], str(STATUS_OF.get(reason, 422)), reason)


def _put_contents(operation: JsonObject) -> None:
    """Ours instead of FastAPI's, which leaves out what is null; in our answers those fields are there."""
    for status, response in operation["responses"].items():
        if status.startswith("2") and status != "204":
            response["content"] = CONTENTS[operation["operationId"]]


def _sendable(schema: JsonObject, where: str) -> JsonObject:
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
