"""Taking steps back. The log only grows: an undo is one more entry, which makes the last step that counts void."""

import json

from services.platform.clock import now_ms
from services.platform.errors import answers, conflict, denied
from services.sessions.clocks import check_in_time
from services.sessions.core import check_playing, seat_of, stale
from services.sessions.play import Play, update_for
from services.sessions.renewing import replay_of
from services.sessions.rules import RulesChanged
from services.sessions.store import Commit, Loaded, Stale
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Undoing(Play):
    @answers
    async def Undo(self, request: pb.UndoRequest) -> pb.Update:
        try:
            return await self.undo(request, request.version)
        except RulesChanged:
            return await self.undo(request, await self.renewed(request.table, request.version))

    async def undo(self, request: pb.UndoRequest, wanted: int) -> pb.Update:
        loaded = await self.at_version(request.table, wanted)
        table, version = loaded.table, loaded.version
        seat = seat_of(table, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "you do not sit at this table")
        if version != wanted:
            raise stale(version)
        check_undo(table, seat)
        told = self.come_back(table, seat) if table.seats[seat].stand_in else []
        position = await self.without_last(loaded)
        state = position.state
        undone = table.undoable.pop()
        told.append({"undone": {"seat": seat, "version": undone}})
        entry = pb.LogEntry(at=now_ms(), seat=seat, undoes=undone, table_events=json.dumps(told).encode())
        commit = Commit(entry)
        self.settle(table, version, commit, position)
        update = update_for(table, position, seat, [entry])
        try:
            await self.post(loaded.record, version, commit, position)
        except Stale as other:
            raise stale(other.version) from None
        self.keep(Loaded(loaded.record, version + 1, state))
        return update

    async def without_last(self, loaded: Loaded) -> rules_pb2.Position:
        """The position before the last step that counts, rebuilt from the log."""
        table = loaded.table
        request = replay_of(loaded, (await self.actions(loaded))[:-1])
        request.rules_version = table.rules_version
        position: rules_pb2.Position = await self.rules.call(table.game, "Replay", request, table.rules_version)
        return position


def check_undo(table: pb.Table, seat: int) -> None:
    check_playing(table)
    check_in_time(table, seat, now_ms())
    if table.actor != seat:
        raise conflict("NOT_YOUR_TURN", f"only seat {table.actor}, which has the decision, can take a step back")
    if not table.undoable:
        text = "your last step revealed something or there is none in this turn; `can_undo` says when there is one"
        raise conflict("NOTHING_TO_UNDO", text)
