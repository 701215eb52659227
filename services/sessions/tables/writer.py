"""The way of every change of a table: what follows from it, the write itself, and who is told.

A change that loses a race is refused as stale. Callers that can safely retry do so up to TRIES times.
"""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import grpc

from services.platform.clock import now_ms
from services.platform.errors import Refusal, conflict
from services.platform.settings import Settings
from services.platform.tracing.context import CAUSE
from services.sessions.people.player_lists import PlayerLists
from services.sessions.play import clocks
from services.sessions.store.committer import Committer
from services.sessions.store.records import Change, Commit, Loaded, Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_open
from services.sessions.tables.retention import expiry
from services.sessions.tables.seats import bot_level
from services.sessions.turns.dispatcher import Dispatcher
from services.sessions.updates.hub import Hub
from services.sessions.webhooks.notifications import notifications
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

TRIES = 20
# What happened to a table itself: {"seat_taken": {…}} and so on.
Event = dict[str, Any]
# What is done to an open table: alters it in place and says what happened; None: it is so already.
Edit = Callable[[pb.Table], Event | None]


class TableWriter:
    """Owns what every change brings with it: the next actor, the clock, the bot that is due, expiry, notifications."""

    def __init__(
        self,
        settings: Settings,
        store: TableStore,
        committer: Committer,
        hub: Hub,
        dispatcher: Dispatcher,
        lists: PlayerLists,
    ) -> None:
        self.settings, self.store, self.committer = settings, store, committer
        self.hub, self.dispatcher, self.lists = hub, dispatcher, lists

    async def edit_open(
        self, table_id: str, rights: Callable[[pb.Table], None], edit: Edit, concerned: str = ""
    ) -> pb.Table:
        """Loads, changes and writes an open table; begins again if somebody else was faster.

        `concerned` is a player to whose tables it belongs from now on; that is noted first, lest it be lost.
        """
        for _ in range(TRIES):
            loaded = await self.store.load(table_id)
            rights(loaded.table)
            check_open(loaded.table)
            event = edit(loaded.table)
            if event is None:
                return loaded.table
            if concerned:
                await self.lists.remember(concerned, loaded.table)
            try:
                await self.write(loaded.record, loaded.version, event)
            except Stale:
                continue
            return loaded.table
        raise busy()

    async def write(
        self, record: pb.TableRecord, version: int, event: Event, position: rules_pb2.Position | None = None
    ) -> None:
        """Writes something that happened to the table itself, and where it is listed from now on."""
        table = record.table
        listed = table.status if table.visibility == "public" else ""
        await self.commit(record, version, Commit(entry_of([event]), listed=listed), position)

    async def write_in_play(self, loaded: Loaded, events: list[Event]) -> None:
        """Writes what happened to a table in play, which may have ended with it."""
        listed = None if loaded.table.status == "playing" else ""
        await self.commit(loaded.record, loaded.version, Commit(entry_of(events), listed=listed))

    async def close(self, loaded: Loaded, why: str, reason: str) -> None:
        """Ends the table without a result."""
        loaded.table.status, loaded.table.closed = "closed", reason
        closed = {"closed": {"why": why, "reason": reason}}
        await self.commit(loaded.record, loaded.version, Commit(entry_of([closed]), listed=""))

    async def commit(
        self, record: pb.TableRecord, version: int, commit: Commit, position: rules_pb2.Position | None = None
    ) -> None:
        self.settle(record.table, version, commit, position)
        await self.post(record, version, commit, position)

    def settle(self, table: pb.Table, version: int, commit: Commit, position: rules_pb2.Position | None) -> None:
        """What follows from a change: the next actor, the clock, the bot that is due, expiry, notifications."""
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
        commit.notifications = notifications(table, entry, actor)
        if table.HasField("clock"):
            clocks.wind(table, timed, entry)
            commit.deadline = table.deadline if table.HasField("deadline") else 0
        bot = bot_level(table.seats[table.actor]) if table.HasField("actor") else None
        if bot is not None:
            commit.bot_due = entry.at + int(self.dispatcher.patience(bot) * 1000)
        if commit.listed is not None:
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
        written = self.committer.commit(record, version, commit, change)
        # Beside the caller, who may go away in the middle: that must not keep the news from the others.
        written.add_done_callback(partial(self._tell, commit, change))
        self.committer.read(await asyncio.shield(written))

    def _tell(self, commit: Commit, change: Change, written: "asyncio.Future[tuple[bytes, Any]]") -> None:
        table = change.table
        if written.cancelled() or written.exception():
            # It may have been written all the same.
            self.hub.missed(table.id)
        elif written.result()[0] == b"ok":
            self.hub.deliver(table.id, change)
            if commit.bot_due is not None and not same_bot_goes_on(commit.entry, table):
                self.dispatcher.hand_out(table)


def entry_of(events: list[Event]) -> pb.LogEntry:
    return pb.LogEntry(at=now_ms(), table_events=json.dumps(events, ensure_ascii=False).encode())


def same_bot_goes_on(entry: pb.LogEntry, table: pb.Table) -> bool:
    """A bot acted and has the next decision too: its worker has the answer in hand and goes on by itself."""
    return entry.HasField("seat") and entry.seat == table.actor and bot_level(table.seats[entry.seat]) is not None


def busy() -> Refusal:
    return conflict("BUSY", "many people change this table at once; try again")


def stale(version: int) -> Refusal:
    return Refusal(
        grpc.StatusCode.ABORTED,
        "STALE_VERSION",
        f"the table is at version {version}, not at the one you sent; look at it again before you act",
        current_version=str(version),
    )
