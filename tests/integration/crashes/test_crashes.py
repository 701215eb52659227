"""kill -9 of any one process during play loses no acknowledged move, and every game goes on by itself."""

from pathlib import Path

import pytest

from deploy.stack import Stack
from tests.campaigns.crashes import play_through


@pytest.mark.parametrize("victim", ["gateway", "sessions", "geishas_road", "bots-1", "redis"])
def test_kill_9_loses_nothing(stack: Stack, victim: str) -> None:
    play_through(stack, victim)


def test_bots_play_on_when_the_only_session_service_is_back(tmp_path: Path) -> None:
    with Stack(tmp_path / "data") as alone:
        play_through(alone, "sessions")
