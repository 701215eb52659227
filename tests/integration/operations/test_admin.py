"""The operator's commands, as an operator gives them, against the running stack."""

import json
import os
import re
import subprocess
import sys
import time
from typing import Any

import httpx
import pytest
import redis

from deploy.stack import Stack
from services.platform.contracts import CONTRACTS, OPERATORS
from services.sessions.store.keys import outbox as outbox_key
from services.sessions.store.keys import shard
from services.sessions.store.keys import tries as tries_key
from teahouse.v1 import sessions_pb2 as pb
from tests.support.admin import admin, operate
from tests.support.people import Person, begin, play_on
from tests.support.processes import idle_workers
from tests.support.session_client import ME, SessionClient, bot
from tests.support.waiting import until

LATEST = {"starting_seat": 1}  # the bot's seat begins


def told(stack: Stack, *arguments: str) -> Any:
    """What a command prints as JSON."""
    printed, error = operate(stack, *arguments, "--json")
    assert not error
    return json.loads(printed)


def shown(stack: Stack, *arguments: str) -> str:
    printed, error = operate(stack, *arguments)
    assert not error
    return printed


def refused(stack: Stack, *arguments: str) -> str:
    return operate(stack, *arguments)[1]


def ids(found: Any) -> set[str]:
    return {row["table"]["id"] for row in found.get("tables", [])}


def test_tables_are_found_and_inspected_and_nothing_hidden_is_shown(stack: Stack) -> None:
    table, ada, bob = begin(stack.url)
    play_on(table, ada, bob, moves=4)
    private = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    while shard(private) == shard(table):  # a page ends with a shard
        private = ada.open({"kind": "me"}, {"kind": "open"}, visibility="private")
    code = ada.get(f"/v1/tables/{private}").json()["join_code"]
    everything = ("--limit", "100000")
    playing = told(stack, "tables", "--status", "playing", "--game", "geishas_road", *everything)
    assert table in ids(playing)
    assert private not in ids(playing)
    assert private in ids(told(stack, "tables", "--status", "open", *everything))
    assert table not in ids(told(stack, "tables", "--idle", "1h", *everything))
    assert table not in ids(told(stack, "tables", "--game", "tea_garden", *everything))
    assert table in ids(
        told(stack, "tables", "--rules", ada.get(f"/v1/tables/{table}").json()["rules_version"], *everything)
    )
    pages = [told(stack, "tables", "--limit", "1")]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(told(stack, "tables", "--limit", "1", "--cursor", cursor))
    assert len(pages) > 1
    assert {table, private} <= set().union(*map(ids, pages))
    assert table in admin(stack, "tables", "--status", "playing", *everything).stdout  # as an operator gives it

    report = told(stack, "table", table)
    assert report["row"]["table"]["version"] == ada.view(table)["version"]
    assert report["rules_run"] is True
    assert report["bytes"] > 1000
    lines = httpx.get(f"{stack.url}/v1/tables/{table}/log", params={"limit": 500}).json()["lines"]
    spectator = {line["version"]: line["events"] for line in lines}
    assert [line["events"] for line in report["log"]] == [spectator[line["version"]] for line in report["log"]]
    shown = admin(stack, "table", table).stdout + json.dumps(report)
    hands = [
        card for person in (ada, bob) for player in person.view(table)["view"]["players"] for card in player["hand"]
    ]
    assert hands
    assert not [card for card in hands if re.search(rf"\b{card}\b", shown)]
    for output in (admin(stack, "table", private).stdout, json.dumps(told(stack, "table", private))):
        assert private in output
        assert code not in output
    assert "UNKNOWN_TABLE" in refused(stack, "table", "t_nowhere")
    assert "BAD_PAGE" in refused(stack, "tables", "--cursor", "x")


def test_a_stuck_bot_is_found_and_its_turn_handed_out_again(stack: Stack) -> None:
    house, store = SessionClient(stack), redis.Redis.from_url(stack.redis_url)
    ada = house.player()
    with idle_workers(stack):
        table = house.open(ada, ME, bot("random"), options=LATEST).id
        house.call("StartTable", pb.TableRequest(caller=ada, table=table))
        version = house.table(table).version
        until(lambda: table in ids(told(stack, "tables", "--stuck", "--limit", "100000")))
        assert told(stack, "table", table)["row"]["tries"] >= 2
        # Whatever has happened to its place in the outbox.
        store.zrem(outbox_key(shard(table)), table)
        for _ in range(2):
            done = told(stack, "requeue", table)
            assert (done["version"], done["seat"], done["bot"]) == (version, 1, "random")
        assert not store.hexists(tries_key(shard(table)), table)
        again: Any = store.zscore(outbox_key(shard(table)), table)
        assert again > time.time() * 1000
    house.until(table, lambda now: now.actor == 0)
    assert "NO_BOT_DUE" in refused(stack, "requeue", table)
    moves = [line for line in house.log(table) if line.HasField("seat")]
    assert {line.seat for line in moves} == {1}


