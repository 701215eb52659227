"""What a call does not take is refused, lest a client believe that it was heeded: unknown parameters, a body."""

from urllib.parse import parse_qsl

from fastapi import Request

from gateway import openapi
from gateway.problems import invalid
from services.platform.shapes import cut

NOTHING = (b"", b"{}")


async def only_what_it_takes(request: Request) -> None:
    """A dependency of every call of the API."""
    query, headers = request.scope["query_string"], request.headers
    sent = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if not query and not sent:
        return
    call = openapi.document(request.app)["paths"][request.scope["route"].path][request.method.lower()]
    if query:
        check_query(query, [each["name"] for each in call.get("parameters", ()) if each["in"] == "query"])
    if sent and "requestBody" not in call and (await request.body()).strip() not in NOTHING:
        raise invalid([{"field": "", "message": "This call takes no body; leave it out, or send {}"}])


def check_query(query: bytes, known: list[str]) -> None:
    """
    >>> check_query(b"limit=3", ["limit"])
    """
    names = dict.fromkeys(name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    if unknown := [name for name in names if name not in known]:
        taken = ", ".join(f'"{each}"' for each in known) or "none"
        raise invalid([{"field": cut(name), "message": f"Unknown parameter; expected {taken}"} for name in unknown[:3]])
