"""How long tables are kept: shows it, or applies it to all tables now.

The times are the settings TEAHOUSE_KEEP_FINISHED and TEAHOUSE_KEEP_ABANDONED of the session services. After a change
and a restart they hold for new tables, and after `run` for all.
"""

import argparse

from deploy.admin import LONG, add_json, as_json, operate, since, span
from teahouse.v1 import operators_pb2 as op


def add(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command, text in (
        ("show", show, "show the times, and how many tables are due"),
        ("run", run, "remove tables whose time is over, and apply the present times to all others"),
    ):
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(command=command)
        add_json(one)


def show(arguments: argparse.Namespace) -> None:
    found = operate("GetRetention", op.GetRetentionRequest())
    if arguments.json:
        print(as_json(found))
        return
    print(f"finished tables are kept for       {span(found.keep_finished)}  (TEAHOUSE_KEEP_FINISHED)")
    print(f"abandoned tables are kept for      {span(found.keep_abandoned)}  (TEAHOUSE_KEEP_ABANDONED)")
    following = f"; the next may expire in {since(found.next).replace('-', '')}" if found.next else ""
    print(f"{found.tables} tables, {found.due} of them due{following}")


def run(arguments: argparse.Namespace) -> None:
    total = op.SweepTablesResponse()
    cursor = ""
    while True:
        some = operate("SweepTables", op.SweepTablesRequest(cursor=cursor), LONG)
        total.looked_at += some.looked_at
        total.removed += some.removed
        cursor = some.next_cursor
        if not cursor:
            break
    print(as_json(total) if arguments.json else f"{total.removed} of {total.looked_at} tables were removed")
