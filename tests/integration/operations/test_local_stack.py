"""What `make run` promises: quick, small, one at a time, keeps its data, leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import redis

from deploy.stack import Stack, free_port
from deploy.supervisor import ROOT, StackError
from services.engine import registry
from tests.support.processes import family
from tests.support.waiting import until

MEGABYTE = 2**20


class Run:
    """`python -m deploy.local` as a user runs it."""

    def __init__(self, data: Path) -> None:
        self.data, self.port, self.lines = data, free_port(), list[str]()
        self.process = self.launch(self.port)

    def launch(self, port: int) -> subprocess.Popen[str]:
        env = os.environ | {"TEAHOUSE_DATA": str(self.data), "TEAHOUSE_PORT": str(port)}
        command = [sys.executable, "-m", "deploy.local"]
        return subprocess.Popen(command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def until_ready(self) -> float:
        began = time.monotonic()
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            if line.startswith("Teahouse is ready: "):
                return time.monotonic() - began
        raise AssertionError("it never got ready:\n" + "".join(self.lines))

    def refusal(self, port: int) -> str:
        """What a second start says while this one runs."""
        output, _ = self.launch(port).communicate(timeout=30)
        return output


@contextmanager
def run(data: Path) -> Iterator[Run]:
    running = Run(data)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.communicate(timeout=60)


def test_everything_is_healthy_soon_in_little_memory(tmp_path: Path) -> None:
    with run(tmp_path) as running:
        seconds = running.until_ready()
        processes = family(running.process.pid)
        size = sum(process.memory_info().rss for process in processes) / MEGABYTE
        print(f"healthy after {seconds:.1f} s, {size:.0f} MB in {len(processes)} processes")
        assert f"http://127.0.0.1:{running.port} " in running.lines[-1]
    assert size < 700
    assert running.process.returncode == 0
    assert not [process for process in processes if process.is_running()]


def test_a_second_start_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    with run(tmp_path) as running:
        running.until_ready()
        assert "Choose another port: TEAHOUSE_PORT=" in running.refusal(running.port)
        assert "Another Teahouse runs on the data in" in running.refusal(free_port())


def test_nothing_is_left_behind_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    with run(tmp_path) as running:
        running.until_ready()
        processes = family(running.process.pid)
        running.process.send_signal(signal.SIGKILL)
        _, alive = psutil.wait_procs(processes, timeout=20)
        assert not alive


def test_data_is_found_again_by_the_next_start(tmp_path: Path) -> None:
    with Stack(tmp_path) as stack, redis.Redis.from_url(stack.redis_url) as client:
        client.set("kept", "yes")
        stack.kill("redis")
        stack.restart("redis")
        assert client.get("kept") == b"yes"
    with Stack(tmp_path) as stack, redis.Redis.from_url(stack.redis_url) as client:
        assert client.get("kept") == b"yes"


@pytest.mark.parametrize("name", [*registry.names(), "sessions", "bots-1", "search-1", "hooks", "gateway"])
def test_what_dies_is_started_again(stack: Stack, name: str) -> None:
    before = stack.pid(name)
    os.kill(before, signal.SIGKILL)
    until(lambda: (process := stack.processes[name].running) and process.pid != before, f"another {name}", 20)
    stack.wait()
    assert stack.pid(name) != before


def test_a_killed_process_stays_away_until_it_is_wanted(stack: Stack) -> None:
    stack.kill("sessions")
    with pytest.raises(StackError, match="sessions does not run"):
        stack.pid("sessions")
    stack.restart("sessions")
    stack.wait()