@pytest.mark.parametrize("started", [False, True])
def test_a_closed_table_tells_its_players_why(stack: Stack, started: bool) -> None:
    ada = Person(stack.url, "Ada")
    table = ada.open({"kind": "me"}, {"kind": "bot", "bot": "greedy"}, clock={"kind": "move", "seconds": 600})
    if started:
        assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    with ada.socket(table) as live, ada.stream("GET", "/v1/players/me/events") as feed:
        live.recv()
        events = feed.iter_lines()
        if started:
            until_told(events, "started")
        assert "closed, at version" in shown(stack, "close", table, "--reason", "The hall  burns.")
        heard = [json.loads(message) for message in live]
        if started:
            until_told(events, "closed")
    happened = [event for message in heard for event in message.get("update", {}).get("table_events", [])]
    assert {"closed": {"why": "operator", "reason": "The hall burns."}} in happened
    assert heard[-1]["update"]["status"] == "closed"
    again = told(stack, "close", table, "--reason", "Another one")
    assert (again["status"], again["closed"]) == ("closed", "The hall burns.")
    now = ada.get(f"/v1/tables/{table}").json()
    assert (now["status"], now["closed"], now["deadline"], now["version"]) == (
        "closed",
        "The hall burns.",
        None,
        again["version"],
    )
    assert table not in json.dumps(ada.get("/v1/tables").json())
    store, number = redis.Redis.from_url(stack.redis_url), shard(table)
    assert store.zscore(outbox_key(number), table) is None
    assert "BAD_REASON" in refused(stack, "close", table, "--reason", "")


def until_told(events: Any, kind: str) -> None:
    for line in events:
        if line.startswith("data:") and json.loads(line[5:])["type"] == kind:
            return
    raise AssertionError(f"nobody told of {kind}")


def test_a_finished_table_keeps_its_result(stack: Stack) -> None:
    table, ada, _ = begin(stack.url)
    assert ada.post(f"/v1/tables/{table}/resign").json()["status"] == "finished"
    assert "NOT_PLAYING" in refused(stack, "close", table, "--reason", "Too late")


def test_retention_is_shown_and_applied(stack: Stack) -> None:
    assert told(stack, "retention", "show")["keep_finished"] == 90 * 86400
    table, ada, _ = begin(stack.url)
    swept = told(stack, "retention", "run")
    assert swept["looked_at"] > 0
    assert ada.get(f"/v1/tables/{table}").status_code == 200
    assert "TEAHOUSE_KEEP_FINISHED" in shown(stack, "retention", "show")


def test_statistics_count_what_is_there(stack: Stack) -> None:
    before = told(stack, "statistics")
    table, ada, bob = begin(stack.url)
    play_on(table, ada, bob, moves=3)
    after = told(stack, "statistics")
    assert counted(after, "geishas_road", "playing") >= 1
    assert after["players"] >= before["players"] + 2
    assert after["keys"]["table"] == sum(each["tables"] for each in after["tables"])
    assert after["keys"]["table:log"] == after["keys"]["table"]
    assert {each["game"] for each in after["rules"]} >= {"geishas_road", "tea_garden"}
    assert after["memory"] > 0
    assert {each["name"] for each in after["queues"]} == {"instant", "search", "hooks"}
    text = shown(stack, "statistics")
    assert "table:log" in text
    assert "Redis:" in text


def counted(statistics: Any, game: str, status: str) -> int:
    return sum(each["tables"] for each in statistics["tables"] if (each["game"], each["status"]) == (game, status))


def test_the_gateway_has_no_way_to_the_operators_calls(stack: Stack) -> None:
    assert OPERATORS not in CONTRACTS
    document = Person(stack.url, "Ada").get("/openapi.json").text
    for method in OPERATORS.methods_by_name:
        assert method not in document


def test_an_operator_without_a_server_is_told_so() -> None:
    command = [sys.executable, "-m", "deploy.admin", "statistics"]
    env = {**os.environ, "TEAHOUSE_SESSIONS": "127.0.0.1:1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
