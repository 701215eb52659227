"""Refuses unknown parameters and bodies that a call does not take, so that no client thinks they had an effect."""

from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from gateway.contract.problems import invalid
from services.engine.json_errors import cut

NOTHING = (b"", b"{}")
# By the id of the call: the names of its parameters, and whether it takes a body.
TAKEN: dict[str, tuple[list[str], bool]] = {}


async def only_what_it_takes(request: Request) -> None:
    """A dependency of every call of the API."""
    query, headers = request.scope["query_string"], request.headers
    sent = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if not query and not sent:
        return
    parameters, body = taken_by(request.scope["route"])
    if query:
        check_query(query, parameters)
    if sent and not body and (await request.body()).strip() not in NOTHING:
        raise invalid([{"field": "", "message": "This call takes no body; leave it out, or send {}"}])


def taken_by(route: APIRoute) -> tuple[list[str], bool]:
    if route.unique_id not in TAKEN:
        TAKEN[route.unique_id] = parameters_of(route.dependant), "requestBody" in (route.openapi_extra or {})
    return TAKEN[route.unique_id]


def parameters_of(dependant: Dependant) -> list[str]:
    inside = [name for each in dependant.dependencies for name in parameters_of(each)]
    return [each.alias for each in dependant.query_params] + inside


def check_query(query: bytes, known: list[str]) -> None:
    """
    >>> check_query(b"limit=3", ["limit"])
    """
    names = dict.fromkeys(name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    if unknown := [name for name in names if name not in known]:
        taken = ", ".join(f'"{each}"' for each in known) or "none"
        raise invalid([{"field": cut(name), "message": f"Unknown parameter; expected {taken}"} for name in unknown[:3]])
