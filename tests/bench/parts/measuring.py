"""What the benchmarks of single parts share: a server process, callers who call as fast as they can, a table."""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import NamedTuple

import psutil

from deploy.supervisor import ROOT

SECONDS, WARM_UP, ROUNDS = 1.0, 0.2, 3
Call = Callable[[], Awaitable[object]]
# A way to do something: what it is called, and what gives the call for each of so many callers while it is open.
Way = tuple[str, Callable[[int], AbstractAsyncContextManager[list[Call]]]]


class Figures(NamedTuple):
    """Calls a second, and microseconds of CPU a call, of all processes that take part."""

    rate: float
    cpu: float


@contextmanager
def server(module: str, *arguments: str) -> Iterator[tuple[int, psutil.Process]]:
    """`python -m module …`, which prints the port on which it listens."""
    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield int(process.stdout.readline()), psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


def used(processes: list[psutil.Process]) -> float:
    """Seconds of CPU, ours included."""
    return time.process_time() + sum(times.user + times.system for times in (each.cpu_times() for each in processes))


async def measure(calls: list[Call], processes: list[psutil.Process]) -> Figures:
    """Every caller calls again as soon as it has its answer."""
    count, until = 0, time.perf_counter() + WARM_UP

    async def caller(call: Call) -> None:
        nonlocal count
        while time.perf_counter() < until:
            await call()
            count += 1

    await asyncio.gather(*map(caller, calls))
    count, began, before = 0, time.perf_counter(), used(processes)
    until = began + SECONDS
    await asyncio.gather(*map(caller, calls))
    return Figures(count / (time.perf_counter() - began), 1e6 * (used(processes) - before) / count)


async def once(way: Way, callers: int, processes: list[psutil.Process]) -> Figures:
    async with way[1](callers) as calls:
        return await measure(calls, processes)


async def compare(what: str, ways: list[Way], callers: list[int], processes: list[psutil.Process]) -> None:
    """The ways in turns, the median of some rounds of each; the last one is ours."""
    for number in callers:
        rounds = [[await once(way, number, processes) for way in ways] for _ in range(ROUNDS)]
        medians = [Figures(*map(statistics.median, zip(*each, strict=True))) for each in zip(*rounds, strict=True)]
        for (name, _), figures in zip(ways, medians, strict=True):
            share = "" if figures is medians[-1] else f"  ours costs {medians[-1].cpu / figures.cpu:.0%}"
            speed = f"{figures.rate:>8,.0f}/s {figures.cpu:>7.1f} µs"
            print(f"  {what:<18} {number:>4}  {name:<33} {speed}{share}", flush=True)
