"""Taking steps back. The log only grows: an undo is one more entry, which makes the last step that counts void."""

import json

from services.platform.clock import now_ms
from services.platform.errors import conflict
from services.sessions.play.cache import TableCache
from services.sessions.play.clocks import check_in_time
from services.sessions.play.positions import update_for
from services.sessions.play.stand_ins import come_back
from services.sessions.rules.client import RulesChanged
from services.sessions.rules.renewal import Renewal
from services.sessions.rules.replayer import Replayer
from services.sessions.store.records import Commit, Loaded, Stale
from services.sessions.tables.access import check_playing
from services.sessions.tables.seats import own_seat
from services.sessions.tables.writer import TableWriter, stale
from teahouse.v1 import sessions_pb2 as pb


class Undo:
    """Owns which step may be taken back, and does it. The game has said of each whether it revealed something."""

    def __init__(self, cache: TableCache, replayer: Replayer, renewal: Renewal, writer: TableWriter) -> None:
        self.cache, self.replayer, self.renewal, self.writer = cache, replayer, renewal, writer

    async def undo(self, request: pb.UndoRequest) -> pb.Update:
        try:
            return await self._undo(request, request.version)
        except RulesChanged:
            return await self._undo(request, await self.renewal.renewed_version(request.table, request.version))

    async def _undo(self, request: pb.UndoRequest, wanted: int) -> pb.Update:
        loaded = await self.cache.at_version(request.table, wanted)
        table, version = loaded.table, loaded.version
        seat = own_seat(table, request.caller)
        if version != wanted:
            raise stale(version)
        check_undo(table, seat)
        told = [come_back(table, seat)] if table.seats[seat].stand_in else []
        position = await self.replayer.position(loaded, (await self.replayer.actions(loaded))[:-1])
        state = position.state
        undone = table.undoable.pop()
        told.append({"undone": {"seat": seat, "version": undone}})
        entry = pb.LogEntry(at=now_ms(), seat=seat, undoes=undone, table_events=json.dumps(told).encode())
        commit = Commit(entry)
        self.writer.settle(table, version, commit, position)
        update = update_for(table, position, seat, [entry])
        try:
            await self.writer.post(loaded.record, version, commit, position)
        except Stale as other:
            raise stale(other.version) from None
        self.cache.keep(Loaded(loaded.record, version + 1, state))
        return update


def check_undo(table: pb.Table, seat: int) -> None:
    check_playing(table)
    check_in_time(table, seat, now_ms())
    if table.actor != seat:
        raise conflict("NOT_YOUR_TURN", f"only seat {table.actor}, which has the decision, can take a step back")
    if not table.undoable:
        text = "your last step revealed something or there is none in this turn; `can_undo` says when there is one"
        raise conflict("NOTHING_TO_UNDO", text)
