"""The OpenAPI document describes every route with shapes, examples and errors."""

from typing import Any

import jsonschema
import pytest

from gateway.app import make_app
from gateway.contract.problems import MEDIA_TYPE
from services.platform.settings import Settings
from services.platform.tracing.context import caused_by
from teahouse.v1.link_pb2 import Cause

DOCUMENT: dict[str, Any] = make_app(Settings()).openapi()
OPERATIONS = [
    pytest.param(operation, id=f"{method} {path}")
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def check(content: dict[str, Any]) -> None:
    """Examples have the shape that the schema beside them asks for."""
    examples = [each["value"] for each in content.get("examples", {}).values()] or [content["example"]]
    for example in examples:
        jsonschema.validate(example, content["schema"] | {"components": DOCUMENT["components"]})


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_is_named_explained_and_shown(operation: dict[str, Any]) -> None:
    assert operation["operationId"]
    assert operation["summary"]
    assert operation["description"]
    if "requestBody" in operation:
        check(operation["requestBody"]["content"]["application/json"])
    for status, response in operation["responses"].items():
        kinds = {MEDIA_TYPE} if status >= "400" else response.get("content", {}).keys()
        assert status in ("204", "304") or response["content"].keys() == kinds
        for content in response.get("content", {}).values():
            check(content)


def test_whoever_asks_gets_the_same_bytes() -> None:
    with caused_by(Cause(request_id="somebody-elses")):
        assert make_app(Settings()).openapi() == DOCUMENT


def test_tokens_and_keys_are_asked_for_where_they_are_needed() -> None:
    paths = DOCUMENT["paths"]
    assert DOCUMENT["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert paths["/v1/tables"]["post"]["security"] == [{"bearer": []}, {"api_key": ["play"]}]
    assert paths["/v1/tables"]["get"]["security"] == [{"bearer": []}, {}, {"api_key": ["read"]}]
    assert paths["/v1/games"]["get"]["security"] == [{}, {"api_key": ["read"]}]
    assert paths["/v1/players/{player}/token"]["post"]["security"] == [{"api_key": ["players"]}]
    assert "security" not in paths["/healthz"]["get"]


def test_the_gateway_names_no_game() -> None:
    from services.engine import registry

    text = str(DOCUMENT)
    assert not [name for name in registry.names() if name in text]
