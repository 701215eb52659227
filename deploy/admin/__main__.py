"""The operator's commands, for example `.venv/bin/python -m deploy.admin tables --stuck`.

They call the session service at TEAHOUSE_SESSIONS, or else the one that `make run` started on the data in
TEAHOUSE_DATA. Each module of this package is a command: its `add` describes the arguments to a parser.
"""

import argparse
import importlib
import pkgutil
import sys

import grpc

from deploy import admin
from services.platform.errors import from_rpc


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog=".venv/bin/python -m deploy.admin",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    topics = parser.add_subparsers(metavar="TOPIC", required=True)
    for module in pkgutil.iter_modules(admin.__path__):
        if not module.name.startswith("_"):
            topic = importlib.import_module(f"deploy.admin.{module.name}")
            topic.add(topics.add_parser(module.name, description=topic.__doc__, help=topic.__doc__))
    arguments = parser.parse_args(given)
    try:
        arguments.command(arguments)
    except grpc.RpcError as error:
        refusal = from_rpc(error)
        sys.exit(f"{refusal.reason}: {refusal.message}")


if __name__ == "__main__":
    main()
