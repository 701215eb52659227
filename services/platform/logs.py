"""Logs for humans or as JSON, on standard error. Never a token, never a payload: those may hold hidden things."""

import json
import logging
import sys
import time

from services.platform.settings import Settings


class Human(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__(f"%(asctime)s {service:<16} %(levelname)-7s %(message)s", "%H:%M:%S")


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
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(service: str, settings: Settings) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json(service) if settings.log_format == "json" else Human(service))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
