"""The limit on calls under way in this process. One too many is refused at once: that is better than all waiting."""

import sys
from collections.abc import Callable
from types import TracebackType

from services.platform.errors import overloaded
from services.platform.metrics import SHED


class CallLimit:
    """`with limit:` around a call raises what `refusal` makes if `most` are under way already. 0 means no limit."""

    __slots__ = ("most", "refusal", "under_way")

    def __init__(self, most: int, refusal: Callable[[], Exception] = overloaded) -> None:
        self.most, self.under_way, self.refusal = most or sys.maxsize, 0, refusal

    def check(self) -> None:
        if self.under_way >= self.most:
            SHED.inc()
            raise self.refusal()

    def __enter__(self) -> None:
        self.check()
        self.under_way += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.under_way -= 1
