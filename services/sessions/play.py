"""The game at a table: look, act, watch, log, replay; and the turns of bots."""

import json
import logging
import secrets
from collections.abc import AsyncIterator
from functools import cache
from hashlib import sha256
from typing import Any

from prometheus_client import Counter

from services.engine.resigning import resigned_last
from services.platform.clock import now_ms
from services.platform.errors import answers, conflict, denied, invalid, streams
from services.platform.pool.levels import thinking
from services.sessions.clocks import check_in_time, help_back
from services.sessions.core import bot_level, check_playing, seat_of, stale
from services.sessions.renewing import Renewing
from services.sessions.rules import RulesChanged
from services.sessions.store import Again, Change, Commit, Loaded, Stale
from services.sessions.tables import check_access, rules_seats
from services.sessions.watch import Watcher
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
MOVES = Counter("teahouse_moves", "Moves committed.", ["game", "by"])
CONFLICTS = Counter("teahouse_conflicts", "Moves refused because the table had moved on.")
# Finding a metric's child costs more than counting there.
moves = cache(MOVES.labels)
LONGEST_KEY = 100
LARGEST_ACTION = 64 * 1024
LARGEST_PAGE = 500
MOST_CACHED, CACHED_MS = 4096, 30_000
# What happened to a table itself.
Event = dict[str, Any]


