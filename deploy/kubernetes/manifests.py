"""`python -m deploy.kubernetes.manifests` (`make kubernetes`): writes the manifests that follow from other files.

The folders in services/games give each game's Deployment, Service, budget and autoscaler; the alerts of Prometheus
give those of the Prometheus operator. Run it after adding a game or changing an alert.
"""

from pathlib import Path
from string import Template
from textwrap import indent

from services.engine import registry

FOLDER = Path(__file__).parent
NOTE = "# Written by `make kubernetes` from {}; change that instead.\n"
ALERTS = """apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: teahouse
spec:
"""


def made() -> dict[Path, str]:
    """The text of each file."""
    base = FOLDER / "base"
    template = Template((base / "game.template.yaml").read_text())
    hosts = {game: game.replace("_", "-") for game in registry.names()}
    games = "".join(template.substitute(game=game, name=host) for game, host in hosts.items())
    addresses = ",".join(f"{game}={host}:7400" for game, host in hosts.items())
    alerts = (FOLDER.parent / "observability" / "alerts.yml").read_text()
    # The Prometheus of a cluster watches other namespaces too.
    alerts = alerts.replace("expr: up == 0", 'expr: up{namespace="teahouse"} == 0')
    return {
        base / "games.yaml": NOTE.format("game.template.yaml") + games,
        base / "games.env": NOTE.format("the folders in services/games") + f"TEAHOUSE_RULES={addresses}\n",
        FOLDER / "components" / "monitoring" / "alerts.yaml": NOTE.format("deploy/observability/alerts.yml")
        + ALERTS
        + indent(alerts, "  "),
    }


if __name__ == "__main__":
    for file, text in made().items():
        file.write_text(text)
