"""The operator's commands: `.venv/bin/python -m deploy.admin tables --stuck`, and so on; `--help` tells more.

Each module of this package is a topic: its `add` gives its commands to a parser, and each command is a function that
gets the arguments. The session service is the one at TEAHOUSE_SESSIONS, or else the one that `make run` has started on
the data in TEAHOUSE_DATA.
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
