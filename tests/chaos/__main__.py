"""A hundred tables in play while everything breaks: nothing acknowledged is lost, nothing done twice, nobody stuck.

`make chaos` runs all of it in less than five minutes; `make test` a sample (`--sample --tables 20`). Processes are
killed and frozen, Redis is restarted and its disk is full, the network between services is cut, silent and mended,
clocks jump. Exit code 1 if a move was lost or duplicated, a table is stuck, a clock ran out early or never, or a client
saw an error that a retry does not cure.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

import uvloop

from tests.chaos.disk import enter_namespace
from tests.chaos.faulty_stack import FAULTS, SAMPLE, Fault, FaultyStack
from tests.chaos.players import Clocked, Crowd
from tests.support.judge import Verdict, judge

# Seconds: in which every table must go on when all is mended; between two faults; between two tables with clocks.
RESUME, REST, CLOCKED_EVERY = 60.0, 1.5, 3.0
# Everything counts for the five minutes, the start of the services too.
STARTED = time.monotonic()
# Seconds between two lines that tell how it goes, and after which a table is said to wait.
EVERY, QUIET = 5.0, 5.0
# Seconds on the clocks of tables, of which nobody makes use.
CLOCKS, QUICK = (3, 5, 9, 14), (2, 4)


class Campaign:
    def __init__(
        self, stack: FaultyStack, tables: int, seconds: float, faults: list[Fault], clocks: tuple[int, ...]
    ) -> None:
        self.stack, self.tables, self.seconds, self.faults, self.clocks = stack, tables, seconds, faults, clocks
        self.crowd = Crowd(stack.urls, pause=0.4)
        self.began = time.monotonic()
        self.happened = 0
        self.stuck: list[str] = []
        self.resumed = 0.0
        self.waiting: list[asyncio.Task[None]] = []

    def say(self, what: str = "") -> None:
        crowd, now = self.crowd, time.monotonic()
        moves, errors = crowd.moves, sum(crowd.cured.values())
        quiet = sum(now - match.changed > QUIET for match in crowd.matches)
        line = f"{now - self.began:5.0f} s {moves:7,} moves acknowledged, {errors:5,} errors, {quiet:3} tables wait"
        print(line + (f"; {what}" if what else ""), flush=True)

    async def tell(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self.say()

    async def run(self) -> Verdict:
        playing = self.crowd.begin(self.tables)
        await self.until_all_go_on()
        self.began = time.monotonic()
        clocked, telling = (asyncio.create_task(each) for each in (self.sit_at_clocks(), self.tell()))
        for fault in self.faults:
            if time.monotonic() - STARTED > self.seconds:
                self.say(f"no time for {len(self.faults) - self.happened} faults more")
                break
            self.say(fault.name)
            await asyncio.to_thread(fault.happen, self.stack)
            self.happened += 1
            await asyncio.sleep(REST)
        self.say("everything is mended")
        clocked.cancel()
        await self.recover()
        telling.cancel()
        self.crowd.over.set()
        _, hanging = await asyncio.wait(playing, timeout=30)
        self.stuck += [f"{len(hanging)} players do not end"] if hanging else []
        return await asyncio.to_thread(judge, self.stack.redis_url, list(self.crowd.tables.values()))

    async def sit_at_clocks(self) -> None:
        while True:
            clocked = Clocked(self.crowd, len(self.crowd.clocked), random.choice(self.clocks))
            self.crowd.clocked.append(clocked)
            self.waiting.append(asyncio.create_task(clocked.run()))
            await asyncio.sleep(CLOCKED_EVERY)

    async def until_all_go_on(self) -> list[str]:
        """Every table gets further than it is now; those that do not."""
        before = [match.steps for match in self.crowd.matches]
        limit = time.monotonic() + RESUME
        waiting = list(zip(self.crowd.matches, before, strict=True))
        while waiting and time.monotonic() < limit:
            await asyncio.sleep(0.1)
            waiting = [(match, steps) for match, steps in waiting if match.steps <= steps]
        return [f"{match.table and match.table.id} of match {match.number}" for match, _ in waiting]

    async def recover(self) -> None:
        mended = time.monotonic()
        await asyncio.to_thread(self.stack.until_healthy)
        self.stuck += await self.until_all_go_on()
        self.resumed = time.monotonic() - mended
        await asyncio.wait(self.waiting, timeout=max(0.0, mended + RESUME - time.monotonic()))

    def report(self, verdict: Verdict) -> bool:
        crowd = self.crowd
        early = [each.table for each in crowd.clocked if each.early]
        never = [each.table or "not opened" for each in crowd.clocked if not each.over]
        print("errors that a retry cured: " + (", ".join(f"{n} × {e}" for e, n in crowd.cured.most_common()) or "none"))
        for problem in verdict.problems[:60]:
            print(f"  {problem}")
        for what, some in (
            ("stuck", self.stuck),
            ("ran out early", early),
            ("never ran out", never),
            ("unexpected", crowd.unexpected),
        ):
            for one in some[:20]:
                print(f"  {what}: {one}")
        latest = max((each.late for each in crowd.clocked if each.over), default=0.0)
        print(
            f"chaos: {self.happened} of {len(self.faults)} faults in {time.monotonic() - self.began:.0f} s "
            f"on {self.tables} tables ({len(crowd.tables)} games); "
            f"{verdict}, stuck tables {len(self.stuck)} "
            f"(all went on {self.resumed:.1f} s after the last repair); clocks {len(crowd.clocked)}, "
            f"early {len(early)}, lost {len(never)}, at most {latest:.1f} s late; "
            f"errors that a retry does not cure {len(crowd.unexpected)}"
        )
        if not self.happened or not crowd.cured or not crowd.clocked:
            print("  nothing has broken: no fault happened, no client felt one, or nobody sat at a clock")
            return False
        return not any((verdict.problems, self.stuck, early, never, crowd.unexpected))


def chosen_faults(names: list[str], sample: bool, seed: int) -> list[Fault]:
    if names:
        chosen = [fault for fault in FAULTS if any(name in fault.name for name in names)]
        return chosen or sys.exit(f"no fault is named so; there are: {', '.join(fault.name for fault in FAULTS)}")
    if sample:
        return list(SAMPLE)
    return random.Random(seed).sample(FAULTS, len(FAULTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only faults with one of these in their names")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=200, help="no fault begins later than that after the start")
    parser.add_argument("--sample", action="store_true", help="one fault of each kind, quickly")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the order of the faults")
    parser.add_argument("--log", type=Path, default=Path(tempfile.gettempdir(), "chaos.log"), help="of the services")
    asked = parser.parse_args()
    enter_namespace()
    with (
        tempfile.TemporaryDirectory() as folder,
        asked.log.open("w") as output,
        FaultyStack(Path(folder), output) as stack,
    ):
        faults = chosen_faults(asked.names, asked.sample, asked.seed)
        campaign = Campaign(stack, asked.tables, asked.seconds, faults, QUICK if asked.sample else CLOCKS)
        print(f"chaos: {len(faults)} faults, order {asked.seed}; the disk: {stack.disk.kind}", flush=True)
        well = campaign.report(uvloop.run(campaign.run()))
    sys.exit(0 if well else f"what the services said is in {asked.log}")


if __name__ == "__main__":
    main()
