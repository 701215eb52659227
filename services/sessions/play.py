"""The game at a table: look, act, watch, log, replay; and the turns of bots."""

import secrets
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

from prometheus_client import Counter

from services.platform.errors import answers, conflict, denied, invalid, streams
from services.sessions.core import seat_of, stale
from services.sessions.store import Again, Commit, Loaded, Stale, now_ms
from services.sessions.tables import Tables, bot_level, check_access, rules_seats
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

MOVES = Counter("teahouse_moves", "Moves committed.", ["game", "by"])
CONFLICTS = Counter("teahouse_conflicts", "Moves refused because the table had moved on.")
LONGEST_KEY = 100
LARGEST_ACTION = 64 * 1024
LARGEST_PAGE = 500
MOST_CACHED = 4096


class Play(Tables):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Tables as this process last wrote them. A stale one costs a second read, never a wrong move.
        self.cache: dict[str, Loaded] = {}

    @answers
    async def Look(self, request: pb.TableRequest) -> pb.TablePosition:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        return position_for(loaded.table, await self.look(loaded), seat_of(loaded.table, request.caller))

    async def look(self, loaded: Loaded) -> rules_pb2.Position | None:
        if not loaded.state:
            return None
        request = rules_pb2.RulesLookRequest(state=loaded.state)
        position: rules_pb2.Position = await self.rules.call(loaded.table.game, "Look", request)
        return position

    @answers
    async def Act(self, request: pb.ActRequest) -> pb.Update:
        if len(request.action) > LARGEST_ACTION or len(request.idempotency_key) > LONGEST_KEY:
            raise invalid("MALFORMED_ACTION", "an action has at most 64 KB, an idempotency key at most 100 characters")
        loaded = await self.at_version(request.table, request.version)
        seat = seat_of(loaded.table, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "you do not sit at this table")
        once = Once(seat, request) if request.idempotency_key else None
        if once and (answer := await self.store.answered(request.table, once.key)):
            return once.first_answer(answer)
        try:
            return await self.move(loaded, request.version, seat, request.action, once)
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

    async def move(
        self, loaded: Loaded, version: int, seat: int, action: bytes, once: "Once | None" = None
    ) -> pb.Update:
        table = loaded.table
        if loaded.version != version:
            raise Stale(loaded.version)
        if table.status != "playing":
            raise conflict("NOT_PLAYING", f"the table is {table.status}")
        request = rules_pb2.RulesActRequest(state=loaded.state, seat=seat, action=action)
        acted: rules_pb2.RulesActResponse = await self.rules.call(table.game, "Act", request)
        position, state = acted.position, acted.position.state
        entry = pb.LogEntry(at=now_ms(), seat=seat, action=acted.action, events=acted.events)
        listed = "="
        if position.outcome:
            table.status, table.outcome, listed = "finished", position.outcome, ""
            entry.table_events = b'[{"finished":{}}]'
        table.version = version + 1
        update = update_for(table, position, seat, [entry])
        commit = Commit(entry, listed=listed)
        if once:
            commit.once_key, commit.once_answer = once.key, once.digest + update.SerializeToString()
        await self.commit(loaded.record, version, commit, position)
        self.keep(Loaded(loaded.record, version + 1, state))
        level = bot_level(table.seats[seat])
        MOVES.labels(table.game, level or "player").inc()
        return update

    def keep(self, loaded: Loaded) -> None:
        if len(self.cache) >= MOST_CACHED:
            del self.cache[next(iter(self.cache))]
        self.cache[loaded.table.id] = loaded

    @streams
    async def Watch(self, request: pb.WatchRequest) -> AsyncIterator[pb.Update]:
        with self.hub.watch(request.table) as watcher:
            loaded = await self.store.load(request.table)
            check_access(loaded.table, request.caller, request.join_code)
            after = request.after_version if request.HasField("after_version") else loaded.version
            if not 0 <= after <= loaded.version:
                raise stale(loaded.version)
            update = await self.catch_up(loaded, request.caller, after)
            yield update
            seen = update.position.version
            while update.position.status in ("open", "playing"):
                changes, gap = await watcher.take()
                fresh = [change for change in changes if change.version > seen]
                if gap or [change.version for change in fresh] != list(range(seen + 1, seen + 1 + len(fresh))):
                    loaded = await self.store.load(request.table)
                    if loaded.version == seen:
                        continue
                    update = await self.catch_up(loaded, request.caller, seen)
                elif fresh:
                    update = self.news(fresh, request.caller)
                else:
                    continue
                yield update
                seen = update.position.version

    async def catch_up(self, loaded: Loaded, caller: str, after: int) -> pb.Update:
        entries = await self.store.log(loaded.table.id, after, loaded.version - after) if after < loaded.version else []
        return update_for(loaded.table, await self.look(loaded), seat_of(loaded.table, caller), entries)

    def news(self, changes: list[pb.Change], caller: str) -> pb.Update:
        last = changes[-1]
        position = last.position if last.HasField("position") else None
        return update_for(last.table, position, seat_of(last.table, caller), [change.entry for change in changes])

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
        entries = await self.store.log(table.id, 0)
        return pb.Replay(
            game=table.game,
            rules_version=table.rules_version,
            options=table.options,
            seats=rules_seats(table),
            seed=loaded.record.seed.hex(),
            seed_hash=table.seed_hash,
            actions=[
                rules_pb2.ReplayedAction(seat=entry.seat, action=entry.action) for entry in entries if entry.action
            ],
            outcome=table.outcome,
            seated=table.seats,
        )

    @answers
    async def GetBotTurn(self, request: pb.BotTurnRequest) -> pb.BotTurn:
        return await self.bot_turn(await self.at_version(request.table, request.version), request.version)

    @answers
    async def ActAsBot(self, request: pb.ActAsBotRequest) -> pb.BotTurn:
        loaded = await self.at_version(request.table, request.version)
        if loaded.version != request.version or bot_seat(loaded.table) != request.seat:
            return pb.BotTurn(due=False)
        try:
            await self.move(loaded, request.version, request.seat, request.action)
        except Stale:
            return pb.BotTurn(due=False)
        following = self.cache[request.table]
        if bot_seat(following.table) != request.seat:
            return pb.BotTurn(due=False)
        return await self.bot_turn(following, following.version)

    async def bot_turn(self, loaded: Loaded, version: int) -> pb.BotTurn:
        table = loaded.table
        seat = bot_seat(table)
        if seat is None or loaded.version != version:
            return pb.BotTurn(due=False)
        request = rules_pb2.RedealRequest(state=loaded.state, seat=seat, seed=secrets.token_bytes(32))
        redealt: rules_pb2.RedealResponse = await self.rules.call(table.game, "Redeal", request)
        self.keep(loaded)
        return pb.BotTurn(
            due=True,
            table=table.id,
            version=version,
            seat=seat,
            game=table.game,
            bot=bot_level(table.seats[seat]) or "",
            state=redealt.state,
        )


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


def position_for(table: pb.Table, position: rules_pb2.Position | None, seat: int | None) -> pb.TablePosition:
    shown = pb.TablePosition(table=table.id, status=table.status, version=table.version, legal=b"[]")
    if seat is not None:
        shown.seat = seat
    if position is not None:
        shown.view = position.views[-1 if seat is None else seat]
        shown.outcome = position.outcome
        if position.HasField("actor"):
            shown.actor = position.actor
            if position.actor == seat:
                shown.legal = position.legal
    return shown


def update_for(
    table: pb.Table, position: rules_pb2.Position | None, seat: int | None, entries: list[pb.LogEntry]
) -> pb.Update:
    happened = b",".join(entry.table_events[1:-1] for entry in entries if entry.table_events)
    return pb.Update(
        position=position_for(table, position, seat),
        events=events_for(entries, seat),
        table_events=b"[%s]" % happened,
    )
