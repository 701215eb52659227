"""Whoever follows docs/adding-a-game.md has a fifth game: every command of the page, in a copy of the project."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from playwright.sync_api import Browser, expect

from deploy.stack import free_port
from deploy.supervisor import ROOT
from tests.browser.person import Person as Visitor
from tests.support.people import Person, problem

GAME = "paper_boats"
ME, MEDIUM, GREEDY = {"kind": "me"}, {"kind": "bot", "bot": "medium"}, {"kind": "bot", "bot": "greedy"}
RUN = "make run"


def commands() -> list[str]:
    page = (ROOT / "docs" / "adding-a-game.md").read_text()
    blocks = re.findall(r"^```bash\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return "".join(blocks).splitlines()


MAKE, *REST = (command for command in commands() if command != RUN)


class Copy:
    """The project in another folder, with the environment of this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        for file in filter(None, files):
            # Links to the contents would let `make format` change this project.
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-pP", ROOT / file, folder / file], check=(ROOT / file).exists())
        (folder / ".venv").symlink_to(sys.prefix)
        # `make` and pytest tell what they start about themselves.
        hints = ("MAKE", "MFLAGS", "PYTEST", "TEAHOUSE", "VENV", "PYTHONPATH")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(hints)}

    def run(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def contents(self) -> dict[str, bytes]:
        """What git would keep: neither the environment nor what is generated."""
        skipped = (".venv", "teahouse", "build", "var")
        files = (path for path in self.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        found = {str(path.relative_to(self.folder)): path for path in files}
        return {name: path.read_bytes() for name, path in found.items() if not name.startswith(skipped)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Copy, dict[str, bytes]]:
    """The copy after the first command, and what was in it before."""
    copy = Copy(tmp_path_factory.mktemp("newcomer"))
    before = copy.contents()
    copy.run(MAKE)
    return copy, before


@pytest.fixture(scope="module")
def url(made: tuple[Copy, dict[str, bytes]]) -> Iterator[str]:
    """`make run`, until Ctrl-C."""
    copy, _ = made
    env = {**copy.env, "TEAHOUSE_PORT": str(free_port())}
    output = copy.folder / "run.log"
    with output.open("w") as log:
        running = subprocess.Popen(
            RUN.split(), cwd=copy.folder, env=env, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    assert running.stdout
    found = next((line for line in running.stdout if "Teahouse is ready" in line), "")
    try:
        assert found, f"{RUN}: {output.read_text()[-3000:]}"
        yield found.split()[3]
    finally:
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=60)


def test_a_new_game_changes_no_other_file(made: tuple[Copy, dict[str, bytes]]) -> None:
    copy, before = made
    after = copy.contents()
    assert {name: after.get(name) for name in before} == before
    new = after.keys() - before.keys()
    assert f"services/games/{GAME}/game.py" in new
    assert all(GAME in name or "paper-boats" in name for name in new)
    assert not any(b"starter" in after[name].lower() for name in new)


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "make new-game NAME="), ("Paper-Boats", "expected words of small letters"), (GAME, "is there already")],
)
def test_a_name_that_is_none_or_in_use_is_refused(made: tuple[Copy, dict[str, bytes]], name: str, said: str) -> None:
    copy, _ = made
    command = ["make", "new-game", f"NAME={name}"]
    refused = subprocess.run(command, cwd=copy.folder, env=copy.env, capture_output=True, text=True)
    assert refused.returncode != 0 and said in refused.stderr, refused.stderr


def test_a_person_plays_it_against_medium_through_the_gateway(made: tuple[Copy, dict[str, bytes]], url: str) -> None:
    ada = Person(url, "Ada")
    games = {game["id"]: game for game in ada.get("/v1/games").json()["games"]}
    assert len(games) == 5 and games[GAME]["title"] == {"en": "Paper Boats", "pl": "Gra na początek"}
    view = jsonschema.Draft202012Validator(ada.get(f"/v1/games/{GAME}").json()["schemas"]["view"])
    table = ada.open(ME, MEDIUM, game=GAME, options={"rounds": 3})
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    chance, events, taken_back = random.Random(1), [], False
    with ada.socket(table) as socket:
        position = json.loads(socket.recv(timeout=30))["snapshot"]
        while position["status"] == "playing":
            view.validate(position["view"])
            own, other = position["view"]["players"]
            assert own["hand_size"] == len(own["hand"]) and other["hand"] == [] == other["hidden"]
            if position["legal"]:
                action = chance.choice(position["legal"])
                if "lay" in action and not taken_back:
                    # Nothing was revealed by choosing a card.
                    undone = ada.post(f"/v1/tables/{table}/undo", json={"version": position["version"]})
                    assert undone.status_code == 200, undone.text
                    taken_back = undone.json()["view"]["phase"] == "choose"
                else:
                    acted = ada.act(table, position["version"], action)
                    assert acted.status_code == 200, acted.text
            position = newer(socket, position["version"])
            events += position["events"]
    assert taken_back
    drawn = [event["drew"] for event in events if "drew" in event]
    assert {(event["seat"], bool(event["card"])) for event in drawn} == {(0, True), (1, False)}
    assert "turned_up" in events[-1]
    replay = made[0].folder / "replay.json"
    replay.write_text(ada.get(f"/v1/tables/{table}/replay").text)
    assert made[0].run(".venv/bin/python -m services.engine.verify replay.json").startswith(f"true: {GAME}")


def newer(socket: Any, seen: int) -> dict[str, Any]:
    while True:
        message = json.loads(socket.recv(timeout=60))
        if "update" in message and message["update"]["version"] > seen:
            update: dict[str, Any] = message["update"]
            return update


def test_its_options_are_checked_like_those_of_every_game(url: str) -> None:
    refused = Person(url, "Ada").post(
        "/v1/tables", json={"game": GAME, "options": {"rounds": 9}, "seats": [ME, GREEDY]}
    )
    assert "rounds" in problem(refused, 422, "BAD_OPTIONS")["detail"]


@pytest.mark.parametrize("command", REST)
def test_every_other_command_of_the_page_works(made: tuple[Copy, dict[str, bytes]], command: str) -> None:
    made[0].run(command)


def test_it_is_clean_to_the_linters(made: tuple[Copy, dict[str, bytes]]) -> None:
    copy, _ = made
    copy.run(".venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/lint-imports --no-cache")
    copy.run(f".venv/bin/mypy services/games/{GAME} tests/unit/{GAME}")


def test_a_whole_game_in_the_web_table_by_clicks_alone(url: str, browser: Browser) -> None:
    ada = Visitor(browser, url)
    ada.enter()
    ada.begin_with(GAME, {}, [ME, GREEDY, MEDIUM])
    assert ada.wait_for_turn()
    expect(ada.page.locator(".question")).to_contain_text("Which card will you lay?")
    assert ada.play() == 2 * 4
    expect(ada.page.locator(".outcome")).to_contain_text("The best card laid face down")
    assert ada.problems() == []
    assert ada.trouble == []
    ada.close()
