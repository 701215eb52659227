"""API keys of client applications: create, list, revoke."""

import argparse
import sys
import time
from typing import Any

from deploy.admin import DEADLINE, sessions
from services.sessions.people.api_keys import SCOPES
from teahouse.v1 import accounts_pb2 as pb
from teahouse.v1 import accounts_pb2_grpc


def add(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    make = commands.add_parser("create", help="make a key; it is printed once and kept nowhere")
    make.set_defaults(command=create)
    make.add_argument("name", help="what you call it, such as the application's name")
    explained = "; ".join(f"{scope}: {meaning}" for scope, meaning in SCOPES.items())
    make.add_argument(
        "--scopes", default=",".join(SCOPES), help=f"some of {','.join(SCOPES)} (default: all). {explained}"
    )
    make.add_argument("--application", default="", help="another key for this application (a_…), to replace one")
    make.add_argument("--limit", type=limit, default=(0, 0), help="its own rate limit, requests/seconds: 6000/60")
    commands.add_parser("list", help="all keys, revoked ones too").set_defaults(command=show)
    stop = commands.add_parser("revoke", help="a key stops working, within seconds on every gateway")
    stop.set_defaults(command=revoke)
    stop.add_argument("id", help="k_… from the list")


def limit(text: str) -> tuple[int, int]:
    count, _, seconds = text.partition("/")
    return int(count), int(seconds)


def call(method: str, request: Any) -> Any:
    with sessions() as channel:
        return getattr(accounts_pb2_grpc.AccountsStub(channel), method)(request, timeout=DEADLINE)


def create(arguments: argparse.Namespace) -> None:
    """The key alone goes to standard output, so that a script can take it."""
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
