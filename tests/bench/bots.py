"""A bot's turn, from the commit that makes it due to its own commit, on an idle stack."""

import itertools
import json
import time

import grpc

from deploy.stack import Stack
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc

TURNS = 200


def turn_times(stack: Stack, level: str) -> list[float]:
    """Milliseconds between the log entry that gave a bot the decision and its answer."""
    stub = sessions_pb2_grpc.SessionsStub(grpc.insecure_channel(stack.address("sessions")))
    host = stub.CreatePlayer(pb.CreatePlayerRequest(name="bench")).player.id
    times: list[float] = []
    while len(times) < TURNS:
        seats = [pb.Seat(kind="me"), pb.Seat(kind="bot", bot=level)]
        table = stub.OpenTable(pb.OpenTableRequest(caller=host, game="geishas_road", seats=seats)).id
        stub.StartTable(pb.TableRequest(caller=host, table=table))
        for update in stub.Watch(pb.WatchRequest(caller=host, table=table)):
            legal = json.loads(update.position.legal)
            if legal:
                action = json.dumps(legal[0]).encode()
                version = update.position.version
                stub.Act(pb.ActRequest(caller=host, table=table, version=version, action=action))
        lines = stub.GetLog(pb.LogRequest(table=table, limit=500)).lines
        pairs = itertools.pairwise(lines)
        times += [after.at - before.at for before, after in pairs if before.seat == 0 and after.seat == 1]
    return sorted(times)


def main(stack: Stack) -> None:
    print("bots: a turn from the commit that makes it due to its own commit, ms")
    for level in ("random", "greedy"):
        began = time.monotonic()
        times = turn_times(stack, level)
        p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
        print(
            f"  {level:<8} p50 {p50:5.0f}   p99 {p99:5.0f}   ({len(times)} turns in {time.monotonic() - began:.1f} s)"
        )
