"""Playing again: the same game, options and seats, for those who have just finished.

Every step can be repeated. The new table's id follows from the old one's, so that whoever asks first, or again after a
crash, opens the same table; taking the seat and dealing are checked against the version as always.
"""

import base64
from hashlib import sha256

from services.platform.clock import now_ms
from services.platform.errors import conflict
from services.sessions.people.player_lists import PlayerLists
from services.sessions.store.ids import ID, new_id
from services.sessions.store.records import Loaded, Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_open, shown
from services.sessions.tables.seats import kept_seat, own_seat, player_json, seat_of
from services.sessions.tables.starting import Starting
from services.sessions.tables.writer import TRIES, TableWriter, busy
from services.sessions.updates.hub import Hub
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


class Rematches:
    """Owns the tables that follow finished ones."""

    def __init__(
        self, store: TableStore, lists: PlayerLists, starting: Starting, writer: TableWriter, hub: Hub
    ) -> None:
        self.store, self.lists, self.starting, self.writer, self.hub = store, lists, starting, writer, hub

    async def rematch(self, request: pb.TableRequest) -> company_pb2.RematchResponse:
        old = (await self.store.load(request.table)).table
        seat = own_seat(old, request.caller, "you did not sit at this table")
        if old.status != "finished":
            raise conflict("NOT_FINISHED", f"the table is {old.status}; play it to its end first")
        player = old.seats[seat].player
        opened = not old.rematch and await self._open_again(old, player)
        await self._note(old.id)
        table = await self._join_and_start(rematch_id(old.id), player)
        return company_pb2.RematchResponse(table=shown(table, player.id), opened=opened)

    async def _open_again(self, old: pb.Table, caller: pb.Player) -> bool:
        """False: somebody has opened it already."""
        table = same_again(old, caller.id)
        for seat in table.seats:
            if player := seat.player.id or seat.invited.id:
                await self.lists.remember(player, table)
        try:
            kept_for = [player_json(seat.invited) for seat in table.seats if seat.HasField("invited")]
            opened = {"host": player_json(caller), "again": old.id, "kept_for": kept_for}
            await self.writer.write(pb.TableRecord(table=table), 0, {"opened": opened})
        except Stale:
            return False
        await self.hub.tell(*(seat.invited.id for seat in table.seats if seat.HasField("invited")))
        return True

    async def _note(self, old: str) -> None:
        for _ in range(TRIES):
            loaded = await self.store.load(old)
            if loaded.table.rematch:
                return
            loaded.table.rematch = rematch_id(old)
            try:
                await self.writer.write(loaded.record, loaded.version, {"rematch": {"table": loaded.table.rematch}})
            except Stale:
                continue
            return
        raise busy()

    async def _join_and_start(self, table: str, player: pb.Player) -> pb.Table:
        """Sits the player down, if need be, and deals when nobody is missing."""
        for _ in range(TRIES):
            loaded = await self.store.load(table)
            try:
                if seat_of(loaded.table, player.id) is None:
                    await self._sit_down(loaded, player)
                elif loaded.table.status == "open" and all(seat.kind != "open" for seat in loaded.table.seats):
                    return await self.starting.deal(loaded)
                else:
                    return loaded.table
            except Stale:
                continue
        raise busy()

    async def _sit_down(self, loaded: Loaded, player: pb.Player) -> None:
        table = loaded.table
        check_open(table)
        number = kept_seat(table, player.id)
        if number is None:
            raise conflict("SEAT_TAKEN", f"your seat at {table.id} was given away")
        table.seats[number].CopyFrom(pb.Seat(kind="player", player=player))
        await self.lists.remember(player.id, table)
        event = {"seat_taken": {"seat": number, "player": player_json(player)}}
        await self.writer.write(loaded.record, loaded.version, event)
