"""One move, followed through every service: in a trace, and by its request's id in the logs; and what neither tells."""

import json
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from deploy.stack import Stack
from services.games.geishas_road.components import CARDS
from services.platform.pool.celery_app import INSTANT
from tests.integration.collector import Collector, Heard, collector
from tests.integration.copies import Application, until
from tests.integration.people import GAME, Json, Person, problem, socket

CLIENT = "b7ad6b7169203331"
SERVICES = {"gateway", "sessions", GAME, "bots"}
ME, BOT = {"kind": "me"}, {"kind": "bot", "bot": "greedy"}


class Watched(Stack):
    """A stack with traces, whose logs tell all."""

    def __init__(self, folder: Path, collecting: Collector) -> None:
        self.log = folder / "output.log"
        env = {
            "TEAHOUSE_TRACES": collecting.url,
            "TEAHOUSE_LOG_LEVEL": "DEBUG",
            "TEAHOUSE_LOG_FORMAT": "json",
            "TEAHOUSE_REDELIVER": "1",
        }
        super().__init__(folder / "data", search=0, env=env, output=self.log.open("w"))

    def lines(self, request: str = "") -> list[Json]:
        """What was logged, or only what was for one request."""
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{") and line.endswith("}")]
        read: list[Json] = [json.loads(line) for line in lines]
        return [line for line in read if line.get("request") == request] if request else read


@pytest.fixture(scope="module")
def collecting() -> Iterator[Collector]:
    with collector() as one:
        yield one


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, collecting: Collector) -> Iterator[Watched]:
    stack = Watched(tmp_path_factory.mktemp("watched"), collecting)
    with stack:
        yield stack
        stack.kill("hooks")  # it takes its time


@pytest.fixture(scope="module")
def ada(watched: Watched) -> Person:
    return Person(watched.url, "Ada")


def begin(ada: Person, **more: Any) -> tuple[str, Json]:
    """A table where Ada begins against a bot."""
    table = ada.open(ME, BOT, options={"starting_seat": 0}, **more)
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200
    return table, ada.view(table)


def move_on(ada: Person, table: str, position: Json, name: str) -> tuple[str, str, int]:
    """Acts until the bot has the decision: the trace and the request's id of that last move, and its version."""
    for number in range(100):
        trace, request = secrets.token_hex(16), f"{name}-{number}"
        headers = {"traceparent": f"00-{trace}-{CLIENT}-01", "X-Request-Id": request}
        answer = ada.act(table, position["version"], position["legal"][0], **headers)
        assert answer.status_code == 200, answer.text
        assert answer.headers["X-Request-Id"] == request
        position = answer.json()
        if not position["legal"]:
            return trace, request, position["version"]
    raise AssertionError("the bot never has the decision")


def connected(spans: list[Heard]) -> bool:
    """Nothing is missing between them."""
    known = {each.span.span_id.hex() for each in spans} | {CLIENT}
    return bool(spans) and all(each.span.parent_span_id.hex() in known for each in spans)


def chain(spans: list[Heard], last: Heard) -> list[tuple[str, str]]:
    """Service and name of each span from the first to that one."""
    found, by_id = [last], {each.span.span_id: each for each in spans}
    while parent := by_id.get(found[0].span.parent_span_id):
        found.insert(0, parent)
    return [(each.service, each.span.name) for each in found]


def test_a_move_and_the_bots_answer_to_it_are_one_trace(ada: Person, collecting: Collector) -> None:
    table, position = begin(ada)
    trace, request, version = move_on(ada, table, position, "traced")

    to_sessions = [("gateway", "POST /v1/tables/{table}/actions"), ("gateway", "Act"), ("sessions", "Act")]
    to_bots = [*to_sessions, ("sessions", "bots.play"), ("bots", "bots.play")]
    as_bot = [*to_bots, ("bots", "ActAsBot"), ("sessions", "ActAsBot")]
    ends = [[("sessions", "Act"), (GAME, "Act")], [("sessions", "EVALSHA")]]
    wanted = [[*path, *end] for path in (to_sessions, as_bot) for end in ends]

    def complete(spans: list[Heard]) -> bool:
        chains = [chain(spans, each) for each in spans]
        return connected(spans) and all(each in chains for each in wanted)

    spans = collecting.until(trace, complete)
    assert {each.service for each in spans} == SERVICES
    assert {each.about["teahouse.request_id"] for each in spans} == {request}
    assert all(each.span.end_time_unix_nano > each.span.start_time_unix_nano for each in spans)
    [taken] = [each for each in spans if chain(spans, each) == to_sessions]
    assert (taken.about["teahouse.table"], taken.about["teahouse.version"]) == (table, version - 1)


def test_a_message_on_a_socket_is_a_request_and_a_trace(ada: Person, watched: Watched, collecting: Collector) -> None:
    table, position = begin(ada)
    with socket(watched.url, table, token=ada.token) as live:
        assert live.response
        own = live.response.headers["X-Request-Id"]
        live.recv(timeout=30)
        live.send(json.dumps({"act": {"id": "a", "version": 0, "action": position["legal"][0]}}))
        while "error" not in (told := json.loads(live.recv(timeout=30))):
            pass  # who is there may be told first
        refused = told["error"]
        assert (refused["reason"], refused["request_id"]) == ("STALE_VERSION", f"{own}.1")
        live.send(json.dumps({"act": {"id": "b", "version": position["version"], "action": position["legal"][0]}}))
        until(lambda: "ack" in json.loads(live.recv(timeout=30)))
    until(lambda: len(messages(collecting, own)) == 2)
    first, second = messages(collecting, own)
    assert first.trace != second.trace
    assert (first.span.name, first.about["error.type"]) == ("SOCKET act", "STALE_VERSION")
    collecting.until(second.trace, lambda spans: {each.service for each in spans} >= {"gateway", "sessions", GAME})


