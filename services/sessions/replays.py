"""Finished games, step by step: any position is dealt and played again from the log."""

from services.platform.errors import answers, conflict
from services.sessions.core import seat_of, stale
from services.sessions.play import Play
from services.sessions.renewing import replay_of
from services.sessions.rules import RulesChanged
from services.sessions.tables import check_access
from teahouse.v1 import replays_pb2, rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Replays(Play):
    @answers
    async def LookBack(self, request: replays_pb2.LookBackRequest) -> pb.TablePosition:
        loaded = await self.store.load(request.table)
        table = loaded.table
        check_access(table, request.caller, request.join_code)
        if table.status != "finished":
            raise conflict("NOT_FINISHED", f"the table is {table.status}; look back when the game is over")
        if not 0 <= request.version <= loaded.version:
            raise stale(loaded.version)
        replay = replay_of(loaded, await self.actions(loaded, request.version))
        replay.rules_version = table.rules_version
        try:
            position: rules_pb2.Position = await self.rules.call(table.game, "Replay", replay, table.rules_version)
        except RulesChanged:
            # The rules of today will do if they come to the same end.
            await self.played_again(loaded, await self.actions(loaded))
            replay.rules_version = ""
            position = await self.rules.call(table.game, "Replay", replay)
        return as_it_was(table, position, seat_of(table, request.caller), request.version)


def as_it_was(table: pb.Table, position: rules_pb2.Position, seat: int | None, version: int) -> pb.TablePosition:
    """It is the past: nobody can act there, and the result is known at its end."""
    view = position.views[-1 if seat is None else seat]
    shown = pb.TablePosition(table=table.id, status=table.status, version=version, seat=seat, view=view, legal=b"[]")
    if position.outcome or version == table.version:
        shown.outcome = table.outcome
    elif position.HasField("actor"):
        shown.actor = position.actor
    return shown
