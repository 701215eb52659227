"""Hands a bot's turn out again at once. May be repeated: a turn cannot be played twice."""

import argparse

from deploy.admin import add_json, as_json, operate
from teahouse.v1 import operators_pb2 as op


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=requeue)
    parser.add_argument("id", help="t_…, from `tables --stuck`")
    add_json(parser)


def requeue(arguments: argparse.Namespace) -> None:
    done = operate("RequeueTurn", op.RequeueTurnRequest(table=arguments.id))
    if arguments.json:
        print(as_json(done))
    else:
        print(f"{arguments.id}: the turn of seat {done.seat} ({done.bot}) at version {done.version} is in the queue")
