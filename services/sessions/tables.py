"""Tables before and around the game: open, list, sit, start."""

import asyncio
import json
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from services.engine.dice import seed_hash
from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, denied, invalid
from services.platform.pool.levels import thinking
from services.platform.tracing.context import CAUSE
from services.sessions import clocks
from services.sessions.core import bot_level, kept_seat, seat_of
from services.sessions.notices import notices
from services.sessions.outside import OutsideBots, check_unrated
from services.sessions.retention import expiry
from services.sessions.store import Change, Commit, Loaded, Stale, new_id, player_list_key
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

TRIES = 20
LARGEST_PAGE = 100
# What is done to an open table: alters it in place and says what happened; None: it is so already.
Deed = Callable[[pb.Table], dict[str, Any] | None]


def rules_seats(table: pb.Table) -> list[str]:
    """The seats as a rules service needs them; who sits there is not its business."""
    return [seat.bot if seat.kind == "automa" else "player" for seat in table.seats]


def shown(table: pb.Table, caller: str) -> pb.Table:
    """The table as that caller may see it: the join code is for those who sit there."""
    if table.join_code and not (caller and (caller == table.host or seat_of(table, caller) is not None)):
        table.join_code = ""
    return table


def check_access(table: pb.Table, caller: str, code: str) -> None:
    if table.visibility != "private" or (caller and caller == table.host) or seat_of(table, caller) is not None:
        return
    if kept_seat(table, caller) is not None:
        return
    if not secrets.compare_digest(code.strip().lower().encode(), table.join_code.encode()):
        raise denied("WRONG_CODE", "this table is private: pass its join_code")


def summary(info: rules_pb2.GameInfo) -> rules_pb2.GameInfo:
    """Without what only GetGame gives: a list must stay small."""
    short = rules_pb2.GameInfo()
    short.CopyFrom(info)
    for large in ("action_schema", "event_schema", "view_schema", "components", "texts"):
        short.ClearField(large)
    return short


def player_json(player: pb.Player) -> dict[str, str]:
    return {"id": player.id, "name": player.name}


