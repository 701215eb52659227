"""Keeps a set of processes running: starts, asks for health, starts again what died, stops in layers."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from deploy.probe import Unhealthy

ROOT = Path(__file__).resolve().parent.parent
PARENT_WATCHDOG = [sys.executable, "-I", "-S", str(ROOT / "deploy" / "parent_watchdog.py")]
SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
CALM = 30.0  # seconds of life after which a death counts as the first one again
GIVE_UP = 4  # deaths without ever being healthy
GRACE = 10.0  # seconds from SIGTERM to SIGKILL
PATIENCE = 90.0  # seconds until a start must have succeeded
TICK = 0.05


class StackError(Exception):
    """The stack cannot run; the text says why and what to do."""


@dataclass
class Process:
    name: str
    layer: int  # lower layers stop first
    command: list[str]
    env: dict[str, str]
    probe: Callable[[], None]  # raises Unhealthy
    port: int = 0
    metrics_port: int = 0
    keep: tuple[int, ...] = ()  # file descriptors that it inherits
    wanted: bool = False
    due: float = 0.0
    pause: float = SHORTEST_PAUSE
    began: float = 0.0
    deaths: int = 0
    running: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def signal(self, number: signal.Signals) -> None:
        """To the process and whatever it started: each process is a session of its own."""
        if self.running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.running.pid, number)

    def gone(self) -> bool:
        return self.running is None or self.running.poll() is not None

    def died(self, now: float) -> str:
        """Notes a death and says how it was."""
        assert self.running
        if now - self.began > CALM:
            self.deaths, self.pause = 0, SHORTEST_PAUSE
        self.deaths += 1
        code = self.running.returncode
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        self.signal(signal.SIGKILL)  # what it may have left behind
        self.running, self.due = None, now + self.pause
        said = f"{self.name} {how}; starting it again in {self.pause:g} s"
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return said


class Supervisor:
    def __init__(self, output: IO[Any] | None, say: Callable[[str], None]) -> None:
        self.output, self.say = output, say
        self.processes: dict[str, Process] = {}
        self.change = threading.RLock()
        self.over = threading.Event()
        self.keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)

    def start(self, names: Iterable[str]) -> None:
        """Returns when all of them are healthy."""
        names = list(names)
        with self.change:
            for process in map(self.processes.__getitem__, names):
                process.wanted, process.due, process.deaths, process.pause = True, 0.0, 0, SHORTEST_PAUSE
        if not self.keeper.is_alive():
            self.keeper.start()
        self.wait(names)

    def wait(self, names: Iterable[str], patience: float = PATIENCE) -> None:
        """Until all of them are healthy."""
        began = time.monotonic()
        problems = dict.fromkeys(names, "it has not started")
        while problems:
            for name in list(problems):
                try:
                    self._check(self.processes[name])
                except Unhealthy as problem:
                    problems[name] = str(problem)
                else:
                    del problems[name]
                    self.say(f"{name} is healthy ({time.monotonic() - began:.1f} s)")
            if problems and time.monotonic() - began > patience:
                late = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
                raise StackError(f"Not healthy after {patience:.0f} s: {late}")
            time.sleep(TICK if problems else 0)

    def _check(self, process: Process) -> None:
        if process.deaths >= GIVE_UP:
            raise StackError(f"{process.name} cannot start: it ended {GIVE_UP} times. Its own messages say why.")
        if process.gone():
            raise Unhealthy("it does not run")
        process.probe()
        process.deaths = 0

    def kill(self, name: str) -> None:
        """kill -9. It stays away until `restart`."""
        process = self.processes[name]
        with self.change:
            process.wanted = False
            process.signal(signal.SIGKILL)
        if process.running:
            process.running.wait()

    def restart(self, name: str) -> None:
        """Starts a process that was killed, or stops and starts a living one; returns when it is healthy."""
        self._end([self.processes[name]])
        self.start([name])

    def stop(self) -> None:
        with self.change:
            for process in self.processes.values():
                process.wanted = False
        layers = sorted(self.processes.values(), key=lambda process: process.layer)
        for _, layer in groupby(layers, key=lambda process: process.layer):
            self._end(list(layer))
        self.over.set()
        if self.keeper.is_alive():
            self.keeper.join()

    def _end(self, processes: list[Process]) -> None:
        with self.change:
            for process in processes:
                process.wanted = False
                if process.running and not process.gone():
                    process.running.terminate()
        limit = time.monotonic() + GRACE
        for process in processes:
            if process.running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.running.wait(max(0.0, limit - time.monotonic()))
                process.signal(signal.SIGKILL)
                process.running.wait()
                process.running = None

    def _keep(self) -> None:
        """The one thread that starts processes: Linux ends a watched child with the thread that started it."""
        while not self.over.wait(TICK):
            for process in list(self.processes.values()):
                with self.change:
                    if process.wanted and process.gone():
                        self._revive(process, time.monotonic())

    def _revive(self, process: Process, now: float) -> None:
        if process.running:
            self.say(process.died(now))
        if now >= process.due:
            process.began = now
            process.running = subprocess.Popen(
                [*PARENT_WATCHDOG, str(os.getpid()), *process.command],
                cwd=ROOT,
                env=process.env,
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=self.output,
                start_new_session=True,  # Ctrl-C is for the supervisor, which stops them in order
                pass_fds=process.keep,
            )
