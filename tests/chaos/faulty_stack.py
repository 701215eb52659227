"""A stack where everything can break: its network, its disk, its clocks; and the faults."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from deploy.probe import Unhealthy
from deploy.stack import BOTS, GATEWAY, LOCAL, SESSIONS, Stack, free_port
from deploy.supervisor import StackError
from services.engine import registry
from tests.chaos import clock_shift
from tests.chaos.disk import make_disk
from tests.chaos.network import Wires

GAME = "geishas_road"
HOUR = 3600.0
PATIENCE, SOON = 60.0, 5.0
# These have clocks that can be set wrong.
WRONG_CLOCKS = ("sessions-2", "bots-2")


class FaultyStack(Stack):
    """Two gateways, two copies of sessions, two bot workers, one game."""

    def __init__(self, folder: Path, output: IO[Any]) -> None:
        super().__init__(folder / "data", sessions=2, bots=2, search=0, gateways=2, output=output)
        self.disk = make_disk(self.data / "redis")
        self.clock = folder / "clock"
        clock_shift.prepare(self.clock)
        self.ends: dict[str, tuple[int, int]] = {}
        self.wires: Wires | None = None

    def __enter__(self) -> "FaultyStack":
        self.start()
        return self

    def stop(self) -> None:
        super().stop()
        if self.wires:
            self.wires.close()
        self.disk.remove()

    def _plan(self) -> None:
        super()._plan()
        for name in registry.names():
            if name != GAME:
                del self.processes[name]
        copies = [name for name, process in self.processes.items() if process.layer == SESSIONS]
        for name, process in self.processes.items():
            if process.layer == SESSIONS:
                process.env |= {
                    "TEAHOUSE_REDIS_URL": self.redis_through(f"{name}>redis"),
                    "TEAHOUSE_BROKER_URL": self.redis_through(f"{name}>broker"),
                    "TEAHOUSE_RULES": f"{GAME}={self.through(f'{name}>rules', GAME)}",
                }
            elif process.layer in (BOTS, GATEWAY):
                who = "gateway" if process.layer == GATEWAY else "worker"
                process.env |= {
                    "TEAHOUSE_SESSIONS": ",".join(self.through(f"{who}>{copy}", copy) for copy in copies),
                    "TEAHOUSE_REDIS_URL": self.redis_through(f"{who}>redis"),
                    "TEAHOUSE_BROKER_URL": self.redis_through(f"{who}>redis"),
                }
        for name in WRONG_CLOCKS:
            python, _, *module = self.processes[name].command
            self.processes[name].command = [python, "-m", "tests.chaos.clock_shift", str(self.clock), *module]
        server = self.processes["redis"]
        server.command = self.disk.command(server.command)
        self.wires = Wires(self.ends)

    def through(self, wire: str, name: str) -> str:
        """The address at which a service is reached through that wire."""
        if wire not in self.ends:
            self.ends[wire] = (free_port(), self.processes[name].port)
        return f"{LOCAL}:{self.ends[wire][0]}"

    def redis_through(self, wire: str) -> str:
        return f"redis://{self.through(wire, 'redis')}/0"

    def terminate(self, name: str) -> None:
        """SIGTERM; returns when it has gone."""
        process = self.processes[name]
        process.wanted = False
        if process.running:
            process.running.terminate()
            process.running.wait(PATIENCE)

    def revive(self, names: Iterable[str]) -> None:
        """Starts processes that have gone. Waits for them a little: on a slow machine the next fault comes earlier."""
        for name in names:
            self.processes[name].due, self.processes[name].wanted = 0.0, True
        with contextlib.suppress(StackError):
            self.wait(*names, patience=SOON)

    def until_healthy(self) -> None:
        """Everything comes back by itself, or else this is a fault of ours."""
        limit = time.monotonic() + PATIENCE
        for name, process in self.processes.items():
            while True:
                try:
                    if process.gone():
                        raise Unhealthy("it does not run")
                    process.probe()
                    break
                except Unhealthy as problem:
                    if time.monotonic() > limit:
                        raise RuntimeError(f"{name} did not come back: {problem}") from None
                    time.sleep(0.1)


@dataclass(frozen=True)
class Fault:
    name: str
    happen: Callable[[FaultyStack], None]


def killed(*names: str, away: float = 1.0) -> Fault:
    def happen(stack: FaultyStack) -> None:
        for name in names:
            stack.kill(name)
        time.sleep(away)
        stack.revive(names)

    return Fault(f"kill -9 of {' and '.join(names)}", happen)


def restarted(name: str) -> Fault:
    def happen(stack: FaultyStack) -> None:
        stack.terminate(name)
        stack.revive([name])

    return Fault(f"SIGTERM to {name}, then started again", happen)


def stopped(name: str, seconds: float) -> Fault:
    """Its connections stand, and it says nothing."""

    def happen(stack: FaultyStack) -> None:
        stack.processes[name].signal(signal.SIGSTOP)
        time.sleep(seconds)
        stack.processes[name].signal(signal.SIGCONT)

    return Fault(f"{name} frozen for {seconds:g} s", happen)


def broken(how: str, seconds: float, *wires: str) -> Fault:
    def happen(stack: FaultyStack) -> None:
        assert stack.wires
        getattr(stack.wires, how)(*wires)
        time.sleep(seconds)
        stack.wires.mend(*wires)

    said = {"cut": "cut", "hang": "silent", "lose": "connections lost"}[how]
    return Fault(f"network {', '.join(wires)} {said}, {seconds:g} s", happen)


def full(seconds: float) -> Fault:
    def happen(stack: FaultyStack) -> None:
        stack.disk.fill(stack.pid("redis"))
        time.sleep(seconds)
        stack.disk.mend()
        stack.until_healthy()

    return Fault(f"the disk of Redis full for {seconds:g} s", happen)


def wrong_clock(hours: float, seconds: float) -> Fault:
    """A copy of sessions and a worker have the wrong time, and are killed and started again with it."""

    def happen(stack: FaultyStack) -> None:
        clock_shift.set_wrong(stack.clock, hours * HOUR)
        time.sleep(seconds)
        for name in WRONG_CLOCKS:
            stack.kill(name)
        stack.revive(WRONG_CLOCKS)
        time.sleep(seconds)
        clock_shift.set_wrong(stack.clock, 0)

    return Fault(f"clocks of {' and '.join(WRONG_CLOCKS)} jump by {hours:+g} h and back", happen)


# One of each kind, for `make test`.
SAMPLE = (
    broken("hang", 2, "gateway>sessions-2", "sessions>rules"),
    restarted("sessions-2"),
    full(1),
    wrong_clock(+1, 0.5),
    broken("cut", 1, "sessions>redis", "sessions-2>redis"),
)
FAULTS = (
    *(killed(name) for name in ("gateway", "gateway-2", "sessions", "sessions-2", GAME, "bots-1", "hooks", "redis")),
    killed("sessions", "sessions-2"),
    killed("bots-1", "bots-2", "redis", GAME, away=2),
    *(restarted(name) for name in ("redis", "sessions", GAME, "gateway")),
    stopped("sessions", 7),
    *(broken("cut", 3, *wires) for wires in (
        ("sessions>redis",),
        ("sessions>redis", "sessions-2>redis"),
        ("gateway>sessions", "gateway>sessions-2"),
        ("sessions>rules", "sessions-2>rules"),
        ("worker>sessions", "worker>sessions-2", "worker>redis", "sessions>broker"),
    )),
    *(broken("hang", 7, *wires) for wires in (
        ("sessions>redis",),
        ("gateway>sessions-2",),
        ("gateway>redis", "sessions>rules", "worker>sessions"),
        ("sessions-2>redis", "worker>redis", "sessions-2>broker"),
    )),
    broken("lose", 5, "gateway>sessions", "sessions-2>rules", "worker>sessions-2"),
    broken("lose", 5, "sessions>redis", "sessions-2>redis", "sessions>broker", "worker>redis"),
    full(4),
    wrong_clock(+1, 3),
    wrong_clock(-1, 3),
)  # fmt: skip
