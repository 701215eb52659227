"""Services that are not as usual for a while."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from deploy.stack import Stack


@contextmanager
def restarted(stack: Stack, *names: str, **settings: str) -> Iterator[None]:
    """`with restarted(stack, "sessions-2", ABSENCE="0")`: that service has TEAHOUSE_ABSENCE=0 inside."""
    changed = {f"TEAHOUSE_{name}": value for name, value in settings.items()}
    before = {name: stack.processes[name].env for name in names}
    try:
        begin_again(stack, {name: env | changed for name, env in before.items()})
        yield
    finally:
        begin_again(stack, before)


def begin_again(stack: Stack, envs: dict[str, dict[str, str]]) -> None:
    for name, env in envs.items():
        stack.kill(name)
        stack.processes[name].env = env
    stack.supervisor.start(envs)


@contextmanager
def idle_workers(stack: Stack) -> Iterator[None]:
    """Bots do not move inside."""
    workers = [stack.pid(name) for name in stack.processes if name.startswith("bots")]
    for worker in workers:
        os.killpg(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            os.killpg(worker, signal.SIGCONT)
