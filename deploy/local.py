"""Runs all of Teahouse on this machine until Ctrl-C: `.venv/bin/python -m deploy.local`, which is what `make run` does.

TEAHOUSE_HOST and TEAHOUSE_PORT: where the gateway listens. TEAHOUSE_DATA: the data directory (./var). TEAHOUSE_BOTS and
TEAHOUSE_SEARCH: the number of workers for bots that play at once and for bots that think. All other settings go to the
services.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

from deploy.stack import Stack
from deploy.supervisor import StackError
from services.platform.settings import KNOWN, Settings

# Read here or by deploy.stack. `Settings` reads all others.
OWN = {"TEAHOUSE_DATA", "TEAHOUSE_BOTS", "TEAHOUSE_SEARCH", "TEAHOUSE_REDIS_FSYNC"}
# Endings of those that docker-compose.yml reads.
OF_IMAGES = ("IMAGE", "_NETWORK", "_GRAFANA_PORT", "_JAEGER_PORT")


def say(text: str) -> None:
    print(f"teahouse: {text}", flush=True)


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def workers(name: str) -> int:
    text = os.environ.get(name, "1")
    if not text.isdecimal():
        sys.exit(f"{name} is {text!r}; expected the number of bot workers, such as 1")
    return int(text)


def misspelt() -> None:
    """Warns of variables that nothing reads."""
    for name in sorted(os.environ):
        if name.startswith("TEAHOUSE_") and name not in KNOWN | OWN and not name.endswith(OF_IMAGES):
            say(f"{name} is not a setting. Is it misspelt? docs/operating.md lists all settings")


def main() -> None:
    settings = Settings()
    misspelt()
    data = Path(os.environ.get("TEAHOUSE_DATA", "var"))
    bots, search = workers("TEAHOUSE_BOTS"), workers("TEAHOUSE_SEARCH")
    stack = Stack(data, host=settings.host, port=settings.port, bots=bots, search=search, say=say)
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in ending:
        signal.signal(number, interrupt)
    try:
        stack.start()
        print(f"Teahouse is ready: {stack.url}  (docs: {stack.url}/docs)  Ctrl-C stops it", flush=True)
        while True:
            signal.pause()
    except KeyboardInterrupt:
        pass
    except StackError as error:
        sys.exit(f"teahouse: {error}")
    for number in ending:
        signal.signal(number, signal.SIG_IGN)
    say("stopping")
    stack.stop()
    say("stopped; the data is kept")


if __name__ == "__main__":
    main()
