"""The session service itself, for tests that play over its contract."""

import pytest

from deploy.stack import Stack
from tests.support.session_client import SessionClient


@pytest.fixture
def house(stack: Stack) -> SessionClient:
    return SessionClient(stack)
