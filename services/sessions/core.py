"""What every part of the session service uses."""

from collections.abc import Callable

import grpc

from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.rules import RulesClient
from services.sessions.store import Store
from services.sessions.watch import Hub
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import sessions_pb2_grpc

# table, version, level, seconds it is good for
HandOut = Callable[[str, int, str, float], None]


class Core(sessions_pb2_grpc.SessionsServicer):
    def __init__(
        self,
        settings: Settings,
        store: Store,
        rules: RulesClient,
        hub: Hub,
        hand_out: Callable[[str, int, str, float], None],
    ) -> None:
        self.settings, self.store, self.rules, self.hub = settings, store, rules, hub
        # Gives a bot's turn to the worker pool; never waits, never fails.
        self.hand_out = hand_out


def stale(version: int) -> Refusal:
    return Refusal(
        grpc.StatusCode.ABORTED,
        "STALE_VERSION",
        f"the table has moved on to version {version}; look at it again before you act",
        current_version=str(version),
    )


def seat_of(table: pb.Table, player: str) -> int | None:
    if not player:
        return None
    for number, seat in enumerate(table.seats):
        if seat.kind == "player" and seat.player.id == player:
            return number
    return None
