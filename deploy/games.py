"""`python -m deploy.games` (`make deployment`): every game of services/games in Compose and Prometheus.

Writes their services, their addresses and the names under which Prometheus finds them; nothing else changes.
"""

import re
from pathlib import Path

from deploy.supervisor import ROOT
from services.engine import registry

COMPOSE = ROOT / "docker-compose.yml"
PROMETHEUS = ROOT / "deploy" / "observability" / "prometheus.yml"
SERVICE = "  {host}:\n    <<: *grpc\n    command: [python, -m, services.games.{game}]\n\n"


def made() -> dict[Path, str]:
    """What both files should say."""
    hosts = {game: game.replace("_", "-") for game in registry.names()}
    addresses = ",\n".join(f"    {game}={host}:7400" for game, host in hosts.items())
    services = "".join(SERVICE.format(host=host, game=game) for game, host in hosts.items())
    compose = replaced(COMPOSE.read_text(), r"  TEAHOUSE_RULES: >-\n", r"\n  TEAHOUSE_WEBHOOK", addresses)
    compose = replaced(compose, r"  # The games \(`make deployment`\)\.\n", r"  # The end of the games\.\n", services)
    targets = replaced(PROMETHEUS.read_text(), r"- job_name: rules\n.*?names: \[", r"\]", ", ".join(hosts.values()))
    return {COMPOSE: compose, PROMETHEUS: targets}


def replaced(text: str, before: str, after: str, new: str) -> str:
    """The text with something else between two places."""
    result, found = re.subn(f"({before}).*?({after})", lambda match: match[1] + new + match[2], text, flags=re.DOTALL)
    assert found == 1, f"there is no place between {before!r} and {after!r}"
    return result


if __name__ == "__main__":
    for file, text in made().items():
        file.write_text(text)
