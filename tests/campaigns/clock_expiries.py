"""Tables with clocks of one second at which nobody acts: every expiry is handled once, and in time.

`make test` takes a few tables and kills every session service in the middle; `python -m tests.campaigns.clock_expiries`
(in `make soak`) takes 500, once with all services running and once with all session services killed and started again.
"""

import argparse
import contextlib
import json
import sys
import time
from dataclasses import dataclass, field
from statistics import median

import grpc

from deploy.stack import Stack
from services.platform.errors import Refusal
from teahouse.v1 import sessions_pb2 as pb
from tests.support.processes import own_stack
from tests.support.session_client import SessionClient

SECOND = 1000
# Milliseconds within which a deadline is handled.
PROMISE = 1000


@dataclass
class Report:
    tables: int = 0
    expiries: int = 0
    # Of each expiry: milliseconds from the deadline to the entry in the log.
    late: list[int] = field(default_factory=list)
    # The same of deadlines that passed while no session service ran, or so shortly before that nobody got to them.
    late_while_away: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    # Milliseconds since 1970 at which the session services were killed, and at which they ran again.
    gone: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        text = f"{self.tables} tables, {self.expiries} expiries handled once each"
        if self.late:
            text += f", {median(self.late):.0f} ms late in the middle and {max(self.late)} ms at the most"
        if self.late_while_away:
            text += f"; {len(self.late_while_away)} fell due while all sessions were away, and were handled up to "
            text += f"{max(self.late_while_away)} ms late"
        return text + (f"; WRONG: {self.wrong[:5]}" if self.wrong else "")


def expire(stack: Stack, tables: int, away: float = 0.0) -> Report:
    """Starts the tables, with `away` kills all sessions for so many seconds, and checks what the logs tell."""
    house = SessionClient(stack)
    # Few tables have bots in the end: it is not their speed that is asked for here.
    rules = ["bot" if number % 4 == 0 else "resign" for number in range(tables)]
    gathered = [house.gather(2, clock=pb.Clock(kind="move", seconds=1, on_timeout=rule)) for rule in rules]
    requests = [pb.TableRequest(caller=players[0], table=table) for table, players in gathered]
    for call in [house.stub.StartTable.future(request, timeout=60) for request in requests]:
        call.result()
    report = Report(tables=tables)
    if away:
        report.gone = restart_all(stack, away)
    for rule, (table, players) in zip(rules, gathered, strict=True):
        house.until(table, lambda found: found.status == "finished" or all(seat.stand_in for seat in found.seats))
        with contextlib.suppress(Refusal):  # the game may have come to its end
            house.call("Resign", pb.TableRequest(caller=players[0], table=table))
        check(report, house.log(table), rule, table)
    if away and not report.late_while_away:
        report.wrong.append("no deadline passed while the session services were away")
    return report


def restart_all(stack: Stack, away: float) -> tuple[int, int]:
    """Kills every session service and starts it again; gives the time in between, in milliseconds since 1970."""
    names = [name for name in stack.processes if name.startswith("sessions")]
    since = int(time.time() * SECOND)
    for name in names:
        stack.kill(name)
    time.sleep(away)
    for name in names:
        stack.restart(name)
    return since, int(time.time() * SECOND)


def check(report: Report, lines: list[pb.LogLine], rule: str, table: str) -> None:
    """One expiry for each seat that had the decision as a person, and none beside."""
    expired: list[int] = []
    turn = 0
    for line in lines:
        for event in json.loads(line.table_events):
            told = event.get("resigned" if rule == "resign" else "stand_in")
            if told and told["why"] == "timeout":
                expired.append(told["seat"])
                deadline = turn + SECOND
                killed, back = report.gone
                missed = killed - PROMISE <= deadline <= back
                (report.late_while_away if missed else report.late).append(line.at - deadline)
                if line.at - (max(deadline, back) if missed else deadline) > PROMISE:
                    report.wrong.append(f"{table} ({rule}): {line.at - deadline} ms late")
        turn = line.at
    report.expiries += len(expired)
    if len(expired) != (1 if rule == "resign" else 2) or len(set(expired)) != len(expired):
        report.wrong.append(f"{table} ({rule}): seats {expired} ran out of time")
    if min(report.late + report.late_while_away, default=0) < 0:
        report.wrong.append(f"{table} ({rule}): before its time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=500)
    tables = parser.parse_args().tables
    failed = False
    with own_stack(sessions=2) as stack:
        for away in (0.0, 2.0):
            try:
                report = expire(stack, tables, away)
            except grpc.RpcError as error:
                sys.exit(f"expiries: {error}")
            print(f"expiries{' across a restart' if away else ''}: {report}", flush=True)
            failed |= bool(report.wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