class Play(Renewing):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Tables as this process last wrote them. A stale one costs a second read, never a wrong move.
        self.cache: dict[str, Loaded] = {}

    @answers
    async def Look(self, request: pb.TableRequest) -> pb.TablePosition:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        position = await self.look(loaded)
        return position_for(loaded.table, position, seat_of(loaded.table, request.caller))

    @answers
    async def Act(self, request: pb.ActRequest) -> pb.Update:
        if len(request.action) > LARGEST_ACTION or len(request.idempotency_key) > LONGEST_KEY:
            raise invalid("MALFORMED_ACTION", "an action has at most 64 KB, an idempotency key at most 100 characters")
        try:
            return await self.act(request, request.version)
        except RulesChanged:
            return await self.act(request, await self.renewed(request.table, request.version))

    async def act(self, request: pb.ActRequest, version: int) -> pb.Update:
        loaded = await self.at_version(request.table, version)
        seat = seat_of(loaded.table, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "you do not sit at this table")
        once = Once(seat, request) if request.idempotency_key else None
        if once and (answer := await self.store.answered(request.table, once.key)):
            return once.first_answer(answer)
        told = self.come_back(loaded.table, seat) if loaded.table.seats[seat].stand_in else []
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

    async def at_version(self, table: str, version: int) -> Loaded:
        """The table from the cache if it is at that version there, else as it is in Redis."""
        loaded = self.cache.pop(table, None)
        if loaded is None or loaded.version != version:
            loaded = await self.store.load(table)
        return loaded

    def come_back(self, table: pb.Table, seat: int) -> list[Event]:
        """The player takes the seat back from the stand-in."""
        if table.seats[seat].resigned:
            raise conflict("RESIGNED", "you have resigned; a bot plays your seat to the end")
        table.seats[seat].stand_in = ""
        help_back(table, seat)
        return [{"returned": {"seat": seat}}]

    async def move(
        self,
        loaded: Loaded,
        version: int,
        seat: int,
        action: bytes,
        once: "Once | None" = None,
        told: list[Event] | None = None,
    ) -> tuple[pb.LogEntry, rules_pb2.Position]:
        """`told` is what happened to the table itself with this move."""
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
        acted: rules_pb2.RulesActResponse = await self.rules.call(table.game, "Act", request, table.rules_version)
        position, state = acted.position, acted.position.state
        undoable = acted.undoable and level is None
        entry = pb.LogEntry(at=now_ms(), seat=seat, action=acted.action, events=acted.events, undoable=undoable)
        listed = "="
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
        self.settle(table, version, commit, position)
        if once:
            answer = update_for(table, position, seat, [entry])
            commit.once_key, commit.once_answer = once.key, once.digest + answer.SerializeToString()
        await self.post(loaded.record, version, commit, position)
        self.keep(Loaded(loaded.record, version + 1, state))
        moves(table.game, level or "player").inc()
        if log.isEnabledFor(logging.DEBUG):
            log.debug("a move is written", extra={"table": table.id, "seat": seat, "version": version + 1})
        return entry, position

    def keep(self, loaded: Loaded) -> None:
        """Until nobody has played there for a while. The first in the cache are the longest unused."""
        self.cache[loaded.table.id] = loaded
        old = loaded.table.updated_at - CACHED_MS
        while (first := next(iter(self.cache.values())).table).updated_at < old or len(self.cache) > MOST_CACHED:
            del self.cache[first.id]

    @streams
    async def Watch(self, request: pb.WatchRequest) -> AsyncIterator[pb.Update]:
        table = (await self.store.load(request.table)).table
        check_access(table, request.caller, request.join_code)
        with self.hub.attend(request.table, request.caller, seat_of(table, request.caller) is None) as watcher:
            update, table = await self.first_update(request, watcher)
            yield update
            seen = update.position.version
            while table.status in ("open", "playing"):
                changes, gap = await watcher.take()
                if request.company and (news := self.hub.news(watcher, table)):
                    yield news
                fresh = [change for change in changes if change.version > seen]
                following = [change.version for change in fresh] == list(range(seen + 1, seen + 1 + len(fresh)))
                seat, open_before = seat_of(fresh[-1].table, request.caller) if fresh else None, table.status == "open"
                if gap or not following or (fresh and not shows(fresh[-1], seat)):
                    loaded = await self.store.load(request.table)
                    if loaded.version == seen:
                        continue
                    update = await self.catch_up(loaded, request.caller, seen)
                    table = loaded.table
                elif fresh:
                    table, update = fresh[-1].table, update_of(fresh, seat)
                else:
                    continue
                if open_before:  # a seat or an invitation may have been taken away
                    check_access(table, request.caller, request.join_code)
                yield update
                seen = update.position.version
                if table.status == "open":
                    # Somebody sat down or left: who is connected may now be somebody else's seat.
                    watcher.stirred = True
                    watcher.wake()

    async def first_update(self, request: pb.WatchRequest, watcher: Watcher) -> tuple[pb.Update, pb.Table]:
        """What the caller has missed, and the table as it is."""
        loaded = await self.store.load(request.table)
        after = request.after_version if request.HasField("after_version") else loaded.version
        if not 0 <= after <= loaded.version:
            raise stale(loaded.version)
        update = await self.catch_up(loaded, request.caller, after)
        if request.company:
            if request.HasField("after_line"):
                update.chat.extend(await self.store.chat(request.table, request.after_line))
            update.newest_line = update.chat[-1].id if update.chat else await self.store.newest_line(request.table)
            self.hub.begin_after(request.table, watcher, update.newest_line)
        return update, loaded.table

    async def catch_up(self, loaded: Loaded, caller: str, after: int) -> pb.Update:
        position = await self.look(loaded)
        entries = await self.store.log(loaded.table.id, after, loaded.version - after) if after < loaded.version else []
        return update_for(loaded.table, position, seat_of(loaded.table, caller), entries)

    @answers
    async def GetLog(self, request: pb.LogRequest) -> pb.LogResponse:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        after = min(max(request.after_version, 0), loaded.version)
        limit = min(max(request.limit or 100, 1), LARGEST_PAGE)
        seat = seat_of(loaded.table, request.caller)
        lines = [
            pb.LogLine(
                version=number,
                at=entry.at,
                seat=entry.seat if entry.HasField("seat") else None,
                events=events_for([entry], seat),
                table_events=entry.table_events or b"[]",
            )
            for number, entry in enumerate(await self.store.log(loaded.table.id, after, limit), after + 1)
        ]
        return pb.LogResponse(lines=lines, version=loaded.version)

    @answers
    async def GetReplay(self, request: pb.TableRequest) -> pb.Replay:
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
            actions=await self.actions(loaded),
            outcome=table.outcome,
            seated=table.seats,
            resigned=resigned_seats(table),
        )

    @answers
    async def GetBotTurn(self, request: pb.BotTurnRequest) -> pb.BotTurn:
        turn = await self.bot_turn(await self.at_version(request.table, request.version), request.version)
        if turn.due and thinking(turn.bot):
            # However long it has waited: while it is thought about nobody else should do the same.
            await self.store.is_thought_about(turn.table, turn.at + int(self.patience(turn.bot) * 1000))
        return turn

    @answers
    async def ActAsBot(self, request: pb.ActAsBotRequest) -> pb.BotTurn:
        loaded = await self.at_version(request.table, request.version)
        if loaded.version != request.version or bot_seat(loaded.table) != request.seat:
            return nothing_due()
        try:
            await self.move(loaded, request.version, request.seat, request.action)
        except Stale:
            return nothing_due()
        except RulesChanged:
            # The renewal hands the turn out again, to whoever knows the new rules.
            await self.renew(request.table)
            return nothing_due()
        following = self.cache[request.table]
        if bot_seat(following.table) != request.seat:
            return nothing_due(played=True)
        # Ours alone until it is kept again: another request must not alter it meanwhile.
        del self.cache[request.table]
        turn = await self.bot_turn(following, following.version)
        turn.played = True
        return turn

    async def bot_turn(self, loaded: Loaded, version: int) -> pb.BotTurn:
        table = loaded.table
        seat = bot_seat(table)
        if seat is None or loaded.version != version:
            return nothing_due()
        request = rules_pb2.RedealRequest(state=loaded.state, seat=seat, seed=secrets.token_bytes(32))
        try:
            redealt: rules_pb2.RedealResponse = await self.rules.call(
                table.game, "Redeal", request, table.rules_version
            )
        except RulesChanged:
            await self.renew(table.id)
            return nothing_due()
        self.keep(loaded)
        return pb.BotTurn(
            due=True,
            at=now_ms(),
            table=table.id,
            version=version,
            seat=seat,
            game=table.game,
            bot=bot_level(table.seats[seat]) or "",
            state=redealt.state,
        )


