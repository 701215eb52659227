"""Where traces are off, nothing of them is loaded."""

import subprocess
import sys

import pytest

from deploy.supervisor import ROOT
from services.platform.settings import Settings

LOADED = """
import sys
from services.platform import tracing
from services.platform.settings import Settings
tracing.begin("test", Settings())
import gateway.__main__, services.sessions.__main__
OPTIONAL = "opentelemetry.proto", "services.platform.tracing.spans", "services.platform.tracing.export"
print([name for name in sys.modules if name.startswith(OPTIONAL)])
"""


def test_nothing_is_loaded_without_a_collector() -> None:
    program = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True)
    assert program.stdout == "[]\n", program.stderr


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_TRACES", "jaeger:4318")
    with pytest.raises(SystemExit, match="TEAHOUSE_TRACES is 'jaeger:4318'; expected an address such as"):
        Settings()
