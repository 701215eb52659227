"""Teahouse from its images, as docker-compose.yml describes it, for the tests of this folder."""

import os
import subprocess
import time
from collections.abc import Iterator
from functools import cached_property
from uuid import uuid4

import pytest
from testcontainers.compose import DockerCompose

from deploy import probe
from deploy.stack import free_port
from deploy.supervisor import ROOT

IMAGE = "teahouse:test"
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

    def scale(self, service: str, count: int) -> list[str]:
        """The ids of that service's containers, as many as wanted."""
        command = [*self.compose.docker_compose_command(), "up", "--detach", "--no-recreate"]
        subprocess.run([*command, "--scale", f"{service}={count}"], cwd=ROOT, check=True, capture_output=True)
        ids = self.containers(service)
        assert len(ids) == count
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


@pytest.fixture(scope="session")
def image(docker: str) -> str:
    """Built from the checkout; layers that did not change are taken from the engine's cache."""
    base = os.environ.get("TEAHOUSE_PYTHON_IMAGE", "python:3.11-slim")
    command = [docker, "build", "--network", "host", "--build-arg", f"PYTHON_IMAGE={base}"]
    built = subprocess.run(
        [*command, "--file", "deploy/Dockerfile", "--tag", IMAGE, "."], cwd=ROOT, capture_output=True, text=True
    )
    assert built.returncode == 0, f"the image cannot be built:\n{built.stdout[-3000:]}\n{built.stderr[-3000:]}"
    return IMAGE


@pytest.fixture(scope="session")
def deployment(docker: str, image: str) -> Iterator[Deployment]:
    project, port = f"teahouse-test-{uuid4().hex[:8]}", free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPOSE_PROJECT_NAME", project)
        patch.setenv("TEAHOUSE_IMAGE", image)
        patch.setenv("TEAHOUSE_PORT", str(port))
        with Compose(ROOT, wait=False) as compose:
            running = Deployment(docker, compose, project, port)
            running.wait()
            yield running
    assert not running.containers(), "containers were left behind"
