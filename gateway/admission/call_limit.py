"""How many calls this gateway has under way: better some are refused at once than all wait in vain."""

import sys

from gateway.contract.problems import from_refusal
from services.platform import errors
from services.platform.metrics import SHED


class CallLimit:
    """`with calls:` around a call of another service, or the opening of a stream until its first message."""

    __slots__ = ("most", "under_way")

    def __init__(self, most: int) -> None:
        self.most, self.under_way = most or sys.maxsize, 0

    def check(self) -> None:
        """Raises OVERLOADED if no place is left."""
        if self.under_way >= self.most:
            SHED.inc()
            raise from_refusal(errors.overloaded())

    def __enter__(self) -> None:
        self.check()
        self.under_way += 1

    def __exit__(self, *error: object) -> None:
        self.under_way -= 1
