"""The operator's calls: find, inspect and mend tables, retention, statistics. See operators.proto."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from services.platform.clock import now_ms
from services.platform.errors import answers, conflict, invalid
from services.sessions.core import bot_level
from services.sessions.play import Play, bot_seat, events_for
from services.sessions.retention import remove_if_expired
from services.sessions.scripts import Together
from services.sessions.statistics import statistics
from services.sessions.store import (
    SHARDS,
    TABLE_KEYS,
    Stale,
    expiry_key,
    late_key,
    outbox_key,
    results_key,
    shard,
    tries_key,
)
from services.sessions.tables import TRIES, busy, person_waits
from teahouse.v1 import operators_pb2 as op
from teahouse.v1 import sessions_pb2 as pb

# Tables that one call looks at, at the most, beside what one step of a scan brings.
LOOKED_AT = 1000
MOST_LINES = 500
LONGEST_REASON = 200
# Handed out again so often, a bot's turn counts as stuck: once happens when the pool is busy.
STUCK = 2


class Operators(Play):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._requeue = Together(self.store.redis, "requeue")

    @answers
    async def SearchTables(self, request: op.SearchTablesRequest) -> op.SearchTablesResponse:
        answer = op.SearchTablesResponse()
        async for tables, cursor in self.steps(outbox_key if request.stuck else expiry_key, request.cursor):
            found = [table for table in await self.store.load_many(tables) if matches(table, request)]
            rows = await self.rows_of(found)
            answer.tables.extend(row for row in rows if row.tries >= STUCK or not request.stuck)
            answer.next_cursor = cursor
            if len(answer.tables) >= (request.limit or LOOKED_AT):
                break
        return answer

    async def steps(self, key: Callable[[int], str], cursor: str) -> AsyncIterator[tuple[list[str], str]]:
        """Ids of tables of one shard from the shards' sorted sets, and where to go on; ends after some of them."""
        number, position = read_cursor(cursor)
        looked_at = 0
        while number < SHARDS and looked_at < LOOKED_AT:
            position, found = await self.store.redis.zscan(key(number), position, count=LOOKED_AT)
            number += not position
            looked_at += len(found)
            yield [table.decode() for table, _ in found], f"{number}:{position}" if number < SHARDS else ""

    async def rows_of(self, tables: list[pb.Table]) -> list[op.TableRow]:
        """All of one shard."""
        if not tables:
            return []
        number, names = shard(tables[0].id), [table.id for table in tables]
        due = await self.store.redis.zmscore(outbox_key(number), names)
        tries = await self.store.redis.hmget(tries_key(number), names)
        rows = []
        for table, when, how_often in zip(tables, due, tries, strict=True):
            table.join_code = ""
            rows.append(
                op.TableRow(table=table, bot_due=None if when is None else int(when), tries=int(how_often or 0))
            )
        return rows

    @answers
    async def InspectTable(self, request: op.InspectTableRequest) -> op.TableReport:
        loaded = await self.store.load(request.table)
        table, redis, number = loaded.table, self.store.redis, shard(request.table)
        first = max(0, loaded.version - min(max(request.lines, 0), MOST_LINES))
        entries = await self.store.log(table.id, first) if first < loaded.version else []
        sizes = [await redis.memory_usage(self.store.key(table.id, suffix), samples=0) for suffix in TABLE_KEYS]
        running = (await self.rules.survey(table.game)).running
        [row] = await self.rows_of([table])
        return op.TableReport(
            row=row,
            log=[line_of(version, entry) for version, entry in enumerate(entries, first + 1)],
            expires_at=int(await redis.zscore(expiry_key(number), table.id) or 0),
            bytes=sum(size or 0 for size in sizes),
            to_be_counted=await redis.zscore(results_key(number), table.id) is not None,
            rules_run=table.rules_version in running,
            presence=await self.hub.present(table),
        )

    @answers
    async def RequeueTurn(self, request: op.RequeueTurnRequest) -> op.RequeueTurnResponse:
        for _ in range(TRIES):
            loaded = await self.store.load(request.table)
            table, seat = loaded.table, bot_seat(loaded.table)
            if seat is None:
                raise conflict("NO_BOT_DUE", f"no bot has the decision at {table.id}: {whose(table)}")
            level, number = bot_level(table.seats[seat]) or "", shard(table.id)
            keys = [self.store.key(table.id), outbox_key(number), tries_key(number), late_key(number)]
            due = now_ms() + int(self.patience(level) * 1000)
            if await self._requeue.run(keys, [loaded.version, table.id, due]):
                self.hand_out(table.id, loaded.version, level, self.patience(level), person_waits(table))
                return op.RequeueTurnResponse(version=loaded.version, seat=seat, bot=level)
        raise busy()

    @answers
    async def CloseTable(self, request: op.CloseTableRequest) -> pb.Table:
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
                    await self.close_table(loaded, "operator", reason)
            except Stale:
                continue
            table.join_code = ""
            return table
        raise busy()

    @answers
    async def RenewTable(self, request: op.RenewTableRequest) -> pb.Table:
        table = (await self.renew(request.table, patience=0 if request.close else None)).table
        table.join_code = ""
        return table

    @answers
    async def GetRetention(self, request: op.GetRetentionRequest) -> op.Retention:
        pipe, now = self.store.redis.pipeline(transaction=False), now_ms()
        for number in range(SHARDS):
            pipe.zcard(expiry_key(number))
            pipe.zcount(expiry_key(number), "-inf", now)
            pipe.zrange(expiry_key(number), 0, 0, withscores=True)
        answers = await pipe.execute()
        return op.Retention(
            keep_finished=self.settings.keep_finished,
            keep_abandoned=self.settings.keep_abandoned,
            tables=sum(answers[0::3]),
            due=sum(answers[1::3]),
            next=min((int(at) for rows in answers[2::3] for _, at in rows), default=0),
        )

    @answers
    async def SweepTables(self, request: op.SweepTablesRequest) -> op.SweepTablesResponse:
        answer = op.SweepTablesResponse()
        async for tables, cursor in self.steps(expiry_key, request.cursor):
            for table in tables:
                answer.removed += await remove_if_expired(self.store, self.settings, table)
            answer.looked_at += len(tables)
            answer.next_cursor = cursor
        return answer

    @answers
    async def GetStatistics(self, request: op.GetStatisticsRequest) -> op.Statistics:
        found = await statistics(self.store, self.settings)
        found.bot_turns, found.bot_overdue = await self.store.outbox()
        games = list(self.rules.stubs)
        surveys = await asyncio.gather(*(self.rules.survey(game) for game in games), return_exceptions=True)
        for game, survey in zip(games, surveys, strict=True):
            versions = [] if isinstance(survey, BaseException) else sorted(survey.running)
            found.rules.add(game=game, versions=versions)
        return found


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


def line_of(version: int, entry: pb.LogEntry) -> pb.LogLine:
    """As a spectator is told."""
    return pb.LogLine(
        version=version,
        at=entry.at,
        seat=entry.seat if entry.HasField("seat") else None,
        events=events_for([entry], None),
        table_events=entry.table_events or b"[]",
    )


def whose(table: pb.Table) -> str:
    if table.status != "playing":
        return f"the table is {table.status}"
    return f"seat {table.actor} has it, where a person plays"
