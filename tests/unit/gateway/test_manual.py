"""What the manual says can be pasted, and nothing is missing from its lists."""

import re
from pathlib import Path

import msgspec
import pytest

from deploy.supervisor import ROOT
from gateway.routes.tables import hints, play, records
from services.engine import registry

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Where the Python is another one: in the image, and in a picture.
ELSEWHERE = ("docker compose", "kubectl", "its health check", "│")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_name_the_python_that_make_run_sets_up(page: Path) -> None:
    text = page.read_text()
    bare = [line for line in text.splitlines() if re.search(r"(?<!/)\bpython -m", line)]
    assert [line for line in bare if not any(each in line for each in ELSEWHERE)] == []
    if ".venv/bin/python" in text:
        assert "`make run` sets up" in text.partition("\n## ")[0]


def test_every_event_of_a_table_is_listed() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "services/sessions").rglob("*.py"))
    made = set(re.findall(r'\{"([a-z_]+)": \{("|\})', sources))
    listed = set(re.findall(r'^\| `\{"([a-z_]+)"', (ROOT / "docs/api.md").read_text(), re.MULTILINE))
    assert {name for name, _ in made} <= listed


def test_the_examples_show_actions_that_exist() -> None:
    codec = registry.codec("geishas_road")
    shown = [*play.POSITION["legal"], records.REPLAY["actions"][0]["action"], hints.HINT["action"]]  # type: ignore[index]
    guide = (ROOT / "docs/api.md").read_text()
    shown += [msgspec.json.decode(each) for each in re.findall(r'"action": (\{"\w+": \{[^}…]*\}\})', guide)]
    assert len(shown) >= 5
    for action in shown:
        codec.action(msgspec.json.encode(action))
