"""Playing again: the same game, options and seats, for those who have just finished.

Every step can be repeated. The new table's id follows from the old one's, so that whoever asks first, or again after a
crash, opens the same table; taking the seat and dealing are checked against the version as always.
"""

import base64
from hashlib import sha256

from services.platform.clock import now_ms
from services.platform.errors import answers, conflict, denied
from services.sessions.core import kept_seat, seat_of
from services.sessions.play import Play
from services.sessions.store import ID, Loaded, Stale, new_id
from services.sessions.tables import TRIES, busy, check_open, player_json, shown
from teahouse.v1 import company_pb2
from teahouse.v1 import sessions_pb2 as pb


def rematch_id(table: str) -> str:
    """
    >>> rematch_id("t_abcdefghjkmnpq")
    't_e4e5pkjsdv4vpd'
    """
    digest = sha256(b"rematch of " + table.encode()).digest()
    return ("t_" + base64.b32encode(digest).decode().lower())[:ID]


def same_again(old: pb.Table, caller: str) -> pb.Table:
    """The table as it was before the game, with the caller seated and the other players' seats kept for them."""
    table = pb.Table(
        id=rematch_id(old.id),
        game=old.game,
        options=old.options,
        status="open",
        visibility=old.visibility,
        join_code=new_id("", 6) if old.visibility == "private" else "",
        host=caller,
        created_at=now_ms(),
        rules_version=old.rules_version,
        rated=old.rated,
    )
    if old.HasField("clock"):
        table.clock.CopyFrom(old.clock)
    for seat in old.seats:
        if seat.kind != "player":
            table.seats.append(seat)
        elif seat.player.id == caller:
            table.seats.append(pb.Seat(kind="player", player=seat.player))
        else:
            table.seats.append(pb.Seat(kind="open", invited=seat.player))
    return table


class Rematch(Play):
    @answers
    async def Rematch(self, request: pb.TableRequest) -> company_pb2.RematchResponse:
        old = (await self.store.load(request.table)).table
        seat = seat_of(old, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "you did not sit at this table")
        if old.status != "finished":
            raise conflict("NOT_FINISHED", f"the table is {old.status}; play it to its end first")
        player = old.seats[seat].player
        opened = not old.rematch and await self.open_again(old, player)
        await self.note_rematch(old.id)
        table = await self.join_and_start(rematch_id(old.id), player)
        return company_pb2.RematchResponse(table=shown(table, player.id), opened=opened)

    async def open_again(self, old: pb.Table, caller: pb.Player) -> bool:
        """False: somebody has opened it already."""
        table = same_again(old, caller.id)
        for seat in table.seats:
            if player := seat.player.id or seat.invited.id:
                await self.remember(player, table)
        try:
            kept_for = [player_json(seat.invited) for seat in table.seats if seat.HasField("invited")]
            opened = {"host": player_json(caller), "again": old.id, "kept_for": kept_for}
            await self.write(pb.TableRecord(table=table), 0, {"opened": opened})
        except Stale:
            return False
        await self.tell(*(seat.invited.id for seat in table.seats if seat.HasField("invited")))
        return True

    async def note_rematch(self, old: str) -> None:
        for _ in range(TRIES):
            loaded = await self.store.load(old)
            if loaded.table.rematch:
                return
            loaded.table.rematch = rematch_id(old)
            try:
                await self.write(loaded.record, loaded.version, {"rematch": {"table": loaded.table.rematch}})
            except Stale:
                continue
            return
        raise busy()

    async def join_and_start(self, table: str, player: pb.Player) -> pb.Table:
        """Sits the player down, if need be, and deals when nobody is missing."""
        for _ in range(TRIES):
            loaded = await self.store.load(table)
            try:
                if seat_of(loaded.table, player.id) is None:
                    await self.sit_down(loaded, player)
                elif loaded.table.status == "open" and all(seat.kind != "open" for seat in loaded.table.seats):
                    return await self.deal(loaded)
                else:
                    return loaded.table
            except Stale:
                continue
        raise busy()

    async def sit_down(self, loaded: Loaded, player: pb.Player) -> None:
        table = loaded.table
        check_open(table)
        number = kept_seat(table, player.id)
        if number is None:
            raise conflict("SEAT_TAKEN", f"your seat at {table.id} was given away")
        table.seats[number].CopyFrom(pb.Seat(kind="player", player=player))
        await self.remember(player.id, table)
        event = {"seat_taken": {"seat": number, "player": player_json(player)}}
        await self.write(loaded.record, loaded.version, event)