class Tables(OutsideBots):
    @answers
    async def ListGames(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        return pb.ListGamesResponse(games=[summary(info) for info in await self.rules.all()])

    @answers
    async def GetGame(self, request: pb.GetGameRequest) -> rules_pb2.GameInfo:
        return await self.rules.info(request.game)

    @answers
    async def OpenTable(self, request: pb.OpenTableRequest) -> pb.Table:
        info = await self.rules.info(request.game)
        host = await self.player(request.caller)
        check_unrated(pb.Table(rated=request.rated), host)
        if request.visibility not in ("", "public", "private"):
            raise invalid("BAD_SEATS", 'visibility is "public" or "private"', field="visibility")
        seats = [wanted_seat(info, seat, host) for seat in request.seats]
        if sum(seat.kind == "player" for seat in seats) > 1:
            raise invalid("BAD_SEATS", "you can sit on one seat only; make the others open", field="seats")
        table = pb.Table(
            id=new_id("t_"),
            game=info.id,
            status="open",
            visibility=request.visibility or "public",
            seats=seats,
            host=host.id,
            created_at=now_ms(),
            rules_version=info.rules_version,
            clock=clocks.checked(request.clock),
            rated=request.rated,
        )
        check_rated(table)
        if table.visibility == "private":
            table.join_code = new_id("", 6)
        # A trial deal: the rules say now, not at the start, whether seats and options fit.
        trial = rules_pb2.NewRequest(seats=rules_seats(table), options=request.options, seed=bytes(32))
        table.options = (await self.rules.call(info.id, "New", trial)).options
        record = pb.TableRecord(table=table)
        await self.write(record, 0, {"opened": {"host": player_json(host)}})
        await self.remember(host.id, table)
        return record.table

    @answers
    async def ListTables(self, request: pb.ListTablesRequest) -> pb.ListTablesResponse:
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        if request.status not in ("", "open", "playing"):
            raise invalid("BAD_PAGE", 'status is "open" or "playing"', field="status")
        if request.game:
            await self.rules.info(request.game)
        below = read_cursor(request.cursor) if request.cursor else None
        page: list[pb.Table] = []
        while len(page) <= limit:
            rows = await self.rows(request, below)
            if not rows:
                return pb.ListTablesResponse(tables=page)
            below = rows[-1]
            tables = await self.store.load_many([table for _, table in rows])
            page += [shown(table, request.caller) for table in tables if matches(table, request)]
        last = page[limit - 1]
        return pb.ListTablesResponse(tables=page[:limit], next_cursor=f"{last.created_at}:{last.id}")

    async def rows(self, request: pb.ListTablesRequest, below: tuple[int, str] | None) -> list[tuple[int, str]]:
        """The next tables that may belong on the page, newest first."""
        if request.mine:
            mine = await self.remembered(request.caller)
            return [row for row in mine if below is None or row < below][:LARGEST_PAGE]
        wanted = [request.status] if request.status else ["open", "playing"]
        lists = [await self.store.listed(status, below, LARGEST_PAGE) for status in wanted]
        return sorted((row for rows in lists for row in rows), reverse=True)[:LARGEST_PAGE]

    @answers
    async def GetTable(self, request: pb.TableRequest) -> pb.Table:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        return shown(loaded.table, request.caller)

    @answers
    async def TakeSeat(self, request: pb.TakeSeatRequest) -> pb.Table:
        player = await self.player(request.caller)

        def change(table: pb.Table) -> dict[str, Any]:
            if seat_of(table, player.id) is not None:
                raise conflict("ALREADY_SEATED", "you sit at this table already")
            check_unrated(table, player)
            free = [
                number
                for number, seat in enumerate(table.seats)
                if seat.kind == "open" and seat.invited.id in ("", player.id)
            ]
            kept = kept_seat(table, player.id)
            first = next(iter(free), -1) if kept is None else kept
            number = request.seat if request.HasField("seat") else first
            check_seat_number(table, number if request.HasField("seat") else 0)
            if number not in free:
                raise conflict("SEAT_TAKEN", f"free seats: {free or 'none'}")
            if kept is not None:
                table.seats[kept].ClearField("invited")
            table.seats[number].CopyFrom(pb.Seat(kind="player", player=player))
            return {"seat_taken": {"seat": number, "player": player_json(player)}}

        def rights(table: pb.Table) -> None:
            check_access(table, player.id, request.join_code)

        return shown(await self.change(request.table, rights, change, player.id), player.id)

    @answers
    async def SetSeat(self, request: pb.SetSeatRequest) -> pb.Table:
        table = (await self.store.load(request.table)).table
        info = await self.rules.info(table.game)
        # The bot account that is to sit there.
        guest = None
        if request.wanted.kind == "player":
            self.check_host(table, request.caller)
            guest = await self.seatable(request.wanted.player.id, table.game)

        def rights(table: pb.Table) -> None:
            self.check_host(table, request.caller)

        def change(table: pb.Table) -> dict[str, Any]:
            check_seat_number(table, request.seat)
            if table.seats[request.seat].kind == "player":
                raise conflict("SEAT_TAKEN", f"a player sits on seat {request.seat}")
            if guest:
                return seat_guest(table, request.seat, guest, request.caller)
            if request.wanted.kind not in ("open", "bot", "automa"):
                raise invalid("BAD_SEATS", 'kind is "open", "bot", "automa" or "player"', field="kind")
            seat = wanted_seat(info, request.wanted, pb.Player())
            table.seats[request.seat].CopyFrom(seat)
            check_rated(table)
            return {"seat_set": {"seat": request.seat, "kind": seat.kind, "bot": seat.bot}}

        table = await self.change(request.table, rights, change, guest.id if guest else "")
        if guest:
            await self.tell(guest.id)
        return shown(table, request.caller)

    @answers
    async def StartTable(self, request: pb.TableRequest) -> pb.Table:
        for _ in range(TRIES):
            loaded = await self.store.load(request.table)
            table = loaded.table
            self.check_host(table, request.caller)
            check_open(table)
            free = [number for number, seat in enumerate(table.seats) if seat.kind == "open"]
            if free:
                raise conflict("SEATS_OPEN", f"seats {free} are still open: wait for players or seat bots there")
            try:
                return shown(await self.deal(loaded), request.caller)
            except Stale:
                continue
        raise busy()

    async def deal(self, loaded: Loaded) -> pb.Table:
        table = loaded.table
        seed = secrets.token_bytes(32)
        deal = rules_pb2.NewRequest(seats=rules_seats(table), options=table.options, seed=seed)
        position: rules_pb2.Position = await self.rules.call(table.game, "New", deal)
        table.status, table.seed_hash = "playing", seed_hash(seed)
        table.rules_version = position.rules_version
        clocks.fill_banks(table)
        loaded.record.seed = seed
        event = {"started": {"seed_hash": table.seed_hash}}
        await self.write(loaded.record, loaded.version, event, position)
        return table

    def check_host(self, table: pb.Table, caller: str) -> None:
        if not caller or caller != table.host:
            raise denied("NOT_HOST", "only the host of the table can do this")

    async def change(
        self, table_id: str, rights: Callable[[pb.Table], None], change: Deed, concerned: str = ""
    ) -> pb.Table:
        """Loads, changes and writes an open table; begins again if somebody else was faster.

        `concerned` is a player to whose tables it belongs from now on; that is noted first, lest it be lost.
        """
        for _ in range(TRIES):
            loaded = await self.store.load(table_id)
            rights(loaded.table)
            check_open(loaded.table)
            event = change(loaded.table)
            if event is None:
                return loaded.table
            if concerned:
                await self.remember(concerned, loaded.table)
            try:
                await self.write(loaded.record, loaded.version, event)
            except Stale:
                continue
            return loaded.table
        raise busy()

    async def write(
        self, record: pb.TableRecord, version: int, event: dict[str, Any], position: rules_pb2.Position | None = None
    ) -> None:
        """Commits something that happened to the table itself and tells those who watch."""
        table = record.table
        entry = pb.LogEntry(at=now_ms(), table_events=json.dumps([event], ensure_ascii=False).encode())
        listed = table.status if table.visibility == "public" else ""
        await self.commit(record, version, Commit(entry, listed=listed), position)

    async def commit(
        self, record: pb.TableRecord, version: int, commit: Commit, position: rules_pb2.Position | None = None
    ) -> None:
        self.settle(record.table, version, commit, position)
        await self.post(record, version, commit, position)

    def settle(self, table: pb.Table, version: int, commit: Commit, position: rules_pb2.Position | None) -> None:
        """What follows from a change: the next actor, the clock, the bot that is due, the time of expiry, notices."""
        entry = commit.entry
        table.updated_at, table.version = entry.at, version + 1
        # A rematch is noted after the end; the end itself was counted then.
        commit.finished = table.status == "finished" and not table.rematch
        timed, actor = clocks.running(table), table.actor if table.HasField("actor") else None
        if position is not None:
            commit.state = position.state
            position.state = b""
            table.waiting_since = entry.at
            table.ClearField("actor")
            if position.HasField("actor"):
                table.actor = position.actor
        if table.status != "playing":
            table.ClearField("actor")
        commit.notices = notices(table, entry, actor)
        if table.HasField("clock"):
            clocks.wind(table, timed, entry)
            commit.deadline = table.deadline if table.HasField("deadline") else ""
        bot = bot_level(table.seats[table.actor]) if table.HasField("actor") else None
        if bot is not None:
            commit.bot_due = entry.at + int(self.patience(bot) * 1000)
        if commit.listed != "=":
            commit.expires = expiry(table, self.settings)

    async def post(
        self, record: pb.TableRecord, version: int, commit: Commit, position: rules_pb2.Position | None
    ) -> None:
        """Writes a settled change and tells those who watch."""
        if commit.bot_due is not None:
            record.cause.CopyFrom(CAUSE.get())
        seen = pb.Table()
        seen.CopyFrom(record.table)
        change = Change(version + 1, commit.entry, position, seen)
        written = self.store.commit(record, version, commit, change)
        # Beside the caller, who may go away in the middle: that must not keep the news from the others.
        written.add_done_callback(partial(self.tell_change, commit, change))
        self.store.committed(await asyncio.shield(written))

    def tell_change(self, commit: Commit, change: Change, written: "asyncio.Future[tuple[bytes, Any]]") -> None:
        table = change.table
        if written.cancelled() or written.exception():
            # It may have been written all the same.
            self.hub.missed(table.id)
        elif written.result()[0] == b"ok":
            self.hub.deliver(table.id, change)
            if commit.bot_due is not None and not same_bot_goes_on(commit.entry, table):
                level = bot_level(table.seats[table.actor]) or ""
                self.hand_out(table.id, table.version, level, self.patience(level), person_waits(table))

    def patience(self, level: str) -> float:
        """Seconds after which a bot's turn is handed out again: those that think get the time for it."""
        return self.settings.redeliver + thinking(level)

    async def remember(self, player: str, table: pb.Table) -> None:
        for name in ("tables", "live"):
            await self.store.redis.zadd(player_list_key(player, name), {table.id: table.created_at})

    async def remembered(self, player: str) -> list[tuple[int, str]]:
        rows = await self.store.redis.zrange(player_list_key(player, "tables"), 0, -1, withscores=True)
        return sorted([(int(score), table.decode()) for table, score in rows], reverse=True)


def matches(table: pb.Table, request: pb.ListTablesRequest) -> bool:
    if request.mine and table.host != request.caller and seat_of(table, request.caller) is None:
        return False
    return request.game in ("", table.game) and request.status in ("", table.status)


def person_waits(table: pb.Table) -> bool:
    """Tables where only bots play, outside bots among them, can wait for the others."""
    return any(seat.kind == "player" and not seat.player.bot and not seat.stand_in for seat in table.seats)


def same_bot_goes_on(entry: pb.LogEntry, table: pb.Table) -> bool:
    """A bot acted and has the next decision too: its worker has the answer in hand and goes on by itself."""
    return entry.HasField("seat") and entry.seat == table.actor and bot_level(table.seats[entry.seat]) is not None


def read_cursor(cursor: str) -> tuple[int, str]:
    created, _, table = cursor.partition(":")
    if not (created.isascii() and created.isdigit() and len(created) < 20):
        raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
    return int(created), table


def check_rated(table: pb.Table) -> None:
    if table.rated and (len(table.seats) < 2 or any(seat.kind in ("bot", "automa") for seat in table.seats)):
        raise invalid("BAD_SEATS", "a rated table has two seats or more and no bots or automas", field="seats")


def check_open(table: pb.Table) -> None:
    if table.status != "open":
        raise conflict("NOT_OPEN", f"the table is {table.status}; this can be done only before the game starts")


def check_seat_number(table: pb.Table, seat: int) -> None:
    if not 0 <= seat < len(table.seats):
        raise invalid("BAD_SEATS", f"there is no seat {seat}; seats are 0 to {len(table.seats) - 1}", field="seat")


def wanted_seat(info: rules_pb2.GameInfo, seat: pb.Seat, me: pb.Player) -> pb.Seat:
    if seat.kind == "me":
        return pb.Seat(kind="player", player=me)
    if seat.kind == "open":
        return pb.Seat(kind="open")
    if seat.kind in ("bot", "automa"):
        known = info.bots if seat.kind == "bot" else info.automas
        if seat.bot not in known:
            text = f"{info.id} has no {seat.kind} {seat.bot[:40]!r}; it has {', '.join(known) or 'none'}"
            raise invalid("BAD_BOT", text, field="seats")
        return pb.Seat(kind=seat.kind, bot=seat.bot)
    raise invalid("BAD_SEATS", 'a seat is "me", "open", "bot" or "automa"', field="seats")


def seat_guest(table: pb.Table, number: int, guest: pb.Player, host: str) -> dict[str, Any]:
    """A bot account accepts by having offered itself."""
    if seat_of(table, guest.id) is not None:
        raise conflict("ALREADY_SEATED", f"{guest.name} sits at this table already")
    check_unrated(table, guest)
    table.seats[number].CopyFrom(pb.Seat(kind="player", player=guest))
    return {"seat_taken": {"seat": number, "player": player_json(guest), "by": host}}


def busy() -> Refusal:
    return conflict("BUSY", "many people change this table at once; try again")
