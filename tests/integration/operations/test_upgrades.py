"""The rules of a game are replaced while tables are in play, by real services that run other versions of them."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from deploy.stack import LOCAL, Stack, free_port
from deploy.supervisor import ROOT, Process
from services.engine import registry
from tests.support.people import GAME, Json, Person, begin, play_on, problem
from tests.support.processes import process, restarted
from tests.support.waiting import until

OTHER_GAME = "thurn_and_taxis"
BOT = {"kind": "bot", "bot": "greedy"}


class SessionClient(Stack):
    """With two games, and nothing that these tests do without."""

    def _plan(self) -> None:
        super()._plan()
        for name in {*registry.names(), "hooks"} - {GAME, OTHER_GAME}:
            del self.processes[name]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of its own: tables of other tests must not see its rules come and go."""
    folder = tmp_path_factory.mktemp("upgrades")
    with (folder / "output.log").open("w") as output:
        env = {"TEAHOUSE_RULES_PATIENCE": "3", "TEAHOUSE_REDELIVER": "1"}
        with SessionClient(folder / "data", sessions=2, search=0, env=env, output=output) as running:
            yield running


def number(process: Process) -> int:
    """Of the rules that it runs."""
    return int(process.command[4]) if process.command[2] == "tests.support.later_rules" else 1


def install(stack: Stack, service: str, wanted: int = 0, **env: str) -> int:
    """That service runs the rules with that number from now on (without one: the next); gives the number."""
    running = stack.processes[service]
    wanted = wanted or number(running) + 1
    module = running.command.index("services.bots" if service.startswith("bots") else f"services.games.{GAME}")
    arguments = running.command[module:]
    running.command = [sys.executable, "-m", "tests.support.later_rules", GAME, str(wanted), *arguments]
    running.env = running.env | env
    stack.restart(service)
    all_have_found_it(stack)
    return wanted


def all_have_found_it(stack: Stack) -> None:
    """Waits until every copy of the session service reaches the rules again, and the gateway every copy."""
    table = {"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}]}

    def answered() -> bool:
        made = httpx.post(f"{stack.url}/v1/players", json={"name": "Ada"})
        token = {"Authorization": f"Bearer {made.json()['token']}"} if made.is_success else {}
        return all(httpx.post(f"{stack.url}/v1/tables", json=table, headers=token).is_success for _ in range(4))

    until(answered)


def renewals(person: Person, table: str) -> list[tuple[int, int]]:
    """From which rules to which others the table went; the numbers alone."""
    lines = person.get(f"/v1/tables/{table}/log", params={"limit": 500}).json()["lines"]
    changes = [event["rules_changed"] for line in lines for event in line["table_events"] if "rules_changed" in event]
    return [(leading(change["from"]), leading(change["to"])) for change in changes]


def leading(rules: str) -> int:
    return int(rules.partition("-")[0])


def verified(person: Person, table: str, number: int, folder: Path) -> str:
    """What an installation with those rules says of the replay."""
    file = folder / f"{table}.json"
    file.write_text(person.get(f"/v1/tables/{table}/replay").text)
    later = [sys.executable, "-m", "tests.support.later_rules", GAME, str(number)]
    command = [*later, "services.engine.verify", str(file)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return answer.stdout + answer.stderr


def against_bot(stack: Stack) -> tuple[str, Person]:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, BOT, options={"starting_seat": 0})
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    return table, ada


def rules_of(person: Person, table: str) -> int:
    return leading(person.get(f"/v1/tables/{table}").json()["rules_version"])


def own_turn(person: Person, table: str) -> Json:
    """The position once the bot has played, or the game is over."""
    until(lambda: bool((now := person.view(table))["legal"]) or now["status"] == "finished")
    return person.view(table)


def left_by_worker(stack: Stack) -> float:
    """Turns that the worker refused, because it has other rules."""
    text = httpx.get(stack.metrics("bots-1"), trust_env=False).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "teahouse_bot_failures_total" and sample.labels["why"] == "rules"
    )


