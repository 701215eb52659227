"""`python -m deploy.manifests` (`make kubernetes`): the parts of deploy/kubernetes that follow from something else.

The games' Deployments, Services, budgets and autoscalers from the folders in services/, and the alerts of the
Prometheus operator from those of Prometheus itself. After a new game or a changed alert, and nothing to edit.
"""

from pathlib import Path
from string import Template
from textwrap import indent

from deploy.supervisor import ROOT
from services.engine import registry

FOLDER = ROOT / "deploy" / "kubernetes"
NOTE = "# Made by `make kubernetes` from {}; change that instead.\n"
ALERTS = """apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: teahouse
spec:
"""


def made() -> dict[Path, str]:
    """What belongs into which file."""
    base = FOLDER / "base"
    template = Template((base / "game.template.yaml").read_text())
    hosts = {game: game.replace("_", "-") for game in registry.names()}
    games = "".join(template.substitute(game=game, name=host) for game, host in hosts.items())
    addresses = ",".join(f"{game}={host}:7400" for game, host in hosts.items())
    alerts = (ROOT / "deploy" / "observability" / "alerts.yml").read_text()
    # A Prometheus of a cluster watches others too.
    alerts = alerts.replace("expr: up == 0", 'expr: up{namespace="teahouse"} == 0')
    return {
        base / "games.yaml": NOTE.format("game.template.yaml") + games,
        base / "games.env": NOTE.format("the folders in services/") + f"TEAHOUSE_RULES={addresses}\n",
        FOLDER / "components" / "monitoring" / "alerts.yaml": NOTE.format("deploy/observability/alerts.yml")
        + ALERTS
        + indent(alerts, "  "),
    }


if __name__ == "__main__":
    for file, text in made().items():
        file.write_text(text)
