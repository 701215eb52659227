"""The programs in examples/ do what they say, each in under 80 lines."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from deploy.stack import Stack, free_port
from deploy.supervisor import ROOT
from tests.support.people import GAME, Person
from tests.support.required_tools import missing
from tests.support.waiting import until

EXAMPLES = ROOT / "examples"
ENV = os.environ | {"NO_PROXY": "*", "no_proxy": "*"}
LONGEST = 150
SESSIONS = ("sessions", "sessions-2")


@pytest.fixture(scope="module")
def node() -> str:
    """Skips where there is no Node of version 20 or newer, which is a failure if REQUIRE_NODE=1."""
    command = shutil.which("node")
    version = subprocess.run([command, "--version"], capture_output=True, text=True).stdout if command else ""
    if command and int(version.removeprefix("v").partition(".")[0]) >= 20:
        return command
    return missing(f"Node 20 or newer is needed; there is {version.strip() or 'none'}", "REQUIRE_NODE")


def run(*command: str, typed: str = "") -> str:
    ended = subprocess.run(command, env=ENV, cwd=ROOT, input=typed, capture_output=True, text=True, timeout=LONGEST)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    return ended.stdout


def begun(*command: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, env=ENV, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@contextmanager
def house_bot(stack: Stack, name: str, token: Path) -> Iterator["subprocess.Popen[str]"]:
    """The example of a bot account, once it offers itself."""
    command = (sys.executable, "examples/house_bot.py", "--url", stack.url, "--name", name, "--token", str(token))
    process = begun(*command)
    try:
        until(lambda: name in httpx.get(f"{stack.url}/v1/bots").text)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("path", sorted(filter(Path.is_file, EXAMPLES.iterdir())), ids=lambda path: path.name)
def test_an_example_has_fewer_than_80_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 80


@pytest.mark.parametrize("game", ["geishas_road", "river_of_gold", "tea_garden"])
def test_the_python_bot_wins(stack: Stack, game: str) -> None:
    said = run(sys.executable, "-S", "examples/bot.py", "--url", stack.url, "--game", game)
    assert re.search(r"^place 1, scores \[\d+, \d+\]$", said, re.MULTILINE)


def test_the_javascript_bot_wins_a_game(stack: Stack, node: str) -> None:
    assert f"won 1 of {GAME}" in run(node, "examples/bot.mjs", "--url", stack.url)


@pytest.mark.parametrize("program", ["bot.py", "bot.mjs"])
def test_a_bot_goes_on_when_the_server_was_away(stack: Stack, node: str, program: str) -> None:
    before = playing(stack)
    bot = begun(node if program.endswith("mjs") else sys.executable, f"examples/{program}", "--url", stack.url)
    try:
        until(lambda: playing(stack) - before, "a game of the bot")
        for _ in range(3):
            for copy in SESSIONS:
                stack.kill(copy)
            assert bot.poll() is None, "it was no longer in a game"
            for copy in SESSIONS:
                stack.restart(copy)
            time.sleep(0.1)  # it goes on a little
        said, _ = bot.communicate(timeout=LONGEST)
    finally:
        bot.kill()
    assert "place 1," in said


def playing(stack: Stack) -> set[str]:
    """The newest tables in play."""
    listed = httpx.get(f"{stack.url}/v1/tables", params={"status": "playing", "limit": 100}).json()
    return {table["id"] for table in listed["tables"]}


class Lossy(BaseHTTPRequestHandler):
    """A server whose answers are lost for a while, which cannot be had from a real one at the right moment."""

    answers: Iterator[tuple[int, dict[str, str]]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        status, body = next(self.answers)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def do_GET(self) -> None:
        self.do_POST()


@pytest.mark.parametrize("program", ["bot.py", "bot.mjs"])
def test_a_bot_asks_again_when_an_answer_was_lost(node: str, program: str) -> None:
    Lossy.answers = iter([(201, {"token": "t"}), (504, {}), (502, {}), (403, {"detail": "enough of it"})])
    command = node if program.endswith("mjs") else sys.executable
    with HTTPServer(("127.0.0.1", 0), Lossy) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        ended = subprocess.run(
            [command, f"examples/{program}", "--url", url], env=ENV, cwd=ROOT, capture_output=True, timeout=LONGEST
        )
        server.shutdown()
    assert b"enough of it" in ended.stderr


def test_two_bots_in_two_languages_meet_at_a_persons_table(stack: Stack, node: str, tmp_path: Path) -> None:
    """Somebody opens a table, seats a bot account there by its name, and leaves the other seat to whoever comes."""
    host = Person(stack.url, "Host")
    table = host.open({"kind": "open"}, {"kind": "open"})
    with house_bot(stack, "Marvin", tmp_path / "token") as marvin:
        seated = host.put(f"/v1/tables/{table}/seats/0", json={"kind": "player", "player": "Marvin"})
        assert seated.status_code == 200, seated.text
        other = begun(node, "examples/bot.mjs", "--url", stack.url, "--table", table)
        until(lambda: host.get(f"/v1/tables/{table}").json()["seats"][1]["kind"] == "player")
        assert host.post(f"/v1/tables/{table}/start").status_code == 200
        said, _ = other.communicate(timeout=LONGEST)
        assert said.startswith("place ")
        assert marvin.stdout
        assert marvin.stdout.readline().startswith("place ")
    assert marvin.stdout.read() == ""
    assert host.get(f"/v1/tables/{table}").json()["status"] == "finished"


def test_a_bot_account_plays_at_two_tables_and_goes_on_after_it_was_away(stack: Stack, tmp_path: Path) -> None:
    hosts = [Person(stack.url, name) for name in ("One", "Two")]
    token, name = tmp_path / "token", "Deep Thought"

    def begin(host: Person) -> str:
        table = host.open({"kind": "me"}, {"kind": "open"}, options={"starting_seat": 1})
        host.put(f"/v1/tables/{table}/seats/1", json={"kind": "player", "player": name}).raise_for_status()
        assert host.post(f"/v1/tables/{table}/start").status_code == 200
        return table

    def moved(host: Person, table: str) -> None:
        until(lambda: host.view(table)["actor"] == 0)

    with house_bot(stack, name, token):
        first = begin(hosts[0])
        moved(hosts[0], first)
        second = begin(hosts[1])
        moved(hosts[1], second)
    assert token.stat().st_mode & 0o077 == 0
    while (position := hosts[1].view(second))["actor"] == 0:
        assert hosts[1].act(second, position["version"], position["legal"][0]).status_code == 200
    with house_bot(stack, name, token) as process:
        moved(hosts[1], second)
        hosts[0].post(f"/v1/tables/{first}/resign")
        assert process.stdout
        assert process.stdout.readline().startswith("place 1,")
        assert process.poll() is None, "it waits for the next host"


def test_a_wrong_wish_is_explained(stack: Stack) -> None:
    command = [sys.executable, "examples/bot.py", "--url", stack.url, "--game", "chess"]
    ended = subprocess.run(command, env=ENV, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
    assert ended.returncode == 1
    assert "there is no game 'chess'" in ended.stderr


@pytest.mark.parametrize("program", ["bot.py", "bot.mjs", "terminal.py"])
def test_a_server_that_does_not_answer_is_named(program: str, node: str) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    command = [node if program.endswith("mjs") else sys.executable, f"examples/{program}", "--url", url]
    ended = subprocess.run(command, env=ENV, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
    assert ended.returncode == 1
    assert f"no server answers at {url}" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("language", ["en", "pl"])
def test_somebody_plays_in_the_terminal(stack: Stack, language: str) -> None:
    command = [sys.executable, "examples/terminal.py", "--url", stack.url, "--language", language]
    words = httpx.get(f"{stack.url}/v1/games/{GAME}").json()["texts"][language]
    names = [each["id"] for each in httpx.get(f"{stack.url}/v1/games").json()["games"]]
    typed = f"{names.index(GAME) + 1}\nnonsense\n0\nv\n" + "1\n" * 500
    said = run(*command, typed=typed)
    assert said.count("[1-4]: ") >= 2  # the four games; the four markers of the first turn
    assert '"active_seat"' in said  # the whole position, asked for with v
    assert words["action.use"].partition("{")[0] in said
    assert said.splitlines()[-1] in words.values()


def test_the_terminal_speaks_of_cities_by_their_names(stack: Stack) -> None:
    said = run(
        *(sys.executable, "examples/terminal.py", "--url", stack.url, "--game", "thurn_and_taxis", "--language", "pl"),
        typed="1\n1\n1\n",
    )
    words = httpx.get(f"{stack.url}/v1/games/thurn_and_taxis").json()["texts"]["pl"]
    cities = [text for key, text in words.items() if key.startswith("city.")]
    shown = re.findall(r"^  display: 0: (.*)$", said, re.MULTILINE)
    assert re.split(r", \d: ", shown[0])[5] in cities
    assert words["action.start"].partition("{")[0] in said
    assert "muenchen" not in said


def test_somebody_leaves_the_terminal(stack: Stack) -> None:
    for typed in ("q\n", ""):
        run(sys.executable, "examples/terminal.py", "--url", stack.url, "--game", GAME, typed=typed)


@pytest.fixture
def receiver() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The webhook receiver and its address."""
    port = free_port()
    command = [sys.executable, "examples/webhook.py", "--port", str(port)]
    env = ENV | {"TEAHOUSE_WEBHOOK_SECRET": "s3cret"}
    process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    assert "waiting on" in process.stderr.readline()
    yield f"http://127.0.0.1:{port}/", process
    process.kill()
    process.wait()


def sign(body: bytes, at: int, secret: str = "s3cret") -> dict[str, str]:
    signature = hmac.new(secret.encode(), b"%d.%b" % (at, body), hashlib.sha256).hexdigest()
    return {"Teahouse-Signature": f"t={at},v1={signature}"}


def test_the_webhook_receiver_prints_what_is_signed_and_refuses_the_rest(
    receiver: tuple[str, "subprocess.Popen[str]"],
) -> None:
    url, process = receiver
    now = int(time.time())
    body = json.dumps({"type": "your_turn", "table": "t_4hXc"}).encode()
    wrong = [
        {},
        sign(body, now, "other"),
        sign(b"another body", now),
        sign(body, now - 3600),
        sign(body, now + 3600),
        {"Teahouse-Signature": "t=,v1="},
        {"Teahouse-Signature": f"t={now}"},
        {"Teahouse-Signature": "nonsense"},
    ]
    for headers in wrong:
        assert httpx.post(url, content=body, headers=headers).status_code == 401
    assert httpx.post(url, content=body, headers=sign(body, now)).status_code == 204
    assert process.stdout
    assert json.loads(process.stdout.readline()) == {"type": "your_turn", "table": "t_4hXc"}
