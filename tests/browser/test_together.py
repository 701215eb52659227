"""Two people in two browsers: invitation, talk, a reload and a gateway that restarts in the middle."""

from collections.abc import Callable

from playwright.sync_api import expect

from deploy.stack import Stack
from tests.browser.person import PATIENCE, Person

People = Callable[..., Person]
LOOK = 50  # milliseconds between two looks at both browsers
# The browser itself writes this while the gateway is away; the page comes back by itself.
AWAY = ("WebSocket connection", "ERR_CONNECTION", "Failed to load resource", "503")


def test_two_people_play_through_a_reload_and_a_restart(person: People, stack: Stack) -> None:
    ada, bo = person("Ada", seed=1), person("Bo", seed=2)
    invite(ada, bo)
    talk(ada, bo)
    take_back(ada, bo)
    for step in range(2000):
        if step == 10:
            ada.page.reload()
            ada.page.locator(".board").wait_for()
        if step == 20:
            stack.restart("gateway")
        acting = on_turn(ada, bo)
        if acting is None:
            break
        acting.move()
    for each in (ada, bo):
        expect(each.page.locator(".outcome")).to_be_visible()
    ada.page.get_by_role("button", name="Rematch").click()
    bo.page.get_by_role("button", name="To the rematch").click()
    for each in (ada, bo):
        each.page.locator(".ask").wait_for()
        each.trouble = [text for text in each.trouble if not any(word in text for word in AWAY)]


def test_a_quick_match_and_somebody_who_watches(person: People) -> None:
    ada, bo = person("Ada"), person("Bo")
    for each in (ada, bo):
        card = each.page.locator(".game", has=each.page.get_by_role("heading", name="Geisha's Road"))
        card.get_by_role("button", name="Quick match").click()
    for each in (ada, bo):
        each.page.locator(".board").wait_for()
    assert ada.page.url == bo.page.url
    assert on_turn(ada, bo)
    cy = person("Cy")
    cy.page.goto(ada.page.url)
    expect(cy.page.locator(".ask")).to_contain_text("You are watching")
    expect(ada.page.locator(".seat-strip")).to_contain_text("1 watching")
    assert cy.page.locator(".spot.live, .move").count() == 0


def test_a_rated_quick_match_is_only_among_people_and_counts(person: People) -> None:
    """One changes the mind while waiting; the other finds the first by the same wish."""
    ada, bo = person("Ada"), person("Bo")
    for each in (ada, bo):
        card = each.page.locator(".game", has=each.page.get_by_role("heading", name="Thurn and Taxis"))
        card.get_by_role("button", name="Quick match").click()
        each.page.get_by_label("Rated: only people, no bots").check()
        expect(each.page.locator(".notice")).to_contain_text("Only with people")
    for each in (ada, bo):
        each.page.locator(".board").wait_for()
    assert ada.page.url == bo.page.url
    table = ada.page.url.rpartition("/")[2]
    assert ada.page.evaluate(f"import('/api.js').then((api) => api.call('GET', '/tables/{table}'))")["rated"] is True


def invite(ada: Person, bo: Person) -> None:
    """A private table through the forms; the other comes by the link."""
    card = ada.page.locator(".game", has=ada.page.get_by_role("heading", name="Geisha's Road"))
    card.get_by_role("button", name="Friends, options").click()
    card.get_by_label("Seat 2").first.select_option(label="open for a person")
    card.get_by_label("Private").check()
    card.get_by_role("button", name="Open the table").click()
    link = ada.page.get_by_role("textbox", name="Invite by this link").input_value()
    assert "?code=" in link
    bo.page.get_by_label("Paste the link of a table").fill(link)
    bo.page.get_by_role("button", name="Go").click()
    bo.page.get_by_role("button", name="Sit down here").click()
    begin = ada.page.get_by_role("button", name="Begin the game")
    expect(begin).to_be_enabled()
    begin.click()
    for each in (ada, bo):
        each.page.locator(".board").wait_for()


def talk(ada: Person, bo: Person) -> None:
    ada.page.get_by_label("Say something").fill("Good luck!")
    ada.page.get_by_role("button", name="Send").click()
    expect(bo.page.locator(".said")).to_contain_text("Good luck!")


def take_back(ada: Person, bo: Person) -> None:
    """The first step of a turn reveals nothing: an action is chosen, taken back, and asked for as a hint."""
    acting = on_turn(ada, bo)
    assert acting
    acting.move()
    before = acting.version
    acting.page.get_by_role("button", name="Undo").click()
    acting.page.locator(f".play:not([data-version='{before}'])").wait_for()
    expect(acting.page.locator(".happened")).to_contain_text("takes a move back")
    acting.page.get_by_role("button", name="Hint").click()
    expect(acting.page.locator(".ask")).to_contain_text("would:")


def on_turn(ada: Person, bo: Person) -> Person | None:
    """Whoever has the decision, once both browsers know it; None when the game is over."""
    for _ in range(PATIENCE // LOOK):
        for each in (ada, bo):
            if each.over:
                return None
            if each.page.locator(".ask.mine").count() and each.page.locator("text=The connection is lost").count() == 0:
                return each
        ada.page.wait_for_timeout(LOOK)
    raise AssertionError("nobody has the decision")
