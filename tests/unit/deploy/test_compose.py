"""The deployment serves every game that there is."""

import pytest

from deploy.supervisor import ROOT
from services.engine import registry


@pytest.mark.parametrize("name", registry.names())
def test_every_game_is_in_the_compose_file(name: str) -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    host = name.replace("_", "-")
    assert f"\n  {host}:\n" in text, "add its service"
    assert f"command: [python, -m, services.{name}]" in text, "give its service the command"
    assert f"{name}={host}:7400" in text, "add its address to TEAHOUSE_RULES"
