"""What the image brings along, and that it is no more than needed."""

import json
import os
import subprocess
import tomllib
from typing import Any

import pytest

from deploy.supervisor import ROOT

pytestmark = pytest.mark.docker
MOST = 250_000_000  # bytes beyond the base


def inspect(docker: str, image: str) -> Any:
    told = subprocess.run([docker, "image", "inspect", image], check=True, capture_output=True, text=True).stdout
    return json.loads(told)[0]


def test_the_image_is_small_and_says_what_it_is(docker: str, image: str) -> None:
    ours, base = inspect(docker, image), inspect(docker, os.environ.get("TEAHOUSE_PYTHON_IMAGE", "python:3.13-slim"))
    assert ours["Size"] - base["Size"] < MOST
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert ours["Config"]["Labels"]["org.opencontainers.image.version"] == version
    assert {"org.opencontainers.image.title", "org.opencontainers.image.description"} < set(ours["Config"]["Labels"])
    assert ours["Config"]["User"] == "10001"
    assert ours["Config"]["Healthcheck"]["Test"] == ["CMD", "python", "-m", "deploy.probe"]


def test_nothing_that_installs_or_compiles_is_added(docker: str, image: str) -> None:
    look = "ls /opt/venv/bin; ls /opt/venv/lib/python3*/site-packages"
    found = subprocess.run([docker, "run", "--rm", image, "sh", "-c", look], check=True, capture_output=True, text=True)
    assert "celery" in found.stdout.split()
    assert not {"pip", "pip3", "grpc_tools", "python-grpc-tools-protoc"} & set(found.stdout.split())
