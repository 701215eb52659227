"""What a test needs of the machine and may not find there."""

import os
from typing import NoReturn

import pytest


def missing(problem: str, switch: str) -> NoReturn:
    """Skips a test and says what is missing; fails it where the switch is 1, as in the gate (.ci/run)."""
    if os.environ.get(switch) == "1":
        pytest.fail(f"{switch}=1, but {problem}")
    pytest.skip(problem)
