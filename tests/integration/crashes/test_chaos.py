"""A sample of `make chaos`: people play while processes, network, disk and clocks break."""

import subprocess
import sys
from pathlib import Path

from deploy.supervisor import ROOT
from tests.chaos.faulty_stack import SAMPLE

PATIENCE = 300.0


def test_nothing_is_lost_done_twice_or_stuck(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--sample", "--tables", "12", "--log", str(tmp_path / "log")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"chaos: {len(SAMPLE)} of {len(SAMPLE)} faults in" in ran.stdout, ran.stdout
