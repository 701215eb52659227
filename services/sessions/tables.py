"""Tables before and around the game: open, list, sit, leave, start."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from redis.exceptions import RedisError

from services.engine.dice import seed_hash
from services.platform.errors import Refusal, answers, conflict, denied, invalid
from services.sessions.core import seat_of
from services.sessions.players import Players
from services.sessions.store import Commit, Loaded, Stale, new_id, now_ms
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

TRIES = 20
LARGEST_PAGE = 100
# A change of an open table: alters the table in place and says what happened.
Change = Callable[[pb.Table], dict[str, Any]]


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


class Tables(Players):
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
            created_at=int(time.time() * 1000),
            rules_version=info.rules_version,
        )
        if table.visibility == "private":
            table.join_code = new_id("", 6)
        # A trial deal: the rules say now, not at the start, whether seats and options fit.
        trial = rules_pb2.NewRequest(seats=rules_seats(table), options=request.options, seed=bytes(32))
        table.options = (await self.rules.call(info.id, "New", trial)).options
        await self.remember(host.id, table)
        record = pb.TableRecord(table=table)
        await self.write(record, 0, {"opened": {"host": player_json(host)}})
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
            free = [number for number, seat in enumerate(table.seats) if seat.kind == "open"]
            number = request.seat if request.HasField("seat") else next(iter(free), -1)
            check_seat_number(table, number if request.HasField("seat") else 0)
            if number not in free:
                raise conflict("SEAT_TAKEN", f"free seats: {free or 'none'}")
            table.seats[number].CopyFrom(pb.Seat(kind="player", player=player))
            return {"seat_taken": {"seat": number, "player": player_json(player)}}

        def rights(table: pb.Table) -> None:
            check_access(table, player.id, request.join_code)

        table = await self.change(request.table, rights, change)
        await self.remember(player.id, table)
        return shown(table, player.id)

    @answers
    async def LeaveSeat(self, request: pb.LeaveSeatRequest) -> pb.Table:
        def rights(table: pb.Table) -> None:
            if request.caller != table.host and seat_of(table, request.caller) is None:
                raise denied("NOT_SEATED", "you do not sit at this table")

        def change(table: pb.Table) -> dict[str, Any]:
            check_seat_number(table, request.seat)
            seat = table.seats[request.seat]
            if seat.kind != "player" or request.caller not in (seat.player.id, table.host):
                raise denied("NOT_SEATED", "only whoever sits there, or the host, can free the seat")
            left = player_json(seat.player)
            table.seats[request.seat].CopyFrom(pb.Seat(kind="open"))
            others = [other.player.id for other in table.seats if other.kind == "player"]
            if left["id"] == table.host:
                table.host = others[0] if others else table.host
                table.status = table.status if others else "closed"
            return {"seat_left": {"seat": request.seat, "player": left}}

        return shown(await self.change(request.table, rights, change), request.caller)

    @answers
    async def SetSeat(self, request: pb.SetSeatRequest) -> pb.Table:
        info = await self.rules.info((await self.store.load(request.table)).table.game)

        def rights(table: pb.Table) -> None:
            self.check_host(table, request.caller)

        def change(table: pb.Table) -> dict[str, Any]:
            check_seat_number(table, request.seat)
            if table.seats[request.seat].kind == "player":
                raise conflict("SEAT_TAKEN", f"a player sits on seat {request.seat}")
            if request.wanted.kind not in ("open", "bot", "automa"):
                raise invalid("BAD_SEATS", 'kind is "open", "bot" or "automa"', field="kind")
            seat = wanted_seat(info, request.wanted, pb.Player())
            table.seats[request.seat].CopyFrom(seat)
            return {"seat_set": {"seat": request.seat, "kind": seat.kind, "bot": seat.bot}}

        return shown(await self.change(request.table, rights, change), request.caller)

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
        loaded.record.seed = seed
        event = {"started": {"seed_hash": table.seed_hash}}
        await self.write(loaded.record, loaded.version, event, position)
        return table

    def check_host(self, table: pb.Table, caller: str) -> None:
        if not caller or caller != table.host:
            raise denied("NOT_HOST", "only the host of the table can do this")

    async def change(self, table_id: str, rights: Callable[[pb.Table], None], change: Change) -> pb.Table:
        """Loads, changes and writes an open table; begins again if somebody else was faster."""
        for _ in range(TRIES):
            loaded = await self.store.load(table_id)
            rights(loaded.table)
            check_open(loaded.table)
            event = change(loaded.table)
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
        """Writes one change: the record, its position, what the watchers hear, and the bot that may be due."""
        table = record.table
        table.updated_at, table.version = commit.entry.at, version + 1
        bot = None
        if position is not None:
            commit.state = position.state
            position.state = b""
            table.ClearField("actor")
            if position.HasField("actor"):
                table.actor = position.actor
                bot = bot_level(table.seats[position.actor])
            commit.change.position.CopyFrom(position)
        if bot is not None:
            commit.bot_due = commit.entry.at + int(self.settings.redeliver * 1000)
        commit.change.version = version + 1
        commit.change.entry.CopyFrom(commit.entry)
        commit.change.table.CopyFrom(table)
        # A caller who goes away in the middle must not keep the news from the others.
        await asyncio.shield(self.write_and_tell(record, version, commit))

    async def write_and_tell(self, record: pb.TableRecord, version: int, commit: Commit) -> None:
        table = record.table
        try:
            await self.store.commit(record, version, commit)
        except RedisError:
            # It may have been written all the same.
            self.hub.missed(table.id)
            raise
        self.hub.deliver(table.id, commit.change)
        if commit.bot_due is not None and not same_bot_goes_on(commit.entry, table):
            level = bot_level(table.seats[table.actor]) or ""
            self.hand_out(table.id, table.version, level, self.settings.redeliver)

    async def remember(self, player: str, table: pb.Table) -> None:
        await self.store.redis.zadd(tables_key(player), {table.id: table.created_at})

    async def remembered(self, player: str) -> list[tuple[int, str]]:
        rows = await self.store.redis.zrange(tables_key(player), 0, -1, withscores=True)
        return sorted([(int(score), table.decode()) for table, score in rows], reverse=True)


def tables_key(player: str) -> str:
    return f"{{p:{player}}}:tables"


def matches(table: pb.Table, request: pb.ListTablesRequest) -> bool:
    if request.mine and table.host != request.caller and seat_of(table, request.caller) is None:
        return False
    return request.game in ("", table.game) and request.status in ("", table.status)


def bot_level(seat: pb.Seat) -> str | None:
    """The level of the bot that plays the seat, or None for a person."""
    if seat.kind == "automa":
        return "automa"
    return seat.bot if seat.kind == "bot" else None


def same_bot_goes_on(entry: pb.LogEntry, table: pb.Table) -> bool:
    """A bot acted and has the next decision too: its worker has the answer in hand and goes on by itself."""
    return entry.HasField("seat") and entry.seat == table.actor and bot_level(table.seats[entry.seat]) is not None


def read_cursor(cursor: str) -> tuple[int, str]:
    created, _, table = cursor.partition(":")
    if not (created.isascii() and created.isdigit() and len(created) < 20):
        raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
    return int(created), table


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


def busy() -> Refusal:
    return conflict("BUSY", "many people change this table at once; try again")
