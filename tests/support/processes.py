"""Processes that are not like those of the stack that all tests share: a stack of a program's own, more processes with
settings of their own, or services that are not as usual for a while."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from deploy import probe
from deploy.stack import LOCAL, Stack, free_port
from deploy.supervisor import PATIENCE, ROOT
from tests.support.waiting import until


@contextmanager
def own_stack(quiet: bool = False, **more: Any) -> Iterator[Stack]:
    """In a temporary folder. What its services say goes to stderr, or into a file there."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "output.log").open("w") as log,
        Stack(Path(folder, "data"), output=log if quiet else sys.stderr, **more) as stack,
    ):
        yield stack


def family(pid: int) -> list[psutil.Process]:
    """A process and those that it has started."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def environment(settings: dict[str, str]) -> dict[str, str]:
    """`limit_player="5/60"` is TEAHOUSE_LIMIT_PLAYER."""
    return {f"TEAHOUSE_{name.upper()}": value for name, value in settings.items()}


@contextmanager
def process(stack: Stack, module: str, listens: int, *arguments: str, **settings: str) -> Iterator[None]:
    """`python -m module …`, healthy; it ends with the block."""
    env = stack.env | environment({"port": str(listens), "metrics_port": "0", **settings})
    command = [sys.executable, "-m", module, *arguments]
    output = stack.supervisor.output
    running = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output)

    def healthy() -> bool:
        assert running.poll() is None, f"{module} has ended"
        try:
            if module == "gateway":
                probe.http(f"http://{LOCAL}:{listens}/readyz")
            else:
                probe.grpc_health(f"{LOCAL}:{listens}")
        except probe.Unhealthy:
            return False
        return True

    try:
        until(healthy, f"{module} healthy", PATIENCE)
        yield
    finally:
        running.terminate()
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextmanager
def gateway(stack: Stack, **settings: str) -> Iterator[str]:
    """One more gateway; gives its address."""
    port = free_port()
    with process(stack, "gateway", port, **settings):
        yield f"http://{LOCAL}:{port}"


@contextmanager
def restarted(stack: Stack, *names: str, **settings: str) -> Iterator[None]:
    """`with restarted(stack, "sessions-2", absence="0")`: that service has TEAHOUSE_ABSENCE=0 inside."""
    before = {name: stack.processes[name].env for name in names}
    try:
        begin_again(stack, {name: env | environment(settings) for name, env in before.items()})
        yield
    finally:
        begin_again(stack, before)


def begin_again(stack: Stack, envs: dict[str, dict[str, str]]) -> None:
    for name, env in envs.items():
        stack.kill(name)
        stack.processes[name].env = env
    stack.supervisor.start(envs)


@contextmanager
def frozen(pids: list[int]) -> Iterator[None]:
    """Nothing that these processes and theirs do goes on inside."""
    for pid in pids:
        os.killpg(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.killpg(pid, signal.SIGCONT)


@contextmanager
def idle_workers(stack: Stack) -> Iterator[None]:
    """Bots do not move inside."""
    with frozen([stack.pid(name) for name in stack.processes if name.startswith("bots")]):
        yield
