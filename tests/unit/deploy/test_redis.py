"""Which Redis server the local stack runs."""

import shutil
from pathlib import Path

import pytest

from deploy.stack import redis_server


@pytest.fixture
def only_the_bundled(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    server = redis_server.bundled()
    assert server
    return server


def test_the_bundled_server_is_used_where_none_is_installed(only_the_bundled: str, tmp_path: Path) -> None:
    assert redis_server.executable(tmp_path) == only_the_bundled
    assert redis_server.version(only_the_bundled) >= redis_server.OLDEST


def test_data_of_a_newer_server_is_refused(
    only_the_bundled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_server, "version", lambda executable: (6, 2))
    (tmp_path / "appendonlydir").mkdir()
    with pytest.raises(redis_server.NoRedis, match=r"needs redis-server 7\.0 or newer"):
        redis_server.executable(tmp_path)


def test_what_is_no_server_has_no_version() -> None:
    assert redis_server.version("/there/is/no/such/file") == (0, 0)
