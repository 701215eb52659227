"""More gateways for a running stack, with settings of their own; and the operator's commands."""

import contextlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from deploy import probe
from deploy.admin.__main__ import main
from deploy.stack import Stack, free_port

PATIENCE = 60.0


@contextlib.contextmanager
def gateway(stack: Stack, **settings: str) -> Iterator[str]:
    """The address of one more gateway; `limit_player="5/60"` is TEAHOUSE_LIMIT_PLAYER."""
    port = free_port()
    env = stack.processes["gateway"].env | {f"TEAHOUSE_{name.upper()}": value for name, value in settings.items()}
    env["TEAHOUSE_PORT"] = str(port)
    command = [sys.executable, "-m", "gateway"]
    process = subprocess.Popen(command, env=env, stdout=stack.supervisor.output, stderr=stack.supervisor.output)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: healthy(f"{url}/readyz"))
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE)


def healthy(url: str) -> bool:
    try:
        probe.http(url)
    except probe.Unhealthy:
        return False
    return True


def until(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
    limit = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.05)


def admin(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of the operator's commands, as an operator gives it."""
    env = {**os.environ, "TEAHOUSE_DATA": str(stack.data)}
    command = [sys.executable, "-m", "deploy.admin", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE)


def operate(stack: Stack, *arguments: str) -> tuple[str, str]:
    """The same within this process, for tests that give many; what it prints, and the error that it ends with."""
    printed, error = io.StringIO(), ""
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("TEAHOUSE_DATA", str(stack.data))
        try:
            main(list(arguments))
        except SystemExit as end:
            error = str(end.code)
    return printed.getvalue(), error


class Application(httpx.Client):
    """A client application with a key."""

    def __init__(self, stack: Stack, *arguments: str) -> None:
        super().__init__(base_url=stack.url, timeout=20)
        made = admin(stack, "keys", "create", "A chess site", *arguments)
        assert made.returncode == 0, made.stderr
        self.key = made.stdout.strip()
        self.key_id, self.id, *_ = made.stderr.split()
        self.headers["X-API-Key"] = self.key

    def player(self, name: str = "Ada") -> str:
        made = self.post("/v1/players", json={"name": name})
        assert made.status_code == 201, made.text
        player: str = made.json()["id"]
        return player
