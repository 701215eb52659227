"""The operator's commands, as tests give them."""

import contextlib
import io
import os
import subprocess
import sys

import httpx
import pytest

from deploy.admin.__main__ import main
from deploy.stack import Stack

PATIENCE = 60.0


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
