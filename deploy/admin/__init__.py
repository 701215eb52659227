"""What the operator's commands share: calls to the session service, tables, times."""

import argparse
import json
import os
import time
from collections.abc import Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict

from services.platform.channels import blocking_channel
from services.platform.settings import Settings, running
from teahouse.v1.operators_pb2_grpc import OperatorsStub

DEADLINE = 10
# Seconds for a call that reads all tables.
LONG = 300
AGES = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def operate(method: str, request: Any, patience: float = DEADLINE, stub: Any = OperatorsStub) -> Any:
    """Calls a method of operators.proto, or of another stub."""
    settings = Settings()
    address = os.environ.get("TEAHOUSE_SESSIONS", "") or running("sessions") or settings.sessions
    with blocking_channel(address, settings) as channel:
        return getattr(stub(channel), method)(request, timeout=patience)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, with the names of operators.proto")


def as_json(message: Any) -> str:
    """One line of JSON. What the games send as JSON (events, options, outcome) is nested in it, not quoted."""
    return json.dumps(readable(message), ensure_ascii=False)


def readable(message: Any) -> dict[str, Any]:
    found: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    for field, value in message.ListFields():
        if field.type == field.TYPE_BYTES:
            found[field.name] = json.loads(value)
        elif field.type == field.TYPE_MESSAGE and field.message_type.GetOptions().map_entry:
            found[field.name] = dict(value)
        elif field.type == field.TYPE_MESSAGE:
            many = isinstance(value, Sequence)
            found[field.name] = [readable(each) for each in value] if many else readable(value)
        elif field.type == field.TYPE_INT64:
            found[field.name] = list(value) if isinstance(value, Sequence) else value
    return found


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints aligned columns, numbers to the right."""
    texts = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[place]) for row in texts) for place in range(len(head))]
    right = [all(isinstance(row[place], int) for row in rows) and bool(rows) for place in range(len(head))]
    for row in texts:
        cells = zip(row, widths, right, strict=True)
        print("  ".join(f"{cell:>{width}}" if number else f"{cell:<{width}}" for cell, width, number in cells).rstrip())


def age(text: str) -> int:
    """Seconds: "90", "15m", "6h", "2d".

    >>> age("90"), age("15m"), age("2d")
    (90, 900, 172800)
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in AGES else (text, "s")
    if not (number.isascii() and number.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; expected seconds, or for example 15m, 6h, 2d")
    return int(number) * AGES[unit]


def since(at: int) -> str:
    """How long ago a time in milliseconds since 1970 was; negative if it is to come."""
    return span(time.time() - at / 1000)


def span(seconds: float) -> str:
    """
    >>> span(42), span(-600), span(100000)
    ('42s', '-10m', '27h')
    """
    sign, seconds = "-" if seconds < 0 else "", abs(seconds)
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "m"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{sign}{seconds // size:.0f}{unit}"
    return f"{sign}{seconds // 86400:.0f}d"