def nothing_due(played: bool = False) -> pb.BotTurn:
    return pb.BotTurn(due=False, at=now_ms(), played=played)


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


def resigned_seats(table: pb.Table) -> list[int]:
    return [number for number, seat in enumerate(table.seats) if seat.resigned]


def final_outcome(table: pb.Table, outcome: bytes) -> bytes:
    """The game's own outcome, with those who resigned last."""
    resigned = resigned_seats(table)
    return json.dumps(resigned_last(json.loads(outcome), resigned)).encode() if resigned else outcome


def bot_seat(table: pb.Table) -> int | None:
    """The bot's seat that has the decision, if one has."""
    if table.status != "playing" or not table.HasField("actor") or bot_level(table.seats[table.actor]) is None:
        return None
    return table.actor


def events_for(entries: list[pb.LogEntry], seat: int | None) -> bytes:
    """The game events of these entries as that onlooker may know them: one JSON array."""
    parts = []
    for entry in entries:
        told = entry.events.by_seat
        if not told:
            continue
        own = told[seat] if seat is not None else b""
        inner = (own or told[-1])[1:-1]
        if inner:
            parts.append(inner)
    return b"[%s]" % b",".join(parts)


def shows(change: Change, seat: int | None) -> bool:
    """Whether the change brings the onlooker's view along; one that nobody here wanted when it was made does not."""
    if change.position is None:
        return not change.table.seed_hash
    return bool(change.position.views[-1 if seat is None else seat])


def update_of(changes: list[Change], seat: int | None) -> pb.Update:
    last = changes[-1]
    return update_for(last.table, last.position, seat, [change.entry for change in changes])


def position_for(table: pb.Table, position: rules_pb2.Position | None, seat: int | None) -> pb.TablePosition:
    shown = pb.TablePosition()
    show(shown, table, position, seat)
    return shown


def show(shown: pb.TablePosition, table: pb.Table, position: rules_pb2.Position | None, seat: int | None) -> None:
    """Fills in what that onlooker sees."""
    status = table.status
    shown.table, shown.status, shown.version, shown.legal = table.id, status, table.version, b"[]"
    if seat is not None:
        shown.seat = seat
    shown.outcome = table.outcome
    if position is not None:
        shown.view = position.views[-1 if seat is None else seat]
        if status == "playing":
            shown.actor = actor = position.actor
            if actor == seat:
                shown.legal = position.legal
                shown.can_undo = bool(table.undoable)
            if table.HasField("deadline"):
                shown.deadline = table.deadline


def update_for(
    table: pb.Table, position: rules_pb2.Position | None, seat: int | None, entries: list[pb.LogEntry]
) -> pb.Update:
    happened = b",".join([entry.table_events[1:-1] for entry in entries if entry.table_events])
    update = pb.Update(events=events_for(entries, seat), table_events=b"[%s]" % happened)
    show(update.position, table, position, seat)
    return update
