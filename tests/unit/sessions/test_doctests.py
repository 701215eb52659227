"""The examples in docstrings are true."""

import doctest
from types import ModuleType

import pytest

from services.sessions.matching import pairing
from services.sessions.operators import statistics
from services.sessions.people import chat, chat_lines, ratings
from services.sessions.store import connection
from services.sessions.tables import rematches


@pytest.mark.parametrize("module", [chat, chat_lines, connection, pairing, ratings, rematches, statistics])
def test_examples(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed
