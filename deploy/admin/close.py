"""Ends an open table, or one in play, without a result, and tells its players why. May be repeated."""

import argparse

from deploy.admin import add_json, as_json, operate
from teahouse.v1 import operators_pb2 as op


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=close)
    parser.add_argument("id", help="t_…")
    parser.add_argument(
        "--reason", required=True, help="what its players are told: a sentence of at most 200 characters"
    )
    add_json(parser)


def close(arguments: argparse.Namespace) -> None:
    table = operate("CloseTable", op.CloseTableRequest(table=arguments.id, reason=arguments.reason))
    print(as_json(table) if arguments.json else f"{table.id} is closed, at version {table.version}: {table.closed}")
