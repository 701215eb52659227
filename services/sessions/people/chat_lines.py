"""Lines of chat. A line's id is that of its entry in a Redis stream."""

import re

from services.platform.errors import invalid
from teahouse.v1 import sessions_pb2 as pb

# Lines that are kept per table; what an id looks like, and one that is before all of them.
MOST_LINES = 500
LINE_ID = re.compile(r"[0-9]{1,15}-[0-9]{1,10}")
FIRST_LINE = "0-0"


def line_from(id_: bytes, data: bytes) -> pb.ChatLine:
    """As Redis keeps it."""
    line = pb.ChatLine.FromString(data)
    line.id, line.at = id_.decode(), int(id_.partition(b"-")[0])
    return line


def checked(id_: str) -> str:
    if not LINE_ID.fullmatch(id_):
        raise invalid("BAD_PAGE", "that is not the id of a line", field="after")
    return id_


def place(id_: str) -> tuple[int, int]:
    """Where a line stands among the others.

    >>> place("1700000000000-9") < place("1700000000000-10")
    True
    """
    at, _, number = id_.partition("-")
    return int(at), int(number or 0)
