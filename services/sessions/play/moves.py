"""Moves: whose turn it is, at which version, and in time? The game decides what is legal and what happens."""

import json
import logging
from functools import cache
from hashlib import sha256

from prometheus_client import Counter

from services.engine.resigning import resigned_last
from services.platform.clock import now_ms
from services.platform.errors import invalid
from services.sessions.play.cache import TableCache
from services.sessions.play.clocks import check_in_time
from services.sessions.play.positions import update_for
from services.sessions.play.stand_ins import come_back
from services.sessions.rules.client import RulesChanged, RulesClient
from services.sessions.rules.renewal import Renewal
from services.sessions.store.ids import LONGEST_KEY
from services.sessions.store.records import Again, Commit, Loaded, Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_playing
from services.sessions.tables.seats import bot_level, own_seat, resigned_seats
from services.sessions.tables.writer import Event, TableWriter, stale
from services.sessions.updates.hub import Hub
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
MOVES = Counter("teahouse_moves", "Moves committed.", ["game", "by"])
CONFLICTS = Counter("teahouse_conflicts", "Moves refused because the table had moved on.")
# Finding a metric's child costs more than counting there.
moves = cache(MOVES.labels)
LARGEST_ACTION = 64 * 1024


class Moves:
    """Owns the way of an action from whoever sends it into the table's log."""

    def __init__(
        self,
        store: TableStore,
        cache: TableCache,
        rules: RulesClient,
        renewal: Renewal,
        writer: TableWriter,
        hub: Hub,
    ) -> None:
        self.store, self.cache, self.rules = store, cache, rules
        self.renewal, self.writer, self.hub = renewal, writer, hub

    async def act(self, request: pb.ActRequest) -> pb.Update:
        if len(request.action) > LARGEST_ACTION or len(request.idempotency_key) > LONGEST_KEY:
            raise invalid("MALFORMED_ACTION", "an action has at most 64 KB, an idempotency key at most 100 characters")
        try:
            return await self._act(request, request.version)
        except RulesChanged:
            return await self._act(request, await self.renewal.renewed_version(request.table, request.version))

    async def _act(self, request: pb.ActRequest, version: int) -> pb.Update:
        loaded = await self.cache.at_version(request.table, version)
        seat = own_seat(loaded.table, request.caller)
        once = Once(seat, request) if request.idempotency_key else None
        if once and (answer := await self.store.answered(request.table, once.key)):
            return once.first_answer(answer)
        told = [come_back(loaded.table, seat)] if loaded.table.seats[seat].stand_in else []
        try:
            entry, position = await self.move(loaded, version, seat, request.action, once, told)
            if request.brief:
                return pb.Update(position=pb.TablePosition(version=version + 1))
            return update_for(loaded.table, position, seat, [entry])
        except Again as again:
            assert once
            return once.first_answer(again.answer)
        except Stale as other:
            CONFLICTS.inc()
            raise stale(other.version) from None

    async def move(
        self,
        loaded: Loaded,
        version: int,
        seat: int,
        action: bytes,
        once: "Once | None" = None,
        told: list[Event] | None = None,
    ) -> tuple[pb.LogEntry, rules_pb2.Position]:
        """Of a person or a bot. `told` is what happened to the table itself with this move."""
        table = loaded.table
        if loaded.version != version:
            raise Stale(loaded.version)
        check_playing(table)
        check_in_time(table, seat, now_ms())
        level = bot_level(table.seats[seat])
        unwanted = [number for number, other in enumerate(table.seats) if other.kind != "player"]
        if not self.hub.has_spectators(table.id):
            unwanted.append(len(table.seats))
        request = rules_pb2.RulesActRequest(state=loaded.state, seat=seat, action=action, unwanted=unwanted)
        acted = await self.rules.act(table.game, request, table.rules_version)
        position, state = acted.position, acted.position.state
        undoable = acted.undoable and level is None
        entry = pb.LogEntry(at=now_ms(), seat=seat, action=acted.action, events=acted.events, undoable=undoable)
        listed = None
        told = told or []
        if position.outcome:
            table.status, table.outcome, listed = "finished", final_outcome(table, position.outcome), ""
            told.append({"finished": {}})
        if told:
            entry.table_events = json.dumps(told).encode()
        if undoable:
            table.undoable.append(version + 1)
        else:
            table.ClearField("undoable")
        table.seats[seat].ClearField("absent_votes")
        commit = Commit(entry, listed=listed)
        self.writer.settle(table, version, commit, position)
        if once:
            answer = update_for(table, position, seat, [entry])
            commit.once_key, commit.once_answer = once.key, once.digest + answer.SerializeToString()
        await self.writer.post(loaded.record, version, commit, position)
        self.cache.keep(Loaded(loaded.record, version + 1, state))
        moves(table.game, level or "player").inc()
        if log.isEnabledFor(logging.DEBUG):
            log.debug("a move is written", extra={"table": table.id, "seat": seat, "version": version + 1})
        return entry, position


class Once:
    """A request that may come twice: its key, and a digest of what it asks for."""

    def __init__(self, seat: int, request: pb.ActRequest) -> None:
        self.key = f"{seat}:{request.idempotency_key}"
        self.digest = sha256(b"%d %b" % (request.version, request.action)).digest()

    def first_answer(self, kept: bytes) -> pb.Update:
        size = len(self.digest)
        if kept[:size] != self.digest:
            raise invalid("KEY_REUSED", "this idempotency key was used for another action; take a new key for each")
        return pb.Update.FromString(kept[size:])


def final_outcome(table: pb.Table, outcome: bytes) -> bytes:
    """The game's own outcome, with those who resigned last."""
    resigned = resigned_seats(table)
    return json.dumps(resigned_last(json.loads(outcome), resigned)).encode() if resigned else outcome
