"""What goes into one message of a link: a message costs a process about as much with thirty calls as with one."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Generic, TypeVar

from services.platform import channels
from teahouse.v1 import link_pb2 as pb

Item = TypeVar("Item", pb.Call, pb.Reply)
# Seconds between two messages on a busy stream. The first message after a rest is not delayed.
GAP = 0.002
# Bytes after which a message is full.
FULL = 1 << 20
# Bytes of one request or answer. gRPC ends a stream that brings a larger message, and with it everybody's calls.
LARGEST = channels.LARGEST - 64 * 1024
# Items of a received batch that are handled before other tasks have a turn: what these led to can be sent on, and the
# next process begins with it while this one handles the rest.
PART = 48


class SendQueue(Generic[Item]):
    """Calls or replies that wait for the next message."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.some = asyncio.Event()
        self.clock = asyncio.get_running_loop().time
        self.sent = 0.0

    def put(self, item: Item) -> None:
        self.items.append(item)
        self.some.set()

    def wake(self) -> None:
        """Has the sender look up, though nothing may wait."""
        self.some.set()

    async def take(self) -> list[Item]:
        """Everything that waits, as far as it fits into a message; nothing after `wake`."""
        await self.some.wait()
        if (pause := self.sent + GAP - self.clock()) > 0:
            await asyncio.sleep(pause)
        size = count = 0
        for item in self.items:
            size += item.ByteSize()
            if count and size > FULL:
                break
            count += 1
        taken, self.items = self.items[:count], self.items[count:]
        if not self.items:
            self.some.clear()
        self.sent = self.clock()
        return taken


async def parts(batch: Sequence[Item]) -> AsyncIterator[Sequence[Item]]:
    """A received batch in pieces, between which the other tasks of this process have a turn."""
    for start in range(0, len(batch), PART):
        if start:
            await asyncio.sleep(0)
        yield batch[start : start + PART]