def test_tables_go_on_by_the_new_rules(house: Stack, tmp_path: Path) -> None:
    over, *two = begin(house.url)
    play_on(over, *two, moves=3)
    assert two[0].post(f"/v1/tables/{over}/resign").json()["status"] == "finished"
    table, ada, bob = begin(house.url)
    actor = (ada, bob)[play_on(table, ada, bob, moves=5)["actor"]]
    with_bot, cyd = against_bot(house)
    elsewhere, *others = begin(house.url, game=OTHER_GAME)
    before, last, position = actor.view(table), two[0].view(over), own_turn(cyd, with_bot)
    old, new = rules_of(ada, table), install(house, GAME)

    with actor.socket(table) as live:  # whoever looks first renews the table
        snapshot = json.loads(live.recv())["snapshot"]
    assert snapshot["version"] == before["version"] + 1
    assert [snapshot[part] for part in ("view", "legal", "actor")] == [
        before[part] for part in ("view", "legal", "actor")
    ]
    assert play_on(table, ada, bob)["status"] == "finished"
    assert renewals(ada, table) == [(old, new)]
    assert verified(ada, table, new, tmp_path).startswith("true")

    # Here a move renews the table, and its player does not notice. The worker has the old rules and leaves the turn.
    worker, refused = house.pid("bots-1"), left_by_worker(house)
    while position["legal"]:
        answer = cyd.act(with_bot, position["version"], position["legal"][0])
        assert answer.status_code == 200, answer.text
        position = answer.json()
    until(lambda: left_by_worker(house) > refused)
    assert house.pid("bots-1") == worker
    install(house, "bots-1", new)
    while (position := own_turn(cyd, with_bot))["status"] == "playing":
        assert cyd.act(with_bot, position["version"], position["legal"][0]).status_code == 200
    assert renewals(cyd, with_bot) == [(old, new)]
    assert verified(cyd, with_bot, new, tmp_path).startswith("true")

    play_on(elsewhere, *others, moves=3)
    assert renewals(others[0], elsewhere) == []
    # What was over stays as it was, and can be looked at.
    assert two[0].view(over) == last
    assert rules_of(two[0], over) == old


def test_two_versions_at_the_same_time(house: Stack) -> None:
    """A position goes to the rules that made it, and changes them once: when the last of those is gone."""
    old = number(house.processes[GAME])
    begun, *first = begin(house.url)
    play_on(begun, *first, moves=2)
    port = free_port()
    both = f"{house.env['TEAHOUSE_RULES']},{GAME}={LOCAL}:{port}"
    with (
        process(house, "tests.support.later_rules", port, GAME, str(old + 1), f"services.games.{GAME}"),
        restarted(house, "sessions", "sessions-2", rules=both),
    ):
        all_have_found_it(house)
        play_on(begun, *first, moves=8)
        assert rules_of(first[0], begun) == old
        fresh, *second = begin(house.url)
        play_on(fresh, *second, moves=8)
        house.kill(GAME)
        all_have_found_it(house)
        play_on(begun, *first, moves=6)
        assert renewals(first[0], begun) == [(old, old + 1)]
        # Dealt by the newer rules, or by the older ones before anybody knew of the others; never changed twice.
        play_on(fresh, *second, moves=4)
        assert renewals(second[0], fresh) in ([], [(old, old + 1)])
        assert rules_of(second[0], fresh) == old + 1
        house.supervisor.start([GAME])
    all_have_found_it(house)


def test_tables_that_cannot_go_on_say_so_and_are_closed(house: Stack) -> None:
    table, ada, bob = begin(house.url)
    actor = (ada, bob)[play_on(table, ada, bob, moves=3)["actor"]]
    before = actor.view(table)
    bots = ada.open(BOT, BOT)
    elsewhere, *others = begin(house.url, game=OTHER_GAME)
    with actor.socket(table) as live:
        live.recv()
        house.kill("bots-1")
        assert ada.post(f"/v1/tables/{bots}/start").status_code == 200
        install(house, GAME, UPGRADED="other")
        refused = problem(actor.act(table, before["version"], before["legal"][0]), 503, "GAME_UNAVAILABLE")
        assert "it is closed in" in refused["detail"]
        house.supervisor.start(["bots-1"])
        # Those who watch hear of it, whoever finds out first.
        until(lambda: actor.get(f"/v1/tables/{table}/view").is_success)
        told = [event for event in iter_events(live) if "closed" in event]
    assert told[0]["closed"]["why"] == "rules_changed"
    now = ada.get(f"/v1/tables/{table}").json()
    assert now["status"] == "closed"
    assert "would have come to another position" in now["closed"] or "cannot have come so far" in now["closed"]
    late = problem(actor.act(table, now["version"], before["legal"][0]), 409, "NOT_PLAYING")
    assert now["closed"] in late["detail"]
    # Nobody looks at this one; its bot's turn comes up.
    until(lambda: bool(ada.get(f"/v1/tables/{bots}").json()["status"] == "closed"))
    play_on(elsewhere, *others, moves=3)
    assert renewals(others[0], elsewhere) == []
    new, *two = begin(house.url)
    assert play_on(new, *two, moves=4)["status"] == "playing"


def iter_events(live: ClientConnection) -> Iterator[Json]:
    """What happened to the table, until the socket is closed."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            yield from json.loads(live.recv(timeout=30)).get("update", {}).get("table_events", [])
