"""What an API key must be allowed for each call: one table, for admission and for the OpenAPI document."""

import re

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


def needed(method: str, path: str) -> str:
    """
    >>> needed("POST", "/v1/players"), needed("GET", "/v1/players/me"), needed("DELETE", "/v1/players/me/tokens")
    ('players', 'read', 'play')
    """
    fits = (scope for verb, pattern, scope in TABLE if verb in (method, "*") and pattern.fullmatch(path))
    return next(fits)
