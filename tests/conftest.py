"""What tests share: a running Teahouse, and a Docker engine where there is one."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from deploy.stack import Stack
from deploy.supervisor import StackError
from tests.support.required_tools import missing


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Every service as a real process on free ports, with a real Redis and its data in a temporary directory.

    One for all tests of the run, so a test that kills a process starts it again.
    """
    folder = tmp_path_factory.mktemp("stack")
    log = folder / "output.log"
    with log.open("w") as output:
        running = Stack(folder / "data", sessions=2, bots=2, gateways=2, output=output)
        try:
            running.start()
        except StackError as error:
            pytest.fail(f"{error}\n{log.read_text()[-5000:]}")
        yield running
        running.stop()


@pytest.fixture(scope="session")
def docker() -> str:
    """The docker command. Skips where there is no engine, which is a failure if REQUIRE_DOCKER=1."""
    command = shutil.which("docker")
    problem = "the docker command is not installed"
    if command:
        answer = subprocess.run([command, "info"], capture_output=True, text=True)
        if answer.returncode == 0:
            return command
        problem = f"no Docker engine answers: {answer.stderr.strip()}"
    return missing(problem, "REQUIRE_DOCKER")
