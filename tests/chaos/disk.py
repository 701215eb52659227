"""The disk of Redis, which can be full: a small file system of its own where that is allowed, else a limit of size.

A file system needs a mount of its own: `python -m tests.chaos` runs itself in a private mount namespace where it may.
Without one, files of Redis may not grow beyond what they are: writes fail just the same, with another error number.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Protocol

INSIDE = "CHAOS_MOUNTS"
ROOM = "2g"  # only what is used takes memory
TRIES, A_LITTLE = 50, 1 << 15


class Disk(Protocol):
    kind: str

    def command(self, server: list[str]) -> list[str]:
        """How to start Redis on it."""

    def fill(self, pid: int) -> None: ...

    def mend(self) -> None: ...

    def remove(self) -> None: ...


def enter_namespace() -> None:
    """Starts this program again where it may mount, if that can be; else returns."""
    if INSIDE in os.environ:
        return
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        try:
            allowed = subprocess.run([*unshare, "true"], capture_output=True).returncode == 0
        except OSError:
            return
        if allowed:
            os.environ[INSIDE] = "1"
            os.execvp(unshare[0], [*unshare, sys.executable, "-m", "tests.chaos", *sys.argv[1:]])


def make_disk(folder: Path) -> Disk:
    folder.mkdir(parents=True, exist_ok=True)
    if INSIDE in os.environ and mount("size=" + ROOM, folder):
        return OwnDisk(folder)
    return LimitedFiles(folder)


def mount(options: str, folder: Path) -> bool:
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True).returncode == 0


class OwnDisk:
    kind = "a file system that is full"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, server: list[str]) -> list[str]:
        return server

    def fill(self, pid: int) -> None:
        for _ in range(TRIES):
            found = os.statvfs(self.folder)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            # Refused if Redis has written more than this meanwhile.
            if mount(f"remount,size={used + A_LITTLE}", self.folder):
                return
        raise RuntimeError("the disk cannot be made smaller")

    def mend(self) -> None:
        assert mount(f"remount,size={ROOM}", self.folder)

    def remove(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)


class LimitedFiles:
    kind = "files that may not grow"

    def __init__(self, folder: Path) -> None:
        self.folder, self.limit = folder, folder.parent / "limit"

    def command(self, server: list[str]) -> list[str]:
        return [sys.executable, "-m", "tests.chaos.disk", str(self.limit), *server]

    def fill(self, pid: int) -> None:
        size = max(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        self.limit.write_text(str(size))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def mend(self) -> None:
        """For the next Redis: the one that could not write has ended."""
        self.limit.unlink()

    def remove(self) -> None:
        """There is nothing beside the files."""


def run_limited(limit: Path, server: list[str]) -> None:
    if limit.exists():
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit.read_text()), resource.RLIM_INFINITY))
    # Python ignores SIGXFSZ, and what it becomes does too: writes fail, nobody is killed.
    os.execvp(server[0], server)


if __name__ == "__main__":
    run_limited(Path(sys.argv[1]), sys.argv[2:])
