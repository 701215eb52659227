"""A game in which clients make mistakes."""

from collections.abc import Iterator

import httpx
import pytest

from deploy.stack import Stack
from tests.support.people import Person, begin

JSON = {"Content-Type": "application/json"}


class Game:
    """A game that has begun: whose turn it is and whose not."""

    def __init__(self, url: str) -> None:
        self.table, *self.people = begin(url)
        self.version = self.people[0].view(self.table)["version"]
        actor = self.people[0].view(self.table)["actor"]
        self.actor, self.other = self.people[actor], self.people[1 - actor]
        self.stranger = Person(url, "Eve")
        self.legal = self.actor.view(self.table)["legal"]
        self.actions = f"/v1/tables/{self.table}/actions"

    def send(self, content: bytes, **headers: str) -> httpx.Response:
        return self.actor.post(self.actions, content=content, headers=JSON | headers)


@pytest.fixture(scope="module")
def running(stack: Stack) -> Game:
    return Game(stack.url)


@pytest.fixture
def game(running: Game) -> Iterator[Game]:
    """Whatever a test does wrong, the game is as it was."""
    before = running.actor.view(running.table)
    yield running
    assert running.actor.view(running.table) == before
