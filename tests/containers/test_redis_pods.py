"""The start script of Redis in Kubernetes, in containers that are named as its pods are."""

import os
import subprocess
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from deploy.kubernetes.manifests import FOLDER

pytestmark = pytest.mark.docker
PATIENCE = 60.0
SCRIPT = FOLDER / "base" / "redis.sh"


class Pods:
    """Pods of the StatefulSet; their disks are volumes that outlive them."""

    def __init__(self, docker: str) -> None:
        self.docker, self.project = docker, f"redis-test-{uuid4().hex[:8]}"
        self.image = os.environ.get("TEAHOUSE_REDIS_IMAGE", "valkey/valkey:9")
        self.ask("network", "create", self.project)

    def ask(self, *arguments: str) -> str:
        done = subprocess.run([self.docker, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout.strip()

    def start(self, number: int) -> str:
        name = f"{self.project}-{number}"
        known = ("--network", self.project, "--network-alias", f"redis-{number}.redis-nodes")
        files = ("--volume", f"{SCRIPT}:/etc/teahouse/redis.sh:ro", "--volume", f"{name}:/data", "--read-only")
        more = ("--hostname", f"redis-{number}", "--env", "REDISCLI_AUTH=secret", "--entrypoint", "sh")
        self.ask("run", "--detach", "--name", name, *known, *files, *more, self.image, "/etc/teahouse/redis.sh")
        return name

    def redis(self, name: str, *command: str) -> str:
        return self.ask("exec", name, "redis-cli", *command)

    def until(self, name: str, wanted: str, *command: str) -> None:
        limit = time.monotonic() + PATIENCE
        while wanted not in self.redis(name, *command):
            assert time.monotonic() < limit, f"{name}: {self.redis(name, *command)} {self.ask('logs', name)}"
            time.sleep(0.1)

    def remove(self, name: str, *, disk: bool) -> None:
        self.ask("rm", "--force", name)
        if disk:
            self.ask("volume", "rm", name)

    def end(self) -> None:
        for number in range(2):
            self.remove(f"{self.project}-{number}", disk=True)
        self.ask("network", "rm", self.project)


@pytest.fixture
def pods(docker: str) -> Iterator[Pods]:
    made = Pods(docker)
    yield made
    made.end()


def test_a_lost_disk_does_not_empty_those_that_follow(pods: Pods) -> None:
    first = pods.start(0)
    pods.until(first, "PONG", "ping")
    pods.redis(first, "set", "table", "dealt")
    second = pods.start(1)
    pods.until(second, "dealt", "get", "table")
    assert "READONLY" in pods.redis(second, "set", "table", "other")
    # It comes back with its disk, even after kill -9.
    pods.remove(first, disk=False)
    pods.start(0)
    pods.until(first, "dealt", "get", "table")
    # It comes back without: it refuses, and says why.
    pods.remove(first, disk=True)
    pods.start(0)
    assert pods.ask("wait", first) == "1"
    assert "/data is empty, but redis-1.redis-nodes answers" in pods.ask("logs", first)
    assert pods.redis(second, "get", "table") == "dealt"
