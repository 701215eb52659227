"""After an upgrade of rules: moves every table in play to the rules that run now, and tells which cannot go on.

Without it, a table changes over when somebody next looks or moves there.
"""

import argparse
import json
import sys

import grpc

from deploy.admin import add_json, operate
from deploy.admin.tables import search
from services.platform.errors import from_rpc
from teahouse.v1 import operators_pb2 as op


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=renew)
    parser.add_argument("--game", default="", help="only tables of this game")
    parser.add_argument(
        "--close", action="store_true", help="close tables that cannot go on; without it they wait for the old rules"
    )
    add_json(parser)


def renew(arguments: argparse.Namespace) -> None:
    counts = {"unchanged": 0, "renewed": 0, "closed": 0, "waiting": 0}
    for row in search(op.SearchTablesRequest(status="playing", game=arguments.game), limit=1 << 60).tables:
        counts[one(row.table.id, row.table.rules_version, arguments.close)] += 1
    if arguments.json:
        print(json.dumps(counts))
    else:
        print(", ".join(f"{number} {what}" for what, number in counts.items()))


def one(table: str, before: str, close: bool) -> str:
    try:
        now = operate("RenewTable", op.RenewTableRequest(table=table, close=close))
    except grpc.RpcError as error:
        refusal = from_rpc(error)
        if refusal.reason != "GAME_UNAVAILABLE":
            raise
        print(f"{table}: {refusal.message}", file=sys.stderr)
        return "waiting"
    if now.status == "closed":
        print(f"{table} is closed: {now.closed}", file=sys.stderr)
        return "closed"
    return "unchanged" if now.rules_version == before else "renewed"
