"""The README begins with a game; it must work as printed."""

import re
import shutil
import subprocess

import pytest

from deploy.stack import Stack
from deploy.supervisor import ROOT


def test_the_game_in_the_readme_plays_to_its_end(stack: Stack) -> None:
    missing = [tool for tool in ("bash", "curl") if not shutil.which(tool)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    script = "set -euo pipefail\n" + "".join(blocks).replace("http://127.0.0.1:8080", stack.url)
    script = script.replace("-s -H", "-s --fail --noproxy '*' -H", 1)
    played = subprocess.run(["bash", "-c", f"TOKEN=\n{script}"], capture_output=True, text=True, timeout=120)
    assert played.returncode == 0, played.stdout[-2000:] + played.stderr
    assert "'places'" in played.stdout
