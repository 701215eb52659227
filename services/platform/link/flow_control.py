"""How far a stream of answers may run ahead of its reader: the sender waits for credit, which the reader gives back.

A reader that is slow gets fewer answers, each of which says more; what it has not read waits nowhere.
"""

import asyncio

# Answers of one streaming call that may be under way. A part of the protocol: both sides begin with it.
CREDIT = 4


class SendCredit(asyncio.Semaphore):
    """The sender's side: `await acquire()` before each answer."""

    def __init__(self) -> None:
        super().__init__(CREDIT)

    def grant(self, answers: int) -> None:
        for _ in range(answers):
            self.release()


class ReadCredit:
    """The reader's side: credit goes back in halves, so that not every answer costs a message."""

    __slots__ = ("unreturned",)

    def __init__(self) -> None:
        self.unreturned = 0

    def read(self) -> int:
        """One more answer was read: the credit to give back now, mostly 0."""
        self.unreturned += 1
        if self.unreturned < CREDIT // 2:
            return 0
        returned, self.unreturned = self.unreturned, 0
        return returned
