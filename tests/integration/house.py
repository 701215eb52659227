"""Plays at a running session service, over its real contract."""

import json
import random
from typing import Any

import grpc

from deploy.stack import Stack
from services.platform.errors import Refusal, from_rpc
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc

GAME = "geishas_road"
DEADLINE = 10


class House:
    """The session service as a test calls it; `copy` is the name of one of its copies."""

    def __init__(self, stack: Stack, copy: str = "sessions") -> None:
        self.channel = grpc.insecure_channel(stack.address(copy))
        self.stub = sessions_pb2_grpc.SessionsStub(self.channel)

    def call(self, method: str, request: Any) -> Any:
        """The answer; raises Refusal."""
        try:
            return getattr(self.stub, method)(request, timeout=DEADLINE, wait_for_ready=True)
        except grpc.RpcError as error:
            raise from_rpc(error) from None

    def refused(self, method: str, request: Any) -> Refusal:
        try:
            answer = self.call(method, request)
        except Refusal as refusal:
            return refusal
        raise AssertionError(f"{method} was not refused: {answer}")

    def player(self, name: str = "Ada") -> str:
        created: str = self.call("CreatePlayer", pb.CreatePlayerRequest(name=name)).player.id
        return created

    def open(
        self, host: str, *seats: pb.Seat, visibility: str = "public", options: dict[str, Any] | None = None
    ) -> Any:
        request = pb.OpenTableRequest(
            caller=host, game=GAME, seats=seats, visibility=visibility, options=json.dumps(options or {}).encode()
        )
        return self.call("OpenTable", request)

    def duel(self, options: dict[str, Any] | None = None) -> tuple[str, list[str]]:
        """A started table of two players."""
        players = [self.player("Ada"), self.player("Bo")]
        table = self.open(players[0], pb.Seat(kind="me"), pb.Seat(kind="open"), options=options).id
        self.call("TakeSeat", pb.TakeSeatRequest(caller=players[1], table=table))
        self.call("StartTable", pb.TableRequest(caller=players[0], table=table))
        return table, players

    def look(self, table: str, caller: str = "") -> pb.TablePosition:
        position: pb.TablePosition = self.call("Look", pb.TableRequest(caller=caller, table=table))
        return position

    def act(self, table: str, caller: str, version: int, action: Any, key: str = "") -> pb.Update:
        data = action if isinstance(action, bytes) else json.dumps(action).encode()
        request = pb.ActRequest(caller=caller, table=table, version=version, action=data, idempotency_key=key)
        update: pb.Update = self.call("Act", request)
        return update

    def step(self, table: str, players: list[str], rng: random.Random) -> pb.Update:
        """A random legal action of whoever has the decision."""
        position = self.look(table)
        position = self.look(table, players[position.actor])
        return self.act(table, players[position.actor], position.version, rng.choice(json.loads(position.legal)))


ME, OPEN = pb.Seat(kind="me"), pb.Seat(kind="open")


def bot(level: str) -> pb.Seat:
    return pb.Seat(kind="bot", bot=level)
