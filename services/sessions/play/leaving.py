"""Leaving a game, for a while or for good: be replaced by a bot, return, resign, be voted absent."""

from collections.abc import Callable

from services.platform.clock import now_ms
from services.platform.errors import conflict, denied
from services.platform.settings import Settings
from services.sessions.play.stand_ins import come_back, replace, resign, stand_in_level
from services.sessions.rules.client import RulesClient
from services.sessions.store.records import Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_playing, shown
from services.sessions.tables.seating import Seating
from services.sessions.tables.seats import check_seat_number, own_seat
from services.sessions.tables.writer import TRIES, Event, TableWriter, busy
from teahouse.v1 import sessions_pb2 as pb

# What is done to a table in play, given the level of a stand-in: alters it and says what happened; nothing = no change.
Deed = Callable[[pb.Table, str], list[Event]]


class Leaving:
    """Owns who may leave a game and come back, and when the others may go on without somebody."""

    def __init__(
        self, settings: Settings, store: TableStore, rules: RulesClient, seating: Seating, writer: TableWriter
    ) -> None:
        self.settings, self.store, self.rules = settings, store, rules
        self.seating, self.writer = seating, writer

    async def leave(self, request: pb.LeaveSeatRequest) -> pb.Table:
        loaded = await self.store.load(request.table)
        if loaded.table.status == "playing":
            return await self._step_away(request)
        return await self.seating.stand_up(request)

    async def _step_away(self, request: pb.LeaveSeatRequest) -> pb.Table:
        """A bot plays on."""

        def deed(table: pb.Table, level: str) -> list[Event]:
            check_playing(table)
            number = own_seat(table, request.caller)
            check_seat_number(table, request.seat)
            if number != request.seat:
                raise denied("NOT_SEATED", f"you sit on seat {number}; during play only its player can leave a seat")
            return [] if table.seats[number].stand_in else [replace(table, number, level, "left")]

        return await self._do(request.table, request.caller, deed)

    async def come_back(self, request: pb.TableRequest) -> pb.Table:
        def deed(table: pb.Table, level: str) -> list[Event]:
            check_playing(table)
            number = own_seat(table, request.caller)
            if not table.seats[number].stand_in:
                return []
            if number == table.actor:
                table.waiting_since = now_ms()
            return [come_back(table, number)]

        return await self._do(request.table, request.caller, deed)

    async def resign(self, request: pb.TableRequest) -> pb.Table:
        def deed(table: pb.Table, level: str) -> list[Event]:
            number = own_seat(table, request.caller)
            if table.seats[number].resigned:
                return []
            check_playing(table)
            return resign(table, number, level, "asked")

        return await self._do(request.table, request.caller, deed)

    async def vote_absent(self, request: pb.VoteAbsentRequest) -> pb.Table:
        def deed(table: pb.Table, level: str) -> list[Event]:
            check_playing(table)
            voter = own_seat(table, request.caller)
            check_seat_number(table, request.seat)
            target = table.seats[request.seat]
            voters = playing_persons(table) - {request.seat}
            if voter not in voters:
                raise denied("NOT_SEATED", "only the other players who play themselves can vote")
            if target.stand_in or voter in target.absent_votes:
                return []
            self._check_absent(table, request.seat)
            target.absent_votes.append(voter)
            voted: Event = {"voted_absent": {"seat": request.seat, "by": voter}}
            if not voters <= set(target.absent_votes):
                return [voted]
            return [voted, replace(table, request.seat, level, "absent")]

        return await self._do(request.table, request.caller, deed)

    def _check_absent(self, table: pb.Table, number: int) -> None:
        if table.seats[number].kind != "player":
            raise conflict("NOT_ABSENT", f"seat {number} is no player's; only a player can be absent")
        if table.actor != number:
            raise conflict("NOT_ABSENT", f"nobody waits for seat {number}: seat {table.actor} has the decision")
        missing = table.waiting_since + int(self.settings.absence * 1000) - now_ms()
        if missing > 0:
            text = f"seat {number} has the decision and some time left; vote again in {-(-missing // 1000)} s"
            raise conflict("NOT_ABSENT", text)

    async def _do(self, table_id: str, caller: str, deed: Deed) -> pb.Table:
        """Loads, changes and writes a table in play; begins again if somebody else was faster."""
        for _ in range(TRIES):
            loaded = await self.store.load(table_id)
            level = stand_in_level(await self.rules.info(loaded.table.game))
            events = deed(loaded.table, level)
            try:
                if events:
                    await self.writer.write_in_play(loaded, events)
            except Stale:
                continue
            return shown(loaded.table, caller)
        raise busy()


def playing_persons(table: pb.Table) -> set[int]:
    return {number for number, seat in enumerate(table.seats) if seat.kind == "player" and not seat.stand_in}
