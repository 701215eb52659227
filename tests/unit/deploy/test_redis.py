"""Which Redis or Valkey server the local stack runs."""

import shutil
from pathlib import Path

import pytest

from deploy.stack import redis_server
from deploy.stack.redis_server import Server

REDIS_6, REDIS_7 = Server("redis-6", False, (6, 2)), Server("redis-7", False, (7, 0))
VALKEY_8, VALKEY_9 = Server("valkey-8", True, (8, 1)), Server("valkey-9", True, (9, 1))


@pytest.fixture
def only_the_bundled(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    server = redis_server.bundled()
    assert server
    return server


def written(data: Path, header: bytes) -> Path:
    (data / "appendonlydir").mkdir()
    (data / "appendonlydir" / "appendonly.aof.1.base.rdb").write_bytes(header + b"\xfa\x00")
    return data


def test_the_bundled_server_is_used_where_none_is_installed(only_the_bundled: str, tmp_path: Path) -> None:
    assert redis_server.executable(tmp_path) == only_the_bundled
    assert redis_server.ask(only_the_bundled).valkey


def test_a_machine_without_any_server_is_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(redis_server, "bundled", lambda: None)
    monkeypatch.setattr(shutil, "which", {"brew": "/opt/homebrew/bin/brew"}.get)
    with pytest.raises(redis_server.NoRedis, match=r"no Redis or Valkey server.*: brew install valkey$"):
        redis_server.executable(tmp_path)


def test_every_server_reads_the_single_file_of_redis_6(tmp_path: Path) -> None:
    (tmp_path / "appendonly.aof").touch()
    assert all(server.reads(tmp_path) for server in (REDIS_6, REDIS_7, VALKEY_8, VALKEY_9))


@pytest.mark.parametrize(
    ("header", "readers"),
    [
        (b"REDIS0010", {REDIS_7, VALKEY_8, VALKEY_9}),
        (b"REDIS0011", {VALKEY_8, VALKEY_9}),
        (b"REDIS0012", set()),
        (b"VALKEY080", {VALKEY_9}),
    ],
)
def test_a_server_is_not_given_what_it_cannot_load(tmp_path: Path, header: bytes, readers: set[Server]) -> None:
    data = written(tmp_path, header)
    assert {server for server in (REDIS_6, REDIS_7, VALKEY_8, VALKEY_9) if server.reads(data)} == readers


def test_data_that_no_server_can_load_is_left_alone(only_the_bundled: str, tmp_path: Path) -> None:
    data = written(tmp_path, b"REDIS0012")
    with pytest.raises(redis_server.NoRedis, match=r"newer one wrote it.*Found: Valkey 9"):
        redis_server.executable(data)


def test_what_is_no_server_has_no_version() -> None:
    assert redis_server.ask("/there/is/no/such/file").version == (0, 0)
