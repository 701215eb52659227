"""What every part of the session service uses."""

import logging
from typing import Protocol

import grpc
from redis.exceptions import RedisError

from services.platform.errors import Refusal, conflict
from services.platform.settings import Settings
from services.sessions.company import Company
from services.sessions.rules import RulesClient
from services.sessions.store import Store
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)


class HandOut(Protocol):
    """Gives a bot's turn to the worker pool; never waits, never fails. `expires`: seconds that it is good for."""

    def __call__(self, table: str, version: int, level: str, expires: float, person_waits: bool = True) -> None: ...


class Core:
    def __init__(
        self,
        settings: Settings,
        store: Store,
        rules: RulesClient,
        hub: Company,
        hand_out: HandOut,
    ) -> None:
        self.settings, self.store, self.rules, self.hub = settings, store, rules, hub
        self.hand_out = hand_out

    async def tell(self, *watched: str) -> None:
        """Whoever watches one of these players or tickets, at any copy, looks again."""
        for one in watched:
            self.hub.missed(one)
        try:
            await self.store.notify(watched)
        except RedisError as error:
            # What happened has been written; those who watch look again by themselves after some seconds.
            log.warning("nobody was told of %s: %s", ", ".join(watched), error)


def stale(version: int) -> Refusal:
    return Refusal(
        grpc.StatusCode.ABORTED,
        "STALE_VERSION",
        f"the table is at version {version}, not at the one you sent; look at it again before you act",
        current_version=str(version),
    )


def kept_seat(table: pb.Table, player: str) -> int | None:
    """The open seat that is kept for that player, if there is one."""
    for number, seat in enumerate(table.seats):
        if player and seat.kind == "open" and seat.invited.id == player:
            return number
    return None


def seat_of(table: pb.Table, player: str) -> int | None:
    if not player:
        return None
    for number, seat in enumerate(table.seats):
        if seat.kind == "player" and seat.player.id == player:
            return number
    return None


def bot_level(seat: pb.Seat) -> str | None:
    """The level of the bot that plays the seat, for itself or for a player who is away; None for a person."""
    if seat.kind == "automa":
        return "automa"
    return (seat.bot if seat.kind == "bot" else seat.stand_in) or None


def check_playing(table: pb.Table) -> None:
    if table.status != "playing":
        raise conflict("NOT_PLAYING", f"the table is {table.status}{f': {table.closed}' if table.closed else ''}")
