"""Runs all of Teahouse on this machine until Ctrl-C: `python -m deploy.local`, which is what `make run` does.

TEAHOUSE_HOST and TEAHOUSE_PORT say where the gateway listens, TEAHOUSE_DATA where the data lives (./var), TEAHOUSE_BOTS
and TEAHOUSE_SEARCH how many bot workers there are for turns that are played at once and for those that are thought
about; every other setting is passed on to the services.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

from deploy.stack import Stack
from deploy.supervisor import StackError
from services.platform.settings import Settings


def say(text: str) -> None:
    print(f"teahouse: {text}", flush=True)


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def workers(name: str) -> int:
    text = os.environ.get(name, "1")
    if not text.isdecimal():
        sys.exit(f"{name} is {text!r}; expected the number of bot workers, such as 1")
    return int(text)


def main() -> None:
    settings = Settings()
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
