"""Shows one table: seats, clock, the bot's turn, and the latest moves as a spectator sees them."""

import argparse
import json

from deploy.admin import add_json, as_json, operate, print_table, since
from deploy.admin.tables import decision
from teahouse.v1 import operators_pb2 as op
from teahouse.v1 import sessions_pb2 as pb


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=show)
    parser.add_argument("id", help="t_…")
    parser.add_argument("--lines", type=int, default=10, help="number of the latest log entries to show (default: 10)")
    add_json(parser)


def show(arguments: argparse.Namespace) -> None:
    report = operate("InspectTable", op.InspectTableRequest(table=arguments.id, lines=arguments.lines))
    if arguments.json:
        print(as_json(report))
        return
    for name, value in facts(report):
        print(f"{name:<10} {value}")
    print()
    connected = [*report.presence.connected, *[False] * len(report.row.table.seats)]
    seats = zip(report.row.table.seats, connected, strict=False)
    print_table(
        ("seat", "kind", "who", "there", "stand-in", "resigned"),
        [
            (number, seat.kind, who(seat), "yes" if there else "", seat.stand_in, "yes" if seat.resigned else "")
            for number, (seat, there) in enumerate(seats)
        ],
    )
    print()
    for line in report.log:
        happened = [*json.loads(line.events), *json.loads(line.table_events)]
        seat = f"seat {line.seat}" if line.HasField("seat") else "table"
        print(f"{line.version:>5}  {since(line.at):>5}  {seat:<7} {json.dumps(happened, ensure_ascii=False)}")


def facts(report: op.TableReport) -> list[tuple[str, object]]:
    row, table = report.row, report.row.table
    runs = "" if report.rules_run else "  (no service runs these)"
    found: list[tuple[str, object]] = [
        ("table", f"{table.id}  {table.game}  {table.visibility}"),
        ("status", table.status + (f": {table.closed}" if table.closed else "")),
        ("version", f"{table.version}, {since(table.updated_at)} ago; opened {since(table.created_at)} ago"),
        ("rules", table.rules_version + runs),
        ("options", table.options.decode()),
        ("decision", decision(table)),
    ]
    if table.HasField("clock"):
        left = f"; the deadline is in {since(table.deadline).replace('-', '')}" if table.HasField("deadline") else ""
        clock = table.clock
        found.append(("clock", f"{clock.kind} {clock.seconds} s + {clock.increment} s, then {clock.on_timeout}{left}"))
    if row.HasField("bot_due"):
        found.append(("outbox", f"handed out again {row.tries} times; next in {since(row.bot_due).replace('-', '')}"))
    if table.outcome:
        counted = "not yet counted for its players" if report.to_be_counted else "counted for its players"
        found.append(("outcome", f"{table.outcome.decode()}  ({counted})"))
    found.append(("in Redis", f"{report.bytes:,} bytes; expires in {since(report.expires_at).replace('-', '')}"))
    return found


def who(seat: pb.Seat) -> str:
    if seat.kind == "player":
        return f"{seat.player.name} ({seat.player.id})"
    return seat.bot or (f"kept for {seat.invited.name} ({seat.invited.id})" if seat.HasField("invited") else "")
