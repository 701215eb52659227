"""What has been played: the log, the replay of a finished game, and any position on the way."""

from services.platform.errors import conflict
from services.sessions.play.positions import log_line
from services.sessions.rules.client import RulesChanged, RulesClient
from services.sessions.rules.replayer import Replayer, replay_of
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access
from services.sessions.tables.seats import resigned_seats, rules_seats, seat_of
from services.sessions.tables.writer import stale
from teahouse.v1 import replays_pb2, rules_pb2
from teahouse.v1 import sessions_pb2 as pb

LARGEST_PAGE = 500


class Replays:
    """Owns what is told of the past. The seed is told when the game is over."""

    def __init__(self, store: TableStore, rules: RulesClient, replayer: Replayer) -> None:
        self.store, self.rules, self.replayer = store, rules, replayer

    async def log(self, request: pb.LogRequest) -> pb.LogResponse:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        after = min(max(request.after_version, 0), loaded.version)
        limit = min(max(request.limit or 100, 1), LARGEST_PAGE)
        seat = seat_of(loaded.table, request.caller)
        entries = await self.store.log(loaded.table.id, after, limit)
        lines = [log_line(number, entry, seat) for number, entry in enumerate(entries, after + 1)]
        return pb.LogResponse(lines=lines, version=loaded.version)

    async def replay(self, request: pb.TableRequest) -> pb.Replay:
        loaded = await self.store.load(request.table)
        table = loaded.table
        check_access(table, request.caller, request.join_code)
        if table.status != "finished":
            raise conflict("NOT_FINISHED", f"the table is {table.status}; the seed is published when the game is over")
        return pb.Replay(
            game=table.game,
            rules_version=table.rules_version,
            options=table.options,
            seats=rules_seats(table),
            seed=loaded.record.seed.hex(),
            seed_hash=table.seed_hash,
            actions=await self.replayer.actions(loaded),
            outcome=table.outcome,
            seated=table.seats,
            resigned=resigned_seats(table),
        )

    async def look_back(self, request: replays_pb2.LookBackRequest) -> pb.TablePosition:
        loaded = await self.store.load(request.table)
        table = loaded.table
        check_access(table, request.caller, request.join_code)
        if table.status != "finished":
            raise conflict("NOT_FINISHED", f"the table is {table.status}; look back when the game is over")
        if not 0 <= request.version <= loaded.version:
            raise stale(loaded.version)
        actions = await self.replayer.actions(loaded, request.version)
        try:
            position = await self.replayer.position(loaded, actions)
        except RulesChanged:
            # The rules of today will do if they come to the same end.
            await self.replayer.same_position(loaded, await self.replayer.actions(loaded))
            position = await self.rules.replay(table.game, replay_of(loaded, actions))
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
