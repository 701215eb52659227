"""Leaving a table: one is missed, a bot stands in, the one is back, the other resigns; and a sign-in that is void."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from deploy.stack import Stack
from tests.browser.person import Person
from tests.support.processes import restarted

ME, OPEN, GREEDY = {"kind": "me"}, {"kind": "open"}, {"kind": "bot", "bot": "greedy"}
CLOCK = {"kind": "bank", "seconds": 900, "increment": 5}
People = Callable[..., Person]
# The browser itself writes this while the gateway is away, or refuses.
AWAY = ("WebSocket connection", "ERR_CONNECTION", "Failed to load resource", "503", "401")
VOID = "import('/api.js').then((api) => api.call('DELETE', '/players/me/tokens'))"


@pytest.fixture
def impatient(stack: Stack) -> Iterator[None]:
    """Whoever has the decision can be missed at once."""
    with restarted(stack, "sessions", "sessions-2", absence="0"):
        yield


@pytest.fixture
def pair(impatient: None, person: People) -> tuple[Person, Person]:
    """The second has the decision."""
    ada, bo = person("Ada", seed=1), person("Bo", seed=2)
    ada.begin_with("geishas_road", {"starting_seat": 1}, [ME, OPEN], clock=CLOCK)
    bo.page.goto(ada.page.url)
    bo.page.get_by_role("button", name="Sit down here").click()
    ada.page.get_by_role("button", name="Begin the game").click()
    assert bo.wait_for_turn()
    ada.page.locator(".board").wait_for()
    return ada, bo


def test_a_player_is_missed_comes_back_and_the_other_resigns(pair: tuple[Person, Person]) -> None:
    ada, bo = pair
    table = bo.page.url
    seat = ada.page.locator(".seat-strip li", has_text="Bo")
    expect(seat.get_by_role("timer")).to_have_text(re.compile(r"1[45]:\d\d"))
    bo.page.goto("about:blank")
    expect(seat).to_contain_text("not here")
    ada.page.get_by_role("button", name="Let a bot play for Bo").click()
    expect(seat).to_contain_text("a bot stands in")
    expect(ada.page.locator(".happened")).to_contain_text("Bo is missed")
    expect(ada.page.locator(".happened")).to_contain_text("A bot plays for Bo")
    assert ada.wait_for_turn(), "the bot has moved"

    bo.page.goto(table)
    bo.page.get_by_role("button", name="Play myself again").click()
    expect(ada.page.locator(".happened")).to_contain_text("Bo is back")
    expect(seat).not_to_contain_text("a bot stands in")
    expect(seat).not_to_contain_text("not here")

    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.get_by_text("More", exact=True).click()
    ada.page.get_by_role("button", name="Resign").click()
    expect(ada.page.locator(".outcome")).to_contain_text("Bo wins")
    expect(bo.page.locator(".outcome")).to_contain_text("You win!")
    expect(bo.page.locator(".happened")).to_contain_text("Ada resigns")
    for each in pair:
        each.page.goto("about:blank")


def test_a_void_sign_in_is_told_and_not_tried_again(person: People, stack: Stack) -> None:
    ada = person()
    sockets: list[object] = []
    ada.page.on("websocket", lambda socket: sockets.append(socket))
    ada.page.clock.install()
    ada.begin_with("geishas_road", {}, [ME, GREEDY])
    ada.page.evaluate(VOID)
    stack.restart("gateway")
    told = ada.page.get_by_role("alert")
    expect(told).to_contain_text("You are no longer signed in here. Take a name in the lobby")
    tried = len(sockets)
    ada.page.clock.fast_forward(60_000)
    ada.page.get_by_role("button", name="Po polsku").click()
    expect(told).to_contain_text("Podaj w poczekalni imię")
    assert len(sockets) == tried > 0

    ada.page.get_by_role("button", name="In English").click()
    told.get_by_role("link", name="Back to the lobby").click()
    ada.page.get_by_label("Your name").fill("Ada again")
    ada.page.get_by_role("button", name="Come in").click()
    ada.begin("Geisha's Road")
    assert ada.wait_for_turn()
    ada.trouble = [text for text in ada.trouble if not any(word in text for word in AWAY)]
