"""Which Redis the settings name."""

import pytest

from services.platform.settings import Settings


def test_a_cluster_needs_a_broker_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAHOUSE_BROKER_URL", raising=False)
    monkeypatch.setenv("TEAHOUSE_REDIS_URL", "redis://a:6379,b:6379")
    with pytest.raises(SystemExit, match="TEAHOUSE_BROKER_URL"):
        Settings()
    monkeypatch.setenv("TEAHOUSE_BROKER_URL", "redis://c:6379/0")
    assert Settings().broker_url == "redis://c:6379/0"
