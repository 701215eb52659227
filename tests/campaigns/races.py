"""Pairs of simultaneous actions, each pair on one version and against two session services: of each pair one wins."""

import argparse
import json
import sys

from deploy.stack import Stack
from services.platform.errors import from_rpc
from teahouse.v1 import sessions_pb2 as pb
from tests.support.processes import own_stack
from tests.support.session_client import SessionClient

AT_A_TIME = 100


def race(stack: Stack, pairs: int) -> tuple[int, int]:
    """Pairs of simultaneous actions, one to each copy: how often just one won, and the other got STALE_VERSION."""
    copies = [SessionClient(stack), SessionClient(stack, "sessions-2")]
    wins = losses = 0
    table, players = copies[0].duel()
    for _ in range(pairs):
        if copies[0].look(table).status != "playing":
            table, players = copies[0].duel()
        version, actor, action = copies[0].first_legal(table, players)
        request = pb.ActRequest(caller=actor, table=table, version=version, action=json.dumps(action).encode())
        calls = [copy.stub.Act.future(request, timeout=10) for copy in copies]
        errors = [call.exception() for call in calls]
        wins += errors.count(None) == 1
        losses += [from_rpc(error).reason for error in errors if error] == ["STALE_VERSION"]
        assert copies[0].look(table).version == version + 1
    return wins, losses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000)
    pairs = parser.parse_args().pairs
    wins = losses = 0
    with own_stack(sessions=2) as stack:
        for done in range(0, pairs, AT_A_TIME):
            won, lost = race(stack, min(AT_A_TIME, pairs - done))
            wins, losses = wins + won, losses + lost
            sys.stderr.write(f"{done}/{pairs} pairs\n")
    print(f"races: of {pairs} pairs, {wins} times exactly one won, {losses} times the other got STALE_VERSION")
    sys.exit(wins != pairs or losses != pairs or not pairs)


if __name__ == "__main__":
    main()
