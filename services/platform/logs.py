"""Logs for humans or as JSON, on standard error. Never a token, never a payload: those may hold hidden things.

A line about a table says so in fields, `extra=about(…)`; what a request leads to carries its id, in every service.
Nothing here writes a token or a key; should a library do so, in a traceback for example, it is blotted out.
"""

import json
import logging
import re
import sys
import time
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE

# A player's token, an application's key.
SECRET = re.compile(r"\bp_[a-z0-9]+\.\d+\.[\d.]*[\w-]{40,}|\btea_[\w-]{40,}")
# What a line may be about.
FIELDS = ("table", "seat", "version")
# Characters of what a client says is a table.
LONGEST = 40


def blot(text: str) -> str:
    """
    >>> blot("GET /v1/tables/t_x/socket?token=p_abc.1790000000.0." + "x" * 43)
    'GET /v1/tables/t_x/socket?token=…'
    """
    return SECRET.sub("…", text)


def about(message: Message) -> dict[str, Any]:
    """Which table, seat and version a message is about, as far as it says."""
    found: dict[str, Any] = {}
    for name, optional in said_by(message.DESCRIPTOR):
        if not optional or message.HasField(name):
            value = getattr(message, name)
            if value != "":
                found[name] = value[:LONGEST] if isinstance(value, str) else value
    return found


@cache
def said_by(kind: Descriptor) -> list[tuple[str, bool]]:
    """Which of these a kind of message has, and whether it may be without."""
    known = kind.fields_by_name
    simple = [name for name in FIELDS if name in known and known[name].message_type is None]
    return [(name, known[name].has_presence) for name in simple]


def fields(record: logging.LogRecord) -> dict[str, Any]:
    """What a line says beside its text."""
    cause = CAUSE.get()
    found = {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
    if cause.request_id:
        found["request"] = cause.request_id
    if cause.traceparent:
        found["trace"] = cause.traceparent[3:35]
    return found


def plain(value: str | int) -> str:
    """What a client wrote must not look like lines of ours.

    >>> plain("t_x"), plain(7), plain("a\\nERROR")
    ('t_x', '7', "'a\\\\nERROR'")
    """
    return str(value) if str(value).isprintable() else repr(value)


class Human(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__(f"%(asctime)s {service:<16} %(levelname)-7s %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        told = " ".join(f"{name}={plain(value)}" for name, value in fields(record).items())
        line = super().formatMessage(record)
        return f"{line}  [{told}]" if told else line

    def format(self, record: logging.LogRecord) -> str:
        return blot(super().format(record))


class Json(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self.service = service

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "service": self.service,
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return blot(json.dumps(line, ensure_ascii=False))


def set_up_logs(service: str, settings: Settings) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json(service) if settings.log_format == "json" else Human(service))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    logging.captureWarnings(True)
