"""Copies the truth out of a running Redis, and back into an empty one.

    .venv/bin/python -m deploy.backup save teahouse.rdb       # a snapshot of one moment; moves go on meanwhile
    .venv/bin/python -m deploy.backup load teahouse.rdb       # into an empty Redis; start the services after it

Both use TEAHOUSE_REDIS_URL, or else the Redis that `make run` has started on the data in TEAHOUSE_DATA. A snapshot is
an ordinary RDB file, taken as a replica takes it, so it needs no access to the server's disk. Loading starts a second
Redis on the file for a moment and copies every key. Of a Redis Cluster every primary node is saved by itself.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import redis

from deploy.redis import NoRedis, executable
from deploy.stack import free_port
from services.platform.settings import Settings, running

CHUNK = 1 << 16
PATIENCE = 60.0
BATCH = 500


def address() -> str:
    """Of the Redis that is meant."""
    url = os.environ.get("TEAHOUSE_REDIS_URL", "") or running("redis-url") or Settings().redis_url
    if "," in url:
        sys.exit("That is a Redis Cluster: name one of its nodes, and then each of the other primary ones")
    return url


def save(url: str, target: Path) -> int:
    """Writes the snapshot; returns its size. A file that is there is replaced only by a whole one."""
    part = target.with_name(target.name + ".part")
    connection: Any = redis.Redis.from_url(url).connection_pool.get_connection()
    try:
        connection.send_command("SYNC")
        with part.open("wb") as file:
            size = copy_snapshot(connection._sock, file)
            file.flush()
            os.fsync(file.fileno())
    finally:
        connection.disconnect()
    part.replace(target)
    return size


def copy_snapshot(source: socket.socket, file: Any) -> int:
    """Reads "$<length>" and the bytes, or "$EOF:<mark>", the bytes and the mark. Blank lines before keep it alive."""
    source.settimeout(PATIENCE)
    head = read_line(source)
    while not head:
        head = read_line(source)
    if not head.startswith(b"$"):
        raise SystemExit(f"Redis does not give a snapshot: {head.decode(errors='replace')}")
    if head.startswith(b"$EOF:"):
        return copy_until(source, file, head[5:])
    size = left = int(head[1:])
    while left:
        data = receive(source, min(left, CHUNK))
        file.write(data)
        left -= len(data)
    return size


def copy_until(source: socket.socket, file: Any, mark: bytes) -> int:
    size, tail = 0, b""
    while tail != mark:
        tail += receive(source, CHUNK)
        ready = max(0, len(tail) - len(mark))
        file.write(tail[:ready])
        size, tail = size + ready, tail[ready:]
    return size


def read_line(source: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        line += receive(source, 1)
    return line.strip()


def receive(source: socket.socket, size: int) -> bytes:
    data = source.recv(size)
    if not data:
        raise SystemExit("Redis ended the connection in the middle of the snapshot; nothing was replaced. Try again.")
    return data


def load(url: str, source: Path) -> int:
    """Copies every key of the snapshot into an empty Redis; returns how many."""
    target = redis.Redis.from_url(url)
    if target.dbsize():
        raise SystemExit(f"This Redis holds {target.dbsize()} keys already; load only into an empty one.")
    with tempfile.TemporaryDirectory(prefix="teahouse-restore-") as folder:
        shutil.copy(source, Path(folder) / "dump.rdb")
        port = free_port()
        command = [executable(Path(folder)), "--dir", folder, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            return copy_keys(started(port, server), target)
        finally:
            server.terminate()
            server.wait()


def started(port: int, server: "subprocess.Popen[bytes]") -> "redis.Redis":
    client = redis.Redis(port=port)
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            client.ping()
            return client
        except (redis.ConnectionError, redis.BusyLoadingError):
            if server.poll() is not None or time.monotonic() > limit:
                raise SystemExit("The file is not a snapshot that this redis-server can read.") from None
        time.sleep(0.05)


def copy_keys(source: "redis.Redis", target: "redis.Redis") -> int:
    total, done = source.dbsize(), 0
    keys: list[bytes] = []
    for key in [*source.scan_iter(count=BATCH), None]:
        if key is not None:
            keys.append(key)
        if keys and (key is None or len(keys) >= BATCH):
            copy_some(source, target, keys)
            done += len(keys)
            keys = []
            sys.stderr.write(f"\r{done}/{total} keys")
    sys.stderr.write("\n")
    return done


def copy_some(source: "redis.Redis", target: "redis.Redis", keys: list[bytes]) -> None:
    reading, writing = source.pipeline(transaction=False), target.pipeline(transaction=False)
    for key in keys:
        reading.dump(key)
        reading.pttl(key)
    answers = reading.execute()
    for key, value, left in zip(keys, answers[::2], answers[1::2], strict=True):
        if value is not None:
            writing.restore(key, max(left, 0), value, replace=True)  # a scan may tell of a key twice
    writing.execute()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["save", "load"])
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    url = address()
    try:
        if asked.what == "save":
            print(f"{asked.file}: {save(url, asked.file):,} bytes")
        else:
            print(f"{load(url, asked.file)} keys loaded; start the services now")
    except (redis.RedisError, OSError, NoRedis) as error:
        sys.exit(f"{asked.what} failed: {error}")


if __name__ == "__main__":
    main()
