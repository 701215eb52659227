"""A real browser where there is one."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from deploy.stack import Stack
from tests.browser.person import Person, executable, launched
from tests.support.required_tools import missing


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium. Skips where there is none, which is a failure if REQUIRE_BROWSER=1.

    Not for all tests of the run: while it lives there is an event loop, beside which other tests cannot start theirs.
    """
    path = executable()
    if path is None:
        missing("there is no Chromium here (on Debian: apt-get install chromium)", "REQUIRE_BROWSER")
    with launched(path) as running:
        yield running


@pytest.fixture
def person(browser: Browser, stack: Stack) -> Iterator[Callable[..., Person]]:
    """Makes people, each in a browser of their own; afterwards none of them may have seen an error."""
    people: list[Person] = []

    def make(name: str = "Ada", **wishes: Any) -> Person:
        people.append(Person(browser, stack.url, **wishes))
        people[-1].enter(name)
        return people[-1]

    yield make
    trouble = [text for each in people for text in each.trouble]
    for each in people:
        each.close()
    assert not trouble
