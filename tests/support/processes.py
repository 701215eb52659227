"""Processes beside the stack that all tests share, for what they must not share: settings, or their absence."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from deploy import probe
from deploy.stack import LOCAL, Stack, free_port
from deploy.supervisor import PATIENCE, ROOT


@contextmanager
def process(stack: Stack, module: str, port: int, *arguments: str, **env: str) -> Iterator[None]:
    """`python -m module …`, healthy; it ends with the block."""
    settings = stack.env | {"TEAHOUSE_PORT": str(port), "TEAHOUSE_METRICS_PORT": "0", **env}
    command = [sys.executable, "-m", module, *arguments]
    output = stack.supervisor.output
    running = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=output, stderr=output)
    healthy = partial(probe.http, f"http://{LOCAL}:{port}/healthz")
    if module != "gateway":
        healthy = partial(probe.grpc_health, f"{LOCAL}:{port}")
    limit = time.monotonic() + PATIENCE
    try:
        while True:
            try:
                healthy()
                break
            except probe.Unhealthy:
                assert running.poll() is None, f"{module} has ended"
                assert time.monotonic() < limit, f"{module} is not healthy"
                time.sleep(0.05)
        yield
    finally:
        running.terminate()
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextmanager
def gateway(stack: Stack, **env: str) -> Iterator[str]:
    """One more gateway, with settings of its own; gives its address."""
    port = free_port()
    with process(stack, "gateway", port, **env):
        yield f"http://{LOCAL}:{port}"
