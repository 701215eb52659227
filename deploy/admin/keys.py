"""API keys of client applications: create, list, revoke."""

import argparse
import sys
import time
from functools import partial

from deploy.admin import operate
from services.platform.contracts import SCOPES
from teahouse.v1 import accounts_pb2 as pb
from teahouse.v1.accounts_pb2_grpc import AccountsStub


def add(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    make = commands.add_parser("create", help="make a key and print it, once; only its hash is kept")
    make.set_defaults(command=create)
    make.add_argument("name", help="your name for it, for example the application's")
    explained = "; ".join(f"{scope}: {meaning}" for scope, meaning in SCOPES.items())
    make.add_argument(
        "--scopes", default=",".join(SCOPES), help=f"some of {','.join(SCOPES)} (default: all). {explained}"
    )
    make.add_argument("--application", default="", help="add a key to this application (a_…), to replace another")
    make.add_argument("--limit", type=limit, default=(0, 0), help="a rate limit of its own, requests/seconds: 6000/60")
    commands.add_parser("list", help="show all keys, revoked ones too").set_defaults(command=show)
    stop = commands.add_parser("revoke", help="make a key useless, within seconds on every gateway")
    stop.set_defaults(command=revoke)
    stop.add_argument("id", help="k_… from the list")


def limit(text: str) -> tuple[int, int]:
    count, _, seconds = text.partition("/")
    return int(count), int(seconds)


call = partial(operate, stub=AccountsStub)


def create(arguments: argparse.Namespace) -> None:
    """Prints only the key to standard output, so that a script can read it."""
    requests, seconds = arguments.limit
    request = pb.CreateKeyRequest(
        name=arguments.name,
        scopes=arguments.scopes.split(","),
        application=arguments.application,
        limit_requests=requests,
        limit_seconds=seconds,
    )
    made = call("CreateKey", request)
    print(line(made.key), "Keep the key: it is not shown again.", sep="\n", file=sys.stderr)
    print(made.secret)


def show(arguments: argparse.Namespace) -> None:
    for key in call("ListKeys", pb.ListKeysRequest()).keys:
        print(line(key))


def revoke(arguments: argparse.Namespace) -> None:
    print(line(call("RevokeKey", pb.RevokeKeyRequest(id=arguments.id))))


def line(key: pb.ApiKey) -> str:
    allowed = f"{key.limit_requests}/{key.limit_seconds}" if key.limit_requests else "default"
    state = f"revoked {day(key.revoked_at)}" if key.revoked_at else "good"
    scopes = ",".join(key.scopes)
    return f"{key.id}  {key.application}  {day(key.created_at)}  {state}  limit {allowed}  {scopes}  {key.name}"


def day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
