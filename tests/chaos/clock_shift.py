"""Runs a module of ours in a process whose clock can be set wrong: `python -m tests.chaos.clock_shift FILE MODULE …`.

The file holds by how many seconds it is wrong; processes that the module forks see it too.
"""

import datetime
import mmap
import runpy
import struct
import sys
import time
from pathlib import Path
from typing import Any

SHIFT = struct.Struct("d")


def set_wrong(file: Path, seconds: float) -> None:
    """In place: those who have it mapped see it."""
    with file.open("r+b") as opened:
        opened.write(SHIFT.pack(seconds))


def prepare(file: Path) -> None:
    file.write_bytes(SHIFT.pack(0))


class Wrong(type):
    def __instancecheck__(cls, one: Any) -> bool:
        return isinstance(one, RIGHT)


RIGHT = datetime.datetime


class WrongTime(datetime.datetime, metaclass=Wrong):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return RIGHT.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> Any:
        return RIGHT.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)


def main() -> None:
    with Path(sys.argv[1]).open("rb") as file:
        shared = mmap.mmap(file.fileno(), SHIFT.size, access=mmap.ACCESS_READ)
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + SHIFT.unpack(shared[:])[0]
    time.time_ns = lambda: nanoseconds() + int(SHIFT.unpack(shared[:])[0] * 1e9)
    datetime.datetime = WrongTime  # type: ignore[misc]
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