def messages(collecting: Collector, request: str) -> list[Heard]:
    return sorted(
        (
            each
            for each in collecting.heard
            if each.about.get("teahouse.request_id") in (f"{request}.1", f"{request}.2")
            and each.span.name == "SOCKET act"
        ),
        key=lambda each: each.span.start_time_unix_nano,
    )


def test_turns_that_nobody_waits_for_have_traces_of_their_own(ada: Person, collecting: Collector) -> None:
    table = ada.open(BOT, BOT)
    assert ada.post(f"/v1/tables/{table}/start").status_code == 200

    def turns() -> list[Heard]:
        mine = [each for each in collecting.heard if each.about.get("teahouse.table") == table]
        return [each for each in mine if each.service == "bots"]

    until(lambda: len(turns()) >= 3)
    for turn in turns()[:3]:
        assert len(turn.span.links) == 1
        assert turn.span.links[0].trace_id != turn.span.trace_id
    assert len({turn.trace for turn in turns()[:3]}) == 3


def test_the_log_follows_a_request_through_the_services(ada: Person, watched: Watched) -> None:
    table, position = begin(ada)
    _, request, version = move_on(ada, table, position, "logged")
    until(lambda: {line["service"] for line in watched.lines(request)} >= SERVICES)
    lines = watched.lines(request)
    [written] = [line for line in lines if line["message"] == "a move is written" and line["version"] == version]
    assert (written["service"], written["table"], written["seat"]) == ("sessions", table, 0)
    [answered] = [line for line in lines if line["service"] == "gateway"]
    assert answered["message"].startswith("POST /v1/tables/{table}/actions answered 200 after ")
    assert answered["table"] == table
    until(lambda: bool(played(watched, request)))
    turn = played(watched, request)[0]
    assert (turn["table"], turn["seat"], turn["version"]) == (table, 1, version)


def played(watched: Watched, request: str) -> list[Json]:
    lines = watched.lines(request)
    return [line for line in lines if line["message"] == "bots.play OK" and "seat" in line]


def test_every_answer_has_a_request_id(ada: Person) -> None:
    ids = set()
    for answer in (ada.get("/healthz"), ada.get("/v1/games"), ada.get("/nowhere"), ada.options("/v1/tables")):
        ids.add(answer.headers["X-Request-Id"])
    assert len(ids) == 4
    for unfit in (b"", b"two words", b"x" * 65, b"na\xefve"):
        answer = ada.get("/v1/tables/t_none", headers={b"X-Request-Id": unfit})
        told = problem(answer, 404, "UNKNOWN_TABLE")
        assert re.fullmatch("[0-9a-f]{32}", told["request_id"])
        assert answer.headers["X-Request-Id"] == told["request_id"]
    assert (
        ada.get("/v1/tables/t_none", headers={"X-Request-Id": "my:own-id_1.2"}).json()["request_id"] == "my:own-id_1.2"
    )
    # A traceparent that is none begins a trace of its own.
    assert ada.get("/v1/games", headers={"traceparent": "00-nonsense"}).status_code == 200


def test_neither_logs_nor_traces_tell_what_is_secret_or_hidden(
    ada: Person, watched: Watched, collecting: Collector
) -> None:
    application = Application(watched)
    assert application.get("/v1/games").status_code == 200
    table, position = begin(ada, visibility="private")
    code = ada.get(f"/v1/tables/{table}").json()["join_code"]
    bob = Person(watched.url, "Bob")
    assert bob.get(f"/v1/tables/{table}", headers={"X-Join-Code": code}).status_code == 200
    assert ada.act(table, position["version"], {"reveal": {"card": CARDS[0]}}).status_code == 422
    with ada.socket(table) as live:
        while position["status"] == "playing":
            if position["legal"]:
                body = {"id": "m", "version": position["version"], "action": position["legal"][-1]}
                live.send(json.dumps({"act": body}))
            told = json.loads(live.recv(timeout=60))
            position = told.get("update") or told.get("snapshot") or position | {"legal": []}
    replay = ada.get(f"/v1/tables/{table}/replay").json()
    assert (
        ada.get(f"/v1/tables/{table}/events", params={"token": ada.token, "after": position["version"]}).status_code
        == 204
    )
    hidden = [ada.token, bob.token, application.key, code, replay["seed"], *CARDS]
    assert any(card in json.dumps(replay["actions"]) for card in CARDS)
    until(
        lambda: any(
            line.get("version") == position["version"] and line.get("table") == table for line in watched.lines()
        )
    )
    last = {"teahouse.table": table, "teahouse.version": position["version"] - 1}
    until(lambda: any(last.items() <= each.about.items() for each in collecting.heard[:]))
    written = watched.log.read_text()
    exported = b"".join(each.span.SerializeToString() for each in collecting.heard)
    assert written.count(table) > position["version"]
    for secret in hidden:
        assert secret not in written
        assert secret.encode() not in exported


def test_a_turn_that_is_handed_out_again_still_knows_its_cause(ada: Person, watched: Watched) -> None:
    """The last test here: no bot plays after it."""
    table, position = begin(ada)
    watched.kill("bots-1")
    _, request, version = move_on(ada, table, position, "again")
    with Redis.from_url(watched.redis_url) as broker:
        until(lambda: bool(broker.delete(INSTANT)))

    def again() -> list[Json]:
        return [line for line in watched.lines(request) if "handed out again" in line["message"]]

    until(lambda: bool(again()))
    assert (again()[0]["table"], again()[0]["seat"], again()[0]["version"]) == (table, 1, version)
