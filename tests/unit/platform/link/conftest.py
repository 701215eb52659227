from collections.abc import Iterator

import pytest

from tests.unit.platform.link.echo_process import EchoProcess


@pytest.fixture(scope="session")
def echo() -> Iterator[EchoProcess]:
    """One for all tests that do not harm it."""
    with EchoProcess() as process:
        yield process
