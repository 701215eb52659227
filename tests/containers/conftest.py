"""Teahouse from its images, as docker-compose.yml describes it, for the tests of this folder."""

import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import pytest
from testcontainers.compose import DockerCompose

from deploy import probe
from deploy.stack import free_port
from deploy.supervisor import ROOT

IMAGE, BALANCER = "teahouse:test", "teahouse-balancer:test"
PATIENCE = 120.0


class Compose(DockerCompose):
    """Also works with the older command `docker-compose`, where `docker compose` is not installed."""

    @cached_property
    def compose_command_property(self) -> list[str]:
        plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
        return ["docker", "compose"] if plugin else ["docker-compose"]


class Deployment:
    """The running containers of one Compose project."""

    def __init__(self, docker: str, compose: Compose, project: str, port: int) -> None:
        self.docker, self.compose, self.project = docker, compose, project
        self.url = f"http://127.0.0.1:{port}"

    def scale(self, **counts: int) -> list[list[str]]:
        """The ids of those services' containers, as many as wanted; all other services run once."""
        command = [*self.compose.docker_compose_command(), "up", "--detach", "--no-recreate"]
        for service, count in counts.items():
            command += ["--scale", f"{service}={count}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
        ids = [self.containers(service) for service in counts]
        assert [len(each) for each in ids] == list(counts.values())
        return ids

    def containers(self, service: str = "") -> list[str]:
        labels = [f"label=com.docker.compose.project={self.project}"]
        if service:
            labels.append(f"label=com.docker.compose.service={service}")
        return self.ask("ps", "--quiet", *(part for label in labels for part in ("--filter", label))).split()

    def ask(self, *arguments: str) -> str:
        command = [self.docker, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    def health(self, container: str) -> str:
        return self.ask("inspect", "--format", "{{.State.Health.Status}}", container).strip()

    def wait(self) -> None:
        """Until every container calls itself healthy and the gateway can be reached from here."""
        limit = time.monotonic() + PATIENCE
        while sick := [one for one in self.containers() if self.health(one) != "healthy"]:
            assert time.monotonic() < limit, self.ask("logs", "--tail", "30", sick[0])
            time.sleep(0.5)
        probe.http(f"{self.url}/readyz")


def build(docker: str, argument: str, tag: str, *where: str) -> str:
    """An image built from the checkout; layers that did not change are taken from the engine's cache."""
    base = os.environ.get("TEAHOUSE_PYTHON_IMAGE", "python:3.13-slim")
    command = [docker, "build", "--network", "host", "--build-arg", f"{argument}={base}", "--tag", tag, *where]
    # Tests run side by side: who comes second finds all layers in the cache.
    with (Path(tempfile.gettempdir()) / "teahouse-image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, f"the image cannot be built:\n{built.stdout[-3000:]}\n{built.stderr[-3000:]}"
    return tag


@pytest.fixture(scope="session")
def image(docker: str) -> str:
    return build(docker, "PYTHON_IMAGE", IMAGE, "--file", "deploy/Dockerfile", ".")


@pytest.fixture(scope="module")
def deployment(docker: str, image: str) -> Iterator[Deployment]:
    """Stopped before other tests run: its health checks alone keep a machine busy."""
    project, port = f"teahouse-test-{uuid4().hex[:8]}", free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPOSE_PROJECT_NAME", project)
        patch.setenv("TEAHOUSE_IMAGE", image)
        patch.setenv("TEAHOUSE_BALANCER_IMAGE", build(docker, "BASE_IMAGE", BALANCER, "deploy/balancer"))
        patch.setenv("TEAHOUSE_PORT", str(port))
        patch.setenv("COMPOSE_HTTP_TIMEOUT", str(int(PATIENCE)))
        with Compose(ROOT, wait=False) as compose:
            running = Deployment(docker, compose, project, port)
            running.wait()
            yield running
    assert not running.containers(), "containers were left behind"
