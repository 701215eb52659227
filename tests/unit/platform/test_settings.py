"""A wrong setting is refused at the start, in one sentence that says what is right."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy import local
from deploy.redis import NoRedis, command
from services.platform.settings import Settings, running


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "99999"),
        ("PORT", "80.5"),
        ("PORT", "-1"),
        ("LOG_LEVEL", "LOUD"),
        ("LOG_FORMAT", "xml"),
        ("TOKEN_LIFE", "0"),
        ("WEBHOOK_PRIVATE", "maybe"),
        ("HEARTBEAT", "0"),
        ("DEADLINE", "nan"),
        ("DEADLINE", "inf"),
        ("DEADLINE", "soon"),
        ("TRACES_SHARE", "2"),
        ("LIMIT_PLAYER", "many"),
    ],
)
def test_a_wrong_value_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"TEAHOUSE_{name}", value)
    with pytest.raises(SystemExit, match=rf"TEAHOUSE_{name} is '?{value}.*expected"):
        Settings()


def test_good_values_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PORT", "0"), ("WEBHOOK_PRIVATE", "yes"), ("LOG_LEVEL", "DEBUG"), ("HEARTBEAT", "0.3")):
        monkeypatch.setenv(f"TEAHOUSE_{name}", value)
    settings = Settings()
    assert (settings.port, settings.webhook_private, settings.log_level) == (0, True, "DEBUG")


def test_redis_is_not_started_with_a_wrong_fsync() -> None:
    with pytest.raises(NoRedis, match="TEAHOUSE_REDIS_FSYNC is 'maybe'; expected one of always"):
        command("redis-server", 1, Path(), "maybe")


def test_a_variable_that_nobody_reads_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEAHOUSE_PROT", "8081")
    monkeypatch.setenv("TEAHOUSE_PORT", "8081")
    monkeypatch.setenv("TEAHOUSE_BOTS", "2")
    monkeypatch.setenv("TEAHOUSE_PYTHON_IMAGE", "python:3.13-slim")
    Settings()
    local.misspelt()
    said = capsys.readouterr().out
    assert said.count("TEAHOUSE_") == 1
    assert "TEAHOUSE_PROT" in said


def test_the_load_of_the_bots_is_asked_of_the_redis_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_DATA", str(tmp_path))
    for name in ("TEAHOUSE_REDIS_URL", "TEAHOUSE_BROKER_URL"):
        monkeypatch.delenv(name, raising=False)
    assert running("redis-url") == ""
    (tmp_path / "redis-url").write_text("redis://127.0.0.1:1/0")
    asked = subprocess.run([sys.executable, "-m", "services.platform.pool.depth"], capture_output=True, text=True)
    assert asked.returncode == 1
    assert "127.0.0.1:1" in asked.stderr
    assert len(asked.stderr.splitlines()) == 1
