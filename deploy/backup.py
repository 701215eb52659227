"""Backs up a running Redis, and restores into an empty one.

    .venv/bin/python -m deploy.backup save teahouse.rdb       # a snapshot of one moment; games go on
    .venv/bin/python -m deploy.backup load teahouse.rdb       # into an empty Redis, before the services start

Both use the Redis at TEAHOUSE_REDIS_URL, or else the one that `make run` started on the data in TEAHOUSE_DATA. `save`
asks for the snapshot as a replica would, over the network, and writes an ordinary RDB file. `load` starts a second
Redis on that file for a moment and copies every key. Save each primary node of a Redis Cluster by itself.
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

from deploy.stack import free_port
from deploy.stack.redis_server import NoRedis, executable
from services.platform.settings import Settings, running

CHUNK = 1 << 16
PATIENCE = 60.0
BATCH = 500


def address() -> str:
    """The URL of the Redis."""
    url = os.environ.get("TEAHOUSE_REDIS_URL", "") or running("redis-url") or Settings().redis_url
    if "," in url:
        sys.exit("That is a Redis Cluster: set TEAHOUSE_REDIS_URL to one primary node at a time")
    return url


def save(url: str, target: Path) -> int:
    """Writes the snapshot and returns its size. Only a complete one replaces a file that exists."""
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
    """Reads "$<length>" and the bytes, or "$EOF:<mark>", the bytes and the mark; blank lines before are keep-alives."""
    source.settimeout(PATIENCE)
    head = read_line(source)
    while not head:
        head = read_line(source)
    if not head.startswith(b"$"):
        raise SystemExit(f"Redis refused to send a snapshot: {head.decode(errors='replace')}")
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
        raise SystemExit("Redis closed the connection in the middle of the snapshot; no file was replaced. Try again.")
    return data


def load(url: str, source: Path) -> int:
    """Copies every key of the snapshot into an empty Redis; returns how many."""
    target = redis.Redis.from_url(url)
    if target.dbsize():
        raise SystemExit(f"This Redis holds {target.dbsize()} keys; load only into an empty one.")
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
                raise SystemExit("redis-server cannot read the file: it is damaged, or from a newer Redis") from None
        time.sleep(0.05)


def copy_keys(source: "redis.Redis", target: "redis.Redis") -> int:
    keys: list[bytes] = list(source.scan_iter(count=BATCH))
    for start in range(0, len(keys), BATCH):
        copy_some(source, target, keys[start : start + BATCH])
        sys.stderr.write(f"\r{min(start + BATCH, len(keys))}/{len(keys)} keys")
    sys.stderr.write("\n")
    return len(keys)


def copy_some(source: "redis.Redis", target: "redis.Redis", keys: list[bytes]) -> None:
    reading, writing = source.pipeline(transaction=False), target.pipeline(transaction=False)
    for key in keys:
        reading.dump(key)
        reading.pttl(key)
    answers = reading.execute()
    for key, value, left in zip(keys, answers[::2], answers[1::2], strict=True):
        if value is not None:
            writing.restore(key, max(left, 0), value, replace=True)  # a scan may return a key twice
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
