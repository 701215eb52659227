"""A person at the web table: a page of a real browser, and what one does there by clicks or keys alone."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect, sync_playwright

AXE = Path(__file__).with_name("axe") / "axe.min.js"
SERIOUS = ("serious", "critical")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
OPEN_TABLE = """async ({game, seats, options, clock, rated}) => {
  const setup = await import("/setup.js");
  location.hash = `#/table/${(await setup.createTable(game, seats, options, "public", clock, rated)).id}`;
}"""
# The machine may be slow; nothing waits this long when all is well.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
MISSED = """(places) => [...document.querySelectorAll(places)].filter((place) => {
  const {left, top, width, height} = place.getBoundingClientRect();
  return !place.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map((place) => place.getAttribute("aria-label") ?? place.textContent)"""
# What one can click to move: places of the board and buttons under the question.
MOVES = ".board .spot.live, .ask .move, .generic-moves .move"


def executable() -> str | None:
    """The system's Chromium."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


class Person:
    """`trouble` collects what the browser complains about: errors of scripts and of the console."""

    def __init__(
        self, browser: Browser, url: str, *, width: int = 1440, height: int = 1000, seed: int = 1, dark: bool = False
    ) -> None:
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height},
            locale="en-GB",
            reduced_motion="reduce",
            color_scheme="dark" if dark else "light",
        )
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.url, self.dice = url, random.Random(seed)
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))

    def enter(self, name: str = "Ada") -> None:
        self.page.goto(self.url)
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_role("button", name="Come in").click()
        self.page.get_by_text(f"You are {name}").wait_for()

    def begin(self, title: str, button: str = "Play against bots") -> None:
        card = self.page.locator(".game", has=self.page.get_by_role("heading", name=title))
        card.get_by_role("button", name=button).click()
        self.page.locator(".board").wait_for()

    def begin_with(
        self,
        game: str,
        options: dict[str, object],
        seats: list[dict[str, str]],
        *,
        clock: dict[str, object] | None = None,
        rated: bool = False,
    ) -> None:
        """A table with options, opened through the page's own modules; it waits if a seat is open."""
        wish = {"game": game, "options": options, "seats": seats, "clock": clock, "rated": rated}
        self.page.evaluate(OPEN_TABLE, wish)
        self.page.locator(".board, .room").wait_for()

    def without_boards(self) -> None:
        """As if no game had a board of its own."""

        def answer(route: Route) -> None:
            offered = {**route.fetch().json(), "boards": []}
            route.fulfill(content_type="application/json", body=json.dumps(offered))

        self.page.route("**/features.json", answer)
        self.page.reload()

    @property
    def version(self) -> int:
        return int(self.page.locator(".play").get_attribute("data-version") or 0)

    @property
    def over(self) -> bool:
        return self.page.locator(".outcome").count() > 0

    def wait_for_turn(self) -> bool:
        """False if the game is over."""
        self.page.locator(f".outcome, {MOVES}").first.wait_for()
        return not self.over

    def move(self, *, keyboard: bool = False) -> None:
        """Clicks something that lights up, and whatever is asked after that, until the table has moved on."""
        before = self.version
        moved = f".play:not([data-version='{before}'])"
        self.press(self.dice.choice(self.page.locator(MOVES).all()), keyboard)
        self.page.locator(f"{moved}, .ask.choosing").first.wait_for()
        if self.page.locator(".ask.choosing").count():
            if keyboard:
                expect(self.page.locator(".ask.choosing .move").first).to_be_focused()
            self.press(self.dice.choice(self.page.locator(".ask.choosing .move").all()), keyboard)
            self.page.locator(moved).wait_for()

    def press(self, spot: Locator, keyboard: bool) -> None:
        if keyboard:
            spot.focus()
            self.page.keyboard.press("Enter")
        else:
            spot.click()

    def play(self, most: int = 1000, *, keyboard: bool = False) -> int:
        """Until the game is over; gives the number of own moves."""
        for count in range(most):
            if not self.wait_for_turn():
                return count
            self.move(keyboard=keyboard)
        return most

    def missed(self, places: str) -> list[str]:
        """Those whose middle is not theirs to click. The page has to fit into the window."""
        found: list[str] = self.page.evaluate(MISSED, places)
        return found

    def problems(self) -> list[str]:
        """What axe-core finds here, of the kinds that keep somebody out."""
        self.page.evaluate(AXE.read_text())
        found: dict[str, Any] = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {each['help']}: {each['nodes'][0]['html'][:200]}"
            for each in found["violations"]
            if each["impact"] in SERIOUS
        ]

    def close(self) -> None:
        self.context.close()
