"""The programs of `make soak` and `make chaos` find what they look for, and `--help` does nothing but help."""

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.stack import Stack
from deploy.supervisor import ROOT
from teahouse.v1 import sessions_pb2 as pb
from tests.campaigns import clock_expiries, leaks, tickets
from tests.support.judge import Table, Verdict, compare

# What another program starts as a process of its own: its arguments are none of a person's.
PARTS = {
    "tests.bench.parts.http",
    "tests.bench.parts.link",
    "tests.support.echo_service",
    "tests.chaos.disk",
    "tests.chaos.clock_shift",
    "tests.chaos.network",
    "tests.support.later_rules",
}


def programs() -> list[str]:
    paths = [path for path in (ROOT / "tests").rglob("*.py") if '\nif __name__ == "__main__":' in path.read_text()]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__") for path in paths}
    return sorted(names - PARTS)


@pytest.mark.parametrize("program", programs())
def test_help_is_help_and_nothing_else(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError(f"{program} --help does something")

    for kind, name in ((Stack, "start"), (Path, "write_text"), (Path, "write_bytes"), (Path, "mkdir")):
        monkeypatch.setattr(kind, name, refuse)
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    monkeypatch.delitem(sys.modules, program, raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("usage: ")


def entry(seat: int, number: int) -> pb.LogEntry:
    return pb.LogEntry(seat=seat, action=json.dumps({"move": number}).encode())


def remembered() -> Table:
    """Versions 2 and 3 are moves of seat 0 that were acknowledged; of version 4 the answer was lost."""
    table = Table("t_x", players=1)
    for version in (2, 3, 4):
        table.tried[version].append((0, {"move": version}))
    table.acknowledged = {version: (0, {"move": version}) for version in (2, 3)}
    return table


OPENED, BOT = pb.LogEntry(), entry(1, 9)


@pytest.mark.parametrize(
    ("log", "lost", "duplicates"),
    [
        ([OPENED, entry(0, 2), entry(0, 3)], 0, 0),
        ([OPENED, entry(0, 2), entry(0, 3), entry(0, 4), BOT], 0, 0),
        ([OPENED, entry(0, 2)], 1, 0),
        ([OPENED, entry(0, 2), BOT], 1, 0),
        ([OPENED, entry(0, 3), entry(0, 2)], 2, 2),
        ([OPENED, entry(0, 2), entry(0, 3), entry(0, 3)], 0, 1),
        ([], 2, 0),
    ],
)
def test_the_judge_counts_what_is_lost_and_what_was_done_twice(
    log: list[pb.LogEntry], lost: int, duplicates: int
) -> None:
    verdict = Verdict()
    compare(remembered(), log, verdict)
    assert (len(verdict.lost), len(verdict.duplicates), verdict.acknowledged) == (lost, duplicates, 2)
    assert bool(verdict.problems) == bool(lost + duplicates)


def test_who_compares_nothing_has_a_problem() -> None:
    assert Verdict().problems


def seated(*players: str, seats: int = 2, status: str = "playing") -> pb.Table:
    table = pb.Table(id="t_x", game=tickets.DUEL, status=status)
    for player in players:
        table.seats.add(kind="player").player.id = player
    while len(table.seats) < seats:
        table.seats.add(kind="bot", bot="random")
    return table


def matched(player: str, table: str = "t_x") -> tickets.Party:
    return tickets.Party([player], [], None, player, table, "matched", {(tickets.DUEL, 2)})


def two_tickets() -> list[tickets.Party]:
    return [matched("a"), matched("b")]


def seat_twice(parties: list[tickets.Party]) -> dict[str, pb.Table]:
    parties += [matched("a", "t_y"), matched("d", "t_y")]
    return {"t_x": seated("a", "b"), "t_y": seated("a", "d")}


def lose(parties: list[tickets.Party]) -> dict[str, pb.Table]:
    parties.append(tickets.Party(["c"], [], None, "c"))
    return {"t_x": seated("a", "b")}


@pytest.mark.parametrize(
    "arrange",
    [
        lose,
        seat_twice,
        lambda parties: {"t_x": seated("a", "a")},
        lambda parties: {"t_x": seated("a", "b", seats=3)},
        lambda parties: {"t_x": seated("a", "b", status="open")},
        lambda parties: {"t_x": seated("a", "b"), "t_y": seated("a", "b")},
        lambda parties: {},
    ],
    ids=["lost", "at two tables", "twice at a table", "seats", "not begun", "a table too many", "no table"],
)
def test_tickets_that_went_wrong_are_found(arrange: Callable[[list[tickets.Party]], dict[str, pb.Table]]) -> None:
    parties = two_tickets()
    assert ", 0 lost" in tickets.check(parties, {"t_x": seated("a", "b")})
    tables = arrange(parties)
    with pytest.raises((AssertionError, ValueError)):
        tickets.check(parties, tables)


def expired(at: int, *seats: int, why: str = "timeout") -> pb.LogLine:
    events = [{"stand_in": {"seat": seat, "bot": "greedy", "why": why}} for seat in seats]
    return pb.LogLine(at=at, table_events=json.dumps(events).encode())


@pytest.mark.parametrize(
    ("lines", "right"),
    [
        ([expired(0), expired(1005, 0), expired(2010, 1)], True),
        ([expired(0), expired(1005, 0)], False),
        ([expired(0), expired(1005, 0), expired(2010, 0)], False),
        ([expired(0), expired(1005, 0, 1), expired(2010, 1)], False),
        ([expired(0), expired(900, 0), expired(1950, 1)], False),
        ([expired(0), expired(1005, 0), expired(4100, 1)], False),
        ([expired(0), expired(1005, 0, why="left"), expired(2010, 1)], False),
    ],
    ids=["right", "one is missing", "the same twice", "thrice", "early", "late", "for another reason"],
)
def test_expiries_that_went_wrong_are_found(lines: list[pb.LogLine], right: bool) -> None:
    report = clock_expiries.Report()
    clock_expiries.check(report, lines, "bot", "t_x")
    assert bool(report.wrong) != right


def soaked(**changed: Any) -> list[str]:
    """What the soak says of a run; without a change all is well."""
    run = leaks.Soak.__new__(leaks.Soak)
    steady = [100.0] * 10
    vars(run).update(memory={"gateway": steady}, keys=[10] * 10, store=steady, moves=5, tables_seen=True)
    vars(run).update(changed)
    return run.judge()


def test_a_soak_that_went_wrong_is_found() -> None:
    growing = [100.0 * 1.02**minute for minute in range(10)]
    assert soaked() == []
    assert "gateway grew" in soaked(memory={"gateway": growing})[0]
    assert "memory of Redis" in soaked(store=[1.0, 1, 1, 1, 1, 1, 1, 1, 2, 2])[0]
    for nothing in ({"moves": 0}, {"tables_seen": False}, {"keys": [10] * 3}):
        assert "too little" in soaked(**nothing)[0]
