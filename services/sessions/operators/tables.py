"""The operator's calls about tables: find, inspect and mend them. See operators.proto."""

from collections.abc import AsyncIterator, Callable

from services.platform.clock import now_ms
from services.platform.errors import conflict, invalid
from services.platform.settings import Settings
from services.sessions.people.presence import Presence
from services.sessions.play.positions import log_line
from services.sessions.rules.client import RulesClient
from services.sessions.rules.renewal import Renewal
from services.sessions.store import keys
from services.sessions.store.keys import SHARDS, TABLE_KEYS
from services.sessions.store.records import Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.retention import Retention
from services.sessions.tables.seats import bot_level, bot_seat
from services.sessions.tables.writer import TRIES, TableWriter, busy
from services.sessions.turns.dispatcher import Dispatcher
from services.sessions.turns.outbox import Outbox
from teahouse.v1 import operators_pb2 as op
from teahouse.v1 import sessions_pb2 as pb

# Tables that one call looks at, at the most, beside what one step of a scan brings.
LOOKED_AT = 1000
MOST_LINES = 500
LONGEST_REASON = 200
# Handed out again so often, a bot's turn counts as stuck: once happens when the pool is busy.
STUCK = 2


class OperatedTables:
    """Owns what an operator sees of tables and may do to them."""

    def __init__(
        self,
        settings: Settings,
        store: TableStore,
        rules: RulesClient,
        presence: Presence,
        outbox: Outbox,
        dispatcher: Dispatcher,
        renewal: Renewal,
        retention: Retention,
        writer: TableWriter,
    ) -> None:
        self.settings, self.store, self.rules, self.presence = settings, store, rules, presence
        self.outbox, self.dispatcher = outbox, dispatcher
        self.renewal, self.retention, self.writer = renewal, retention, writer

    async def search(self, request: op.SearchTablesRequest) -> op.SearchTablesResponse:
        answer = op.SearchTablesResponse()
        async for tables, cursor in self._steps(keys.outbox if request.stuck else keys.expiry, request.cursor):
            found = [table for table in await self.store.load_many(tables) if matches(table, request)]
            rows = await self._rows_of(found)
            answer.tables.extend(row for row in rows if row.tries >= STUCK or not request.stuck)
            answer.next_cursor = cursor
            if len(answer.tables) >= (request.limit or LOOKED_AT):
                break
        return answer

    async def _steps(self, key: Callable[[int], str], cursor: str) -> AsyncIterator[tuple[list[str], str]]:
        """Ids of tables of one shard from the shards' sorted sets, and where to go on; ends after some of them."""
        number, position = read_cursor(cursor)
        looked_at = 0
        while number < SHARDS and looked_at < LOOKED_AT:
            position, found = await self.store.redis.zscan(key(number), position, count=LOOKED_AT)
            number += not position
            looked_at += len(found)
            yield [table.decode() for table, _ in found], f"{number}:{position}" if number < SHARDS else ""

    async def _rows_of(self, tables: list[pb.Table]) -> list[op.TableRow]:
        """All of one shard."""
        if not tables:
            return []
        number, names = keys.shard(tables[0].id), [table.id for table in tables]
        due = await self.store.redis.zmscore(keys.outbox(number), names)
        tries = await self.store.redis.hmget(keys.tries(number), names)
        rows = []
        for table, when, how_often in zip(tables, due, tries, strict=True):
            table.join_code = ""
            rows.append(
                op.TableRow(table=table, bot_due=None if when is None else int(when), tries=int(how_often or 0))
            )
        return rows

    async def inspect(self, request: op.InspectTableRequest) -> op.TableReport:
        loaded = await self.store.load(request.table)
        table, redis, number = loaded.table, self.store.redis, keys.shard(request.table)
        first = max(0, loaded.version - min(max(request.lines, 0), MOST_LINES))
        entries = await self.store.log(table.id, first) if first < loaded.version else []
        sizes = [await redis.memory_usage(keys.table(table.id, suffix), samples=0) for suffix in TABLE_KEYS]
        running = (await self.rules.survey(table.game)).running
        [row] = await self._rows_of([table])
        return op.TableReport(
            row=row,
            log=[log_line(version, entry, None) for version, entry in enumerate(entries, first + 1)],
            expires_at=int(await redis.zscore(keys.expiry(number), table.id) or 0),
            bytes=sum(size or 0 for size in sizes),
            to_be_counted=await redis.zscore(keys.results(number), table.id) is not None,
            rules_run=table.rules_version in running,
            presence=await self.presence.at(table),
        )

    async def requeue(self, request: op.RequeueTurnRequest) -> op.RequeueTurnResponse:
        for _ in range(TRIES):
            loaded = await self.store.load(request.table)
            table, seat = loaded.table, bot_seat(loaded.table)
            if seat is None:
                raise conflict("NO_BOT_DUE", f"no bot has the decision at {table.id}: {whose(table)}")
            level = bot_level(table.seats[seat]) or ""
            due = now_ms() + int(self.dispatcher.patience(level) * 1000)
            if await self.outbox.requeue(table.id, loaded.version, due):
                self.dispatcher.hand_out(table)
                return op.RequeueTurnResponse(version=loaded.version, seat=seat, bot=level)
        raise busy()

    async def close(self, request: op.CloseTableRequest) -> pb.Table:
        reason = " ".join(request.reason.split())
        if not 0 < len(reason) <= LONGEST_REASON:
            raise invalid("BAD_REASON", f"the reason has {len(reason)} characters; expected 1 to {LONGEST_REASON}")
        for _ in range(TRIES):
            loaded = await self.store.load(request.table)
            table = loaded.table
            if table.status == "finished":
                raise conflict("NOT_PLAYING", f"{table.id} is finished: it has a result, and that stays")
            try:
                if table.status != "closed":
                    await self.writer.close(loaded, "operator", reason)
            except Stale:
                continue
            table.join_code = ""
            return table
        raise busy()

    async def renew(self, request: op.RenewTableRequest) -> pb.Table:
        table = (await self.renewal.renew(request.table, patience=0 if request.close else None)).table
        table.join_code = ""
        return table

    async def get_retention(self, request: op.GetRetentionRequest) -> op.Retention:
        pipe, now = self.store.redis.pipeline(transaction=False), now_ms()
        for number in range(SHARDS):
            pipe.zcard(keys.expiry(number))
            pipe.zcount(keys.expiry(number), "-inf", now)
            pipe.zrange(keys.expiry(number), 0, 0, withscores=True)
        answers = await pipe.execute()
        return op.Retention(
            keep_finished=self.settings.keep_finished,
            keep_abandoned=self.settings.keep_abandoned,
            tables=sum(answers[0::3]),
            due=sum(answers[1::3]),
            next=min((int(at) for rows in answers[2::3] for _, at in rows), default=0),
        )

    async def sweep(self, request: op.SweepTablesRequest) -> op.SweepTablesResponse:
        answer = op.SweepTablesResponse()
        async for tables, cursor in self._steps(keys.expiry, request.cursor):
            for table in tables:
                answer.removed += await self.retention.remove_if_expired(table)
            answer.looked_at += len(tables)
            answer.next_cursor = cursor
        return answer


def read_cursor(cursor: str) -> tuple[int, int]:
    number, _, position = (cursor or "0:0").partition(":")
    if not (number.isdigit() and position.isdigit() and number.isascii() and position.isascii() and len(cursor) < 30):
        raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
    return int(number), int(position)


def matches(table: pb.Table, request: op.SearchTablesRequest) -> bool:
    now = now_ms()
    return (
        request.status in ("", table.status)
        and request.game in ("", table.game)
        and request.rules_version in ("", table.rules_version)
        and now - table.created_at >= request.age * 1000
        and now - table.updated_at >= request.idle * 1000
    )


def whose(table: pb.Table) -> str:
    if table.status != "playing":
        return f"the table is {table.status}"
    return f"seat {table.actor} has it, where a person plays"
