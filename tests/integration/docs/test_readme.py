"""The README and the guide to the API begin with a game; both must work as printed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.stack import Stack
from deploy.supervisor import ROOT
from tests.support.required_tools import missing


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    lacking = [tool for tool in ("bash", "curl", "python3") if not shutil.which(tool)]
    if lacking:
        missing(f"not installed: {', '.join(lacking)}", "REQUIRE_CURL")


def paste(stack: Stack, text: str) -> str:
    """Runs every block marked as bash, in order, in one shell."""
    blocks = re.findall(r"^ *```bash\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    script = "".join(blocks).replace("http://127.0.0.1:8080", stack.url).replace("curl -s", "curl -s --fail")
    env = os.environ | {"NO_PROXY": "*", "no_proxy": "*", "TOKEN": ""}
    command = ["bash", "-c", f"set -euo pipefail\n{script}"]
    played = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=150)
    assert played.returncode == 0, played.stdout[-2000:] + played.stderr
    return played.stdout


def test_the_game_in_the_readme_plays_to_its_end(stack: Stack) -> None:
    assert "'places'" in paste(stack, (ROOT / "README.md").read_text())


def test_ten_minutes_from_nothing_to_a_running_bot(stack: Stack) -> None:
    guide = (ROOT / "docs" / "api.md").read_text().partition("## Ten minutes")[2].partition("\n## ")[0]
    said = paste(stack, guide)
    assert "place 1, scores" in said
    assert '"status":"playing"' in said
    assert '"legal":[' in said


def test_links_between_the_pages_lead_somewhere() -> None:
    followed = 0
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target, _, place in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", page.read_text()):
            aim = page.parent / target if target else page
            assert aim.exists(), f"{page.name}: {target}"
            assert not place or place in headings(aim), f"{page.name}: {target}#{place}"
            followed += 1
    assert followed > 20


def headings(page: Path) -> set[str]:
    """What links may name, as GitHub writes it."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}
