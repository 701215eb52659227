"""The deployment serves every game that there is."""

from pathlib import Path

import pytest
import yaml

from deploy import games
from deploy.supervisor import ROOT
from services.engine import registry


@pytest.mark.parametrize("name", registry.names())
def test_every_game_is_in_the_compose_file(name: str) -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    host = name.replace("_", "-")
    assert f"\n  {host}:\n" in text, "add its service"
    assert f"command: [python, -m, services.games.{name}]" in text, "give its service the command"
    assert f"{name}={host}:7400" in text, "add its address to TEAHOUSE_RULES"


@pytest.mark.parametrize("name", registry.names())
def test_prometheus_reads_every_game(name: str) -> None:
    wanted = yaml.safe_load((ROOT / "deploy/observability/prometheus.yml").read_text())["scrape_configs"]
    read = {host for job in wanted for found in job["dns_sd_configs"] for host in found["names"]}
    assert name.replace("_", "-") in read, "add its name to the rules"


@pytest.mark.parametrize("file", games.made(), ids=lambda file: str(file.name))
def test_make_deployment_would_change_nothing(file: Path) -> None:
    assert games.made()[file] == file.read_text(), "`make deployment`, and read the diff"
