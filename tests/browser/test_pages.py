"""What holds on every page: accessible, small, in both languages, without a secret on the wire."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from deploy.stack import Stack
from tests.browser.person import PATIENCE, Person

KILOBYTE = 1024
ME, GREEDY = {"kind": "me"}, {"kind": "bot", "bot": "greedy"}
People = Callable[..., Person]


def too_wide(page: Page) -> int:
    """By how many pixels one would have to scroll sideways."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide


@pytest.mark.parametrize("width", [390, 1440])
def test_lobby_and_waiting_room_are_accessible(person: People, width: int) -> None:
    ada = person(width=width)
    ada.page.get_by_role("button", name="Friends, options").first.click()
    ada.page.get_by_role("button", name="Friends, options").last.click()
    assert ada.problems() == []
    assert too_wide(ada.page) <= 0
    ada.page.get_by_label("Seat 2").first.select_option(label="open for a person")
    ada.page.get_by_role("button", name="Open the table").first.click()
    ada.page.locator(".room").wait_for()
    assert ada.problems() == []
    ada.page.get_by_role("link", name="Leaderboards").click()
    ada.page.locator(".leaders .card").first.wait_for()
    assert ada.problems() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("game", ["geishas_road", "river_of_gold", "tea_garden", "thurn_and_taxis"])
def test_every_table_is_accessible(person: People, game: str, dark: bool) -> None:
    ada = person(dark=dark, width=390 if dark else 1440)
    ada.begin_with(game, {}, [ME, GREEDY])
    ada.play(6)
    ada.wait_for_turn()
    assert ada.problems() == []
    assert too_wide(ada.page) <= 0


def test_a_game_without_a_board_is_a_tree_with_buttons(person: People) -> None:
    ada = person(width=390)
    ada.without_boards()
    ada.begin_with("geishas_road", {}, [ME, GREEDY])
    ada.play(4)
    ada.wait_for_turn()
    expect(ada.page.locator(".tree")).to_contain_text("Geishas")
    assert ada.page.locator(".spot").count() == 0
    assert ada.problems() == []
    assert too_wide(ada.page) <= 0


def test_the_first_load_is_small(browser: Browser, stack: Stack) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(stack.url)
    page.locator(".game").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert 10 * KILOBYTE < sum(sizes) < 250 * KILOBYTE
    context.close()


def test_everything_is_there_in_polish(person: People) -> None:
    ada = person()
    ada.begin_with("geishas_road", {}, [ME, GREEDY])
    ada.page.get_by_role("button", name="Po polsku").click()
    assert ada.page.locator("html").get_attribute("lang") == "pl"
    expect(ada.page.locator("h1")).to_have_text("Gejsze 2 – Herbaciarnie")
    expect(ada.page.locator(".log")).to_contain_text("Co się stało")
    ada.page.reload()
    expect(ada.page.locator(".log")).to_contain_text("Co się stało")


def test_hidden_cards_never_reach_the_browser(person: People) -> None:
    """A rival's hand and face-down cards are nowhere in what the socket and the log say."""
    ada, bo = person("Ada", seed=3), person("Bo", seed=4)
    told: list[str] = []
    ada.page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: told.append(str(frame))))
    ada.begin_with("geishas_road", {"starting_seat": 1}, [ME, {"kind": "open"}])
    bo.page.goto(ada.page.url)
    bo.page.get_by_role("button", name="Sit down here").click()
    ada.page.get_by_role("button", name="Begin the game").click()
    bo.page.locator(".board").wait_for()
    bo.wait_for_turn()
    ada.page.locator(".board").wait_for()
    table = bo.page.url.rpartition("/")[2]
    path = f"`/tables/{table}/view`"
    position = bo.page.evaluate(f"import('/api.js').then(api => api.call('GET', {path}))")
    hand = position["view"]["players"][1]["hand"]
    assert hand
    seen = "".join(told) + json.dumps(ada.page.evaluate(f"import('/api.js').then(api => api.wholeLog('{table}'))"))
    assert "gift-" in seen
    assert [card for card in hand if f'"{card}"' in seen] == []


def test_the_page_of_the_api_shows_calls_with_their_examples_and_asks_nobody_else(person: People) -> None:
    ada = person()
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    ada.page.goto(f"{ada.url}/docs")
    act = ada.page.locator("#operations-play-act")
    act.locator(".opblock-summary-control").click()
    expect(act.locator(".opblock-body")).to_contain_text("current_version")
    expect(act.locator(".body-param__example")).to_contain_text("version")
    assert f"{ada.url}/openapi.json" in asked
    assert [url for url in asked if not url.startswith((ada.url, "data:"))] == []
