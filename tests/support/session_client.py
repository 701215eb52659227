"""Plays at a running session service, over its real contract."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf import message_factory

from deploy.stack import Stack
from services.platform.contracts import CONTRACTS
from services.platform.errors import Refusal, from_rpc
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc

GAME = "geishas_road"
DEADLINE = 10
PATIENCE = 60.0


class SessionClient:
    """The session service as a test calls it; `copy` is the name of one of its copies."""

    def __init__(self, stack: Stack, copy: str = "sessions") -> None:
        # Its own connection: one that waits after a failure must not be shared with the next test.
        self.channel = grpc.insecure_channel(stack.address(copy), options=[("grpc.use_local_subchannel_pool", 1)])
        self.stub = sessions_pb2_grpc.SessionsStub(self.channel)
        # The methods of all its contracts.
        self.methods = {
            method.name: self.channel.unary_unary(
                f"/{contract.full_name}/{method.name}",
                request_serializer=message_factory.GetMessageClass(method.input_type).SerializeToString,
                response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
            )
            for contract in CONTRACTS
            for method in contract.methods
            if not method.server_streaming
        }

    def call(self, method: str, request: Any) -> Any:
        """The answer; raises Refusal."""
        try:
            return self.methods[method](request, timeout=DEADLINE, wait_for_ready=True)
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
        self,
        host: str,
        *seats: pb.Seat,
        visibility: str = "public",
        options: dict[str, Any] | None = None,
        game: str = GAME,
        clock: pb.Clock | None = None,
    ) -> Any:
        chosen = json.dumps(options or {}).encode()
        request = pb.OpenTableRequest(
            caller=host, game=game, seats=seats, visibility=visibility, options=chosen, clock=clock
        )
        return self.call("OpenTable", request)

    def duel(self, options: dict[str, Any] | None = None, **more: Any) -> tuple[str, list[str]]:
        """A started table of two players."""
        return self.begin(2, options=options, **more)

    def begin(self, persons: int, *bots: pb.Seat, **more: Any) -> tuple[str, list[str]]:
        """A started table of that many players, and these bots after them."""
        table, players = self.gather(persons, *bots, **more)
        self.call("StartTable", pb.TableRequest(caller=players[0], table=table))
        return table, players

    def gather(self, persons: int, *bots: pb.Seat, **more: Any) -> tuple[str, list[str]]:
        """The same before its start."""
        players = [self.player(f"player {number}") for number in range(persons)]
        table = self.open(players[0], ME, *[OPEN] * (persons - 1), *bots, **more).id
        for player in players[1:]:
            self.call("TakeSeat", pb.TakeSeatRequest(caller=player, table=table))
        return table, players

    def table(self, table: str) -> pb.Table:
        found: pb.Table = self.call("GetTable", pb.TableRequest(table=table))
        return found

    def log(self, table: str) -> list[pb.LogLine]:
        """The whole log."""
        lines: list[pb.LogLine] = []
        while True:
            request = pb.LogRequest(table=table, after_version=len(lines), limit=500)
            page = self.call("GetLog", request)
            lines += page.lines
            if len(lines) >= page.version:
                return lines

    def happened(self, table: str, kind: str) -> list[tuple[int, Any]]:
        """Version and contents of what happened to the table itself, of one kind."""
        return [
            (line.version, event[kind])
            for line in self.log(table)
            for event in json.loads(line.table_events)
            if kind in event
        ]

    def until(self, table: str, what: Callable[[pb.Table], bool], patience: float = PATIENCE) -> pb.Table:
        """Waits for the table to be so, also while the service is away."""
        limit, found = time.monotonic() + patience, pb.Table()
        while True:
            try:
                if what(found := self.table(table)):
                    return found
            except Refusal as refusal:
                if refusal.code is not grpc.StatusCode.UNAVAILABLE:
                    raise
            assert time.monotonic() < limit, found
            time.sleep(0.05)

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

    def first_legal(self, table: str, players: list[str]) -> tuple[int, str, Any]:
        """Version, player and first legal action of whoever has the decision."""
        actor = players[self.look(table).actor]
        position = self.look(table, actor)
        return position.version, actor, json.loads(position.legal)[0]


ME, OPEN = pb.Seat(kind="me"), pb.Seat(kind="open")


def bot(level: str) -> pb.Seat:
    return pb.Seat(kind="bot", bot=level)
