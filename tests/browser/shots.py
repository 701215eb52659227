"""Pictures of every page and every game: `make screenshots`, or `python -m tests.browser.shots <game> --moves 30`.

Starts its own stack, unless --url names a running one, and writes PNGs to build/screenshots. Look at them.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from playwright.sync_api import Browser

from deploy.stack import Stack
from tests.browser.person import Person, executable, launched

FOLDER = Path("build/screenshots")
HEIGHT = 1000
ME, OPEN, GREEDY = {"kind": "me"}, {"kind": "open"}, {"kind": "bot", "bot": "greedy"}
LU_YU = {"kind": "automa", "automa": "lu_yu"}


@dataclass(frozen=True)
class Scene:
    """A table to look at."""

    game: str
    options: dict[str, object] = field(default_factory=dict)
    seats: list[dict[str, str]] = field(default_factory=lambda: [ME, GREEDY])
    dark: bool = False
    polish: bool = False
    generic: bool = False


# Between them: every game and expansion, both languages, light and dark.
SCENES = {
    "geishas_road": Scene("geishas_road", {"mode": "advanced"}),
    "geishas_road-destiny": Scene("geishas_road", {"mode": "harder", "destiny": True}, dark=True, polish=True),
    "river_of_gold": Scene("river_of_gold", {}, [ME, GREEDY, GREEDY, GREEDY]),
    "river_of_gold-patrons": Scene("river_of_gold", {"patrons": "draft"}, [ME, GREEDY, GREEDY], dark=True),
    "tea_garden": Scene("tea_garden", {}, [ME, GREEDY, GREEDY]),
    "tea_garden-pu_erh": Scene("tea_garden", {"pu_erh": True}, dark=True),
    "tea_garden-lu_yu": Scene("tea_garden", {"pu_erh": True}, [ME, LU_YU], polish=True),
    "thurn_and_taxis": Scene("thurn_and_taxis", {}, [ME, GREEDY, GREEDY]),
    "thurn_and_taxis-four": Scene("thurn_and_taxis", {}, [ME, GREEDY, GREEDY, GREEDY], dark=True, polish=True),
    "generic": Scene("river_of_gold", {}, generic=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help=f"only these: a game, or {', '.join(SCENES)}")
    parser.add_argument("--moves", type=int, default=25, help="own moves before the picture")
    parser.add_argument("--widths", type=int, nargs="*", default=[390, 1440])
    parser.add_argument("--no-end", action="store_true", help="no pictures of result and replay")
    parser.add_argument("--url", help="of a running server")
    arguments = parser.parse_args()
    path = executable()
    if path is None:
        sys.exit("there is no Chromium here (on Debian: apt-get install chromium)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, launched(path) as browser, server(arguments.url, Path(data)) as url:
        camera = Camera(browser, url, arguments.widths)
        games = [each["id"] for each in httpx.get(f"{url}/v1/games").json()["games"]]
        scenes = {**{game: Scene(game) for game in games}, **SCENES}
        if not arguments.games:
            show_lobby(camera)
        for name, scene in scenes.items():
            if not arguments.games or {name, scene.game} & set(arguments.games):
                show_game(camera, name, scene, arguments.moves, whole=not arguments.no_end)


@contextmanager
def server(url: str | None, data: Path) -> Iterator[str]:
    if url:
        yield url
        return
    with (data / "output.log").open("w") as output, Stack(data, output=output) as stack:
        yield stack.url


class Camera:
    """Makes people, and pictures of what they see at every width."""

    def __init__(self, browser: Browser, url: str, widths: list[int]) -> None:
        self.browser, self.url, self.widths = browser, url, widths

    @contextmanager
    def person(self, name: str = "Ada", *, dark: bool = False, polish: bool = False) -> Iterator[Person]:
        person = Person(self.browser, self.url, dark=dark, height=HEIGHT)
        person.enter(name)
        if polish:
            person.page.get_by_role("button", name="Po polsku").click()
        yield person
        for text in person.trouble:
            print(f"the browser says: {text}")
        person.close()

    def shoot(self, person: Person, name: str) -> None:
        page = person.page
        page.mouse.move(0, 0)
        for width in self.widths:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.evaluate("scrollTo(0, 0)")
            path = FOLDER / f"{name}-{width}.png"
            page.screenshot(path=path, full_page=True)
            print(path)
        page.set_viewport_size({"width": 1440, "height": HEIGHT})


def show_lobby(camera: Camera) -> None:
    stranger = Person(camera.browser, camera.url)
    stranger.page.goto(camera.url)
    stranger.page.locator(".game").first.wait_for()
    camera.shoot(stranger, "welcome")
    stranger.close()
    with camera.person("Ada") as ada, camera.person("Bo", dark=True, polish=True) as bo:
        rated_game(ada, bo)
        while not httpx.get(f"{camera.url}/v1/leaderboards/geishas_road").json()["players"]:
            ada.page.wait_for_timeout(100)
        ada.page.goto(f"{camera.url}/#/leaders")
        ada.page.locator(".leaders tbody tr").first.wait_for()
        camera.shoot(ada, "leaders")
        bo.begin_with("tea_garden", {}, [ME, OPEN, GREEDY])
        camera.shoot(bo, "room-polish-dark")
        ada.begin_with("thurn_and_taxis", {}, [ME, OPEN, GREEDY])
        camera.shoot(ada, "room")
        for game in ("river_of_gold", "geishas_road"):
            bo.begin_with(game, {}, [ME, GREEDY])
        ada.begin_with("tea_garden", {}, [ME, GREEDY])
        ada.page.goto(camera.url)
        ada.page.locator("#list-playing ~ .tables a").first.wait_for()
        camera.shoot(ada, "lobby")
        ada.page.get_by_role("button", name="Quick match").first.click()
        ada.page.get_by_label("Rated: only people, no bots").check()
        camera.shoot(ada, "lobby-quick")
        ada.page.get_by_role("button", name="Stop looking").click()
        ada.page.get_by_role("button", name="Friends, options").last.click()
        camera.shoot(ada, "lobby-setup")
        bo.page.goto(camera.url)
        bo.page.locator("#list-mine ~ .tables a").first.wait_for()
        camera.shoot(bo, "lobby-polish-dark")


def rated_game(ada: Person, bo: Person) -> None:
    """Short: who begins gives up, so that both have a rating."""
    ada.begin_with("geishas_road", {}, [ME, OPEN], rated=True)
    bo.page.goto(ada.page.url)
    bo.page.locator(".room .main").first.click()
    ada.page.get_by_role("button", name="Begin the game").click()
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.get_by_text("More", exact=True).click()
    ada.page.get_by_role("button", name="Resign").click()
    ada.page.locator(".outcome").wait_for()


def show_game(camera: Camera, name: str, scene: Scene, moves: int, *, whole: bool) -> None:
    with camera.person(dark=scene.dark, polish=scene.polish) as person:
        if scene.generic:
            person.without_boards()
        person.begin_with(scene.game, scene.options, scene.seats)
        person.wait_for_turn()
        camera.shoot(person, f"{name}-begin")
        person.play(moves)
        person.wait_for_turn()
        camera.shoot(person, name)
        if whole:
            person.play()
            camera.shoot(person, f"{name}-end")
            person.page.locator("a[href^='#/replay/']").click()
            person.page.locator(".replay .board").wait_for()
            half(person)
            camera.shoot(person, f"{name}-replay")


def half(person: Person) -> None:
    """To the middle of a replay."""
    slider = person.page.get_by_role("slider")
    steps = int(slider.get_attribute("max") or 0)
    first = person.version
    slider.fill(str(steps // 2))
    person.page.locator(f".play[data-version='{first + steps // 2}']").wait_for()


if __name__ == "__main__":
    main()
