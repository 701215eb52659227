"""A sample of tests.campaigns.crash_points: operations that end with kill -9 in the middle leave nothing half done."""

from collections.abc import Iterator

import pytest

from deploy.stack import Stack
from tests.campaigns.crash_points import OPERATIONS, Arena, arena

BY_NAME = {operation.name: operation for operation in OPERATIONS}


@pytest.fixture(scope="module")
def killing(stack: Stack) -> Iterator[Arena]:
    with arena(stack) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("take a seat", 3),
        ("start against a bot", 2),
        ("act with a key", 2),
        ("ask for a rematch", 3),
        ("join a rematch", 5),
    ],
)
def test_what_is_repeated_after_a_kill_is_done_once(killing: Arena, name: str, commands: int) -> None:
    assert killing.kill(BY_NAME[name], commands), f"{name} needs fewer commands than {commands}"
