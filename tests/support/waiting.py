"""Waiting for something to be so, instead of for seconds."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
PATIENCE = 60.0


def until(condition: Callable[[], Found], what: object = "what was waited for", patience: float = PATIENCE) -> Found:
    """What the condition gives once it is true; `what` is for the message if that never happens."""
    limit = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < limit, f"{what} did not happen within {patience:g} s"
        time.sleep(0.05)
    return found
