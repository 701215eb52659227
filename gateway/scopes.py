"""What an API key must be allowed for each call: one table, for the gateway's door and for the OpenAPI document."""

import re
from typing import Any

from gateway.problems import MEDIA_TYPE, TITLES, Problem

# The first line that fits counts. Paths with their parameters filled in or as templates.
TABLE = [
    ("POST", re.compile(r"/v1/players(/[^/]+/token)?"), "players"),
    ("GET", re.compile(r".*"), "read"),
    ("HEAD", re.compile(r".*"), "read"),
    ("*", re.compile(r".*"), "play"),
]
HEADER = "X-API-Key"
DESCRIPTION = (
    "Of a client application, made by the operator. With the header `X-Player: p_…` the application acts "
    "for one of its own players. Scopes: `read`, `players`, `play`."
)
DOCUMENT = {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
# What any call may be answered with before it is looked at: by the door, and by gateway.strict.
REASONS = {
    401: ["BAD_KEY", "BAD_TOKEN"],
    403: ["SCOPE_MISSING", "NOT_YOUR_PLAYER"],
    422: ["INVALID_REQUEST"],
    429: ["TOO_MANY_REQUESTS", "TOO_MANY_OPEN"],
}


def needed(method: str, path: str) -> str:
    """
    >>> needed("POST", "/v1/players"), needed("GET", "/v1/players/me"), needed("DELETE", "/v1/players/me/tokens")
    ('players', 'read', 'play')
    """
    fits = (scope for verb, pattern, scope in TABLE if verb in (method, "*") and pattern.fullmatch(path))
    return next(fits)


def announce(document: dict[str, Any]) -> None:
    """Adds keys, their scopes and the door's problems to every call of the OpenAPI document."""
    for path, operations in document["paths"].items():
        if not path.startswith("/v1/"):
            continue
        for method, operation in operations.items():
            others = [each for each in operation.get("security", [{}]) if "api_key" not in each]
            operation["security"] = [*others, {"api_key": [needed(method.upper(), path)]}]
            for status, reasons in REASONS.items():
                add_problems(operation["responses"], status, reasons)


def add_problems(responses: dict[str, Any], status: int, reasons: list[str]) -> None:
    response = responses.setdefault(str(status), {"description": "", "content": {}})
    examples = response["content"].setdefault(MEDIA_TYPE, DOCUMENT | {"examples": {}})["examples"]
    for reason in reasons:
        if reason in examples:
            continue
        example = Problem(status, reason, f"{TITLES[reason]}.").document("/v1/…")
        examples[reason] = {"value": example}
        response["description"] = " · ".join(filter(None, [response["description"], f"{reason}: {TITLES[reason]}"]))
