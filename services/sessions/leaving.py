"""Leaving a table, for a while or for good: stand up, be replaced by a bot, return, resign, run out of time."""

import json
import logging
from collections.abc import Callable
from typing import Any

from prometheus_client import Counter

from services.engine.resigning import ends_it, given_up
from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, denied
from services.sessions.core import check_playing, seat_of
from services.sessions.play import Event, Play, resigned_seats
from services.sessions.store import Commit, Loaded, Stale
from services.sessions.tables import TRIES, busy, check_seat_number, player_json, shown
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
TIMEOUTS = Counter("teahouse_timeouts", "Clocks that ran out, by the rule that was applied.", ["rule"])
# What is done to a table in play, given the level of a stand-in: alters it and says what happened; nothing = no change.
Deed = Callable[[pb.Table, str], list[Event]]


class Leaving(Play):
    @answers
    async def LeaveSeat(self, request: pb.LeaveSeatRequest) -> pb.Table:
        loaded = await self.store.load(request.table)
        if loaded.table.status == "playing":
            return await self.step_away(request)
        return await self.stand_up(request)

    async def stand_up(self, request: pb.LeaveSeatRequest) -> pb.Table:
        """Before the start: the seat is free again."""

        def rights(table: pb.Table) -> None:
            if request.caller != table.host and seat_of(table, request.caller) is None:
                raise denied("NOT_SEATED", "you do not sit at this table")

        def change(table: pb.Table) -> dict[str, Any]:
            check_seat_number(table, request.seat)
            seat = table.seats[request.seat]
            if seat.kind != "player" and request.caller == table.host:
                raise denied("NOT_SEATED", "no player sits there; PUT …/seats/{seat} seats a bot or opens the seat")
            if seat.kind != "player" or request.caller not in (seat.player.id, table.host):
                raise denied("NOT_SEATED", "only whoever sits there, or the host, can free the seat")
            left = player_json(seat.player)
            table.seats[request.seat].CopyFrom(pb.Seat(kind="open"))
            others = [other.player.id for other in table.seats if other.kind == "player"]
            if left["id"] == table.host:
                table.host = others[0] if others else table.host
                table.status = table.status if others else "closed"
            return {"seat_left": {"seat": request.seat, "player": left}}

        return shown(await self.change(request.table, rights, change), request.caller)

    async def step_away(self, request: pb.LeaveSeatRequest) -> pb.Table:
        """During play: a bot plays on."""

        def deed(table: pb.Table, level: str) -> list[Event]:
            check_playing(table)
            number = own_seat(table, request.caller)
            check_seat_number(table, request.seat)
            if number != request.seat:
                raise denied("NOT_SEATED", f"you sit on seat {number}; during play only its player can leave a seat")
            return [] if table.seats[number].stand_in else [replace(table, number, level, "left")]

        return await self.amend(request.table, request.caller, deed)

    @answers
    async def Return(self, request: pb.TableRequest) -> pb.Table:
        def deed(table: pb.Table, level: str) -> list[Event]:
            check_playing(table)
            number = own_seat(table, request.caller)
            if not table.seats[number].stand_in:
                return []
            if number == table.actor:
                table.waiting_since = now_ms()
            return self.come_back(table, number)

        return await self.amend(request.table, request.caller, deed)

    @answers
    async def Resign(self, request: pb.TableRequest) -> pb.Table:
        def deed(table: pb.Table, level: str) -> list[Event]:
            number = own_seat(table, request.caller)
            if table.seats[number].resigned:
                return []
            check_playing(table)
            return resign(table, number, level, "asked")

        return await self.amend(request.table, request.caller, deed)

    @answers
    async def VoteAbsent(self, request: pb.VoteAbsentRequest) -> pb.Table:
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
            self.check_absent(table, request.seat)
            target.absent_votes.append(voter)
            voted: Event = {"voted_absent": {"seat": request.seat, "by": voter}}
            if not voters <= set(target.absent_votes):
                return [voted]
            return [voted, replace(table, request.seat, level, "absent")]

        return await self.amend(request.table, request.caller, deed)

    def check_absent(self, table: pb.Table, number: int) -> None:
        if table.seats[number].kind != "player":
            raise conflict("NOT_ABSENT", f"seat {number} is no player's; only a player can be absent")
        if table.actor != number:
            raise conflict("NOT_ABSENT", f"nobody waits for seat {number}: seat {table.actor} has the decision")
        missing = table.waiting_since + int(self.settings.absence * 1000) - now_ms()
        if missing > 0:
            text = f"seat {number} has the decision and some time left; vote again in {-(-missing // 1000)} s"
            raise conflict("NOT_ABSENT", text)

    async def time_up(self, table_id: str) -> None:
        """Applies the table's rule to a seat whose time is used up. Does nothing if somebody was faster."""
        try:
            loaded = await self.store.load(table_id)
            table = loaded.table
            if not table.HasField("deadline") or table.deadline > now_ms():
                return
            level, rule = stand_in_level(await self.rules.info(table.game)), table.clock.on_timeout
            if rule == "resign":
                events = resign(table, table.actor, level, "timeout")
            else:
                events = [replace(table, table.actor, level, "timeout")]
            await self.put(loaded, events)
        except (Refusal, Stale) as error:
            log.info("its clock is looked at again: %s", error, extra={"table": table_id})
            return
        TIMEOUTS.labels(rule).inc()

    async def amend(self, table_id: str, caller: str, deed: Deed) -> pb.Table:
        """Loads, changes and writes a table in play; begins again if somebody else was faster."""
        for _ in range(TRIES):
            loaded = await self.store.load(table_id)
            level = stand_in_level(await self.rules.info(loaded.table.game))
            events = deed(loaded.table, level)
            try:
                if events:
                    await self.put(loaded, events)
            except Stale:
                continue
            return shown(loaded.table, caller)
        raise busy()

    async def put(self, loaded: Loaded, events: list[Event]) -> None:
        entry = pb.LogEntry(at=now_ms(), table_events=json.dumps(events).encode())
        listed = "=" if loaded.table.status == "playing" else ""
        await self.commit(loaded.record, loaded.version, Commit(entry, listed=listed))


def stand_in_level(info: rules_pb2.GameInfo) -> str:
    """The best bot that answers at once."""
    return "greedy" if "greedy" in info.bots else info.bots[0]


def own_seat(table: pb.Table, caller: str) -> int:
    number = seat_of(table, caller)
    if number is None:
        raise denied("NOT_SEATED", "you do not sit at this table")
    return number


def playing_persons(table: pb.Table) -> set[int]:
    return {number for number, seat in enumerate(table.seats) if seat.kind == "player" and not seat.stand_in}


def replace(table: pb.Table, number: int, level: str, why: str) -> Event:
    """A bot plays the seat from now on."""
    table.seats[number].stand_in = level
    table.seats[number].ClearField("absent_votes")
    return {"stand_in": {"seat": number, "bot": level, "why": why}}


def resign(table: pb.Table, number: int, level: str, why: str) -> list[Event]:
    """The seat gives up; whether that ends the game does not depend on which game it is."""
    seat = table.seats[number]
    seat.resigned, seat.stand_in = True, level
    seat.ClearField("absent_votes")
    events: list[Event] = [{"resigned": {"seat": number, "why": why}}]
    resigned = resigned_seats(table)
    if ends_it([one.kind for one in table.seats], resigned):
        table.status = "finished"
        table.outcome = json.dumps(given_up(len(table.seats), resigned)).encode()
        events.append({"finished": {}})
    return events
