"""The session service itself, for tests that play over its contract."""

import pytest

from deploy.stack import Stack
from tests.support.house import House


@pytest.fixture
def house(stack: Stack) -> House:
    return House(stack)
