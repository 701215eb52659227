"""One stream per player across all tables. Nobody pays for it but those who listen.

The copy that serves the stream watches the player's tables; moves are heard as any onlooker hears them. What concerns a
table that the player has not had before (an invitation, a match) comes as a notice to look again. Notices may get lost
with the copy that should have sent them, so the stream looks again by itself from time to time.
"""

import asyncio
from collections.abc import AsyncIterator

from services.platform.clock import now_ms
from services.sessions.matching.proposals import Proposals
from services.sessions.matching.ticket_store import TicketStore
from services.sessions.people.accounts import Accounts
from services.sessions.people.player_lists import PlayerLists
from services.sessions.store import keys
from services.sessions.store.records import Change
from services.sessions.store.tables import TableStore
from services.sessions.tables.seats import kept_seat, seat_of
from services.sessions.updates.hub import LOOK_AGAIN, Hub, Watcher
from teahouse.v1 import player_events_pb2 as ev
from teahouse.v1 import sessions_pb2 as pb

# A table that was noted but never written is forgotten after a day.
FORGET_MS = 86_400_000
ENDED = ("finished", "closed")


class TableWatcher(Watcher):
    """Hears of one table, or of the player itself, and puts it into the player's feed."""

    def __init__(self, feed: "Feed", watched: str) -> None:
        super().__init__(spectator=False)
        self.feed, self.watched = feed, watched

    def deliver(self, change: Change) -> None:
        self.feed.hear(change.table)
        self.feed.ready.set()

    def missed(self) -> None:
        self.feed.unread.add(self.watched)
        self.feed.ready.set()


class Feed:
    """What one player has been told, and what is still to be told."""

    def __init__(self, player: str) -> None:
        self.player = player
        self.ready = asyncio.Event()
        self.events: list[ev.PlayerEvent] = []
        # Tables (or the player itself) to be read anew.
        self.unread: set[str] = {player}
        # Each table as it was told last, and whether the player had the decision there.
        self.tables: dict[str, tuple[pb.Table, bool]] = {}
        self.watchers: dict[str, TableWatcher] = {player: TableWatcher(self, player)}
        self.parties: set[str] = set()
        # The latest match that was told: "ticket table".
        self.match = ""
        # How things were has been told.
        self.begun = False

    def say(self, kind: str, table: pb.Table, seat: int | None, by: str = "", ticket: str = "") -> None:
        event = ev.PlayerEvent(type=kind, table=table.id, game=table.game, version=table.version, seat=seat)
        event.by, event.ticket, event.outcome = by, ticket, table.outcome
        self.events.append(event)

    def hear(self, table: pb.Table) -> None:
        """Tells what the table as it is now means to the player, compared with what was told before."""
        before, had_turn = self.tables.get(table.id, (pb.Table(), False))
        if table.version <= before.version:
            return
        seat, kept = seat_of(table, self.player), kept_seat(table, self.player)
        turn = seat is not None and has_turn(table, seat)
        if kept is not None and kept != kept_seat(before, self.player):
            self.say("invited", table, kept, by=table.host)
        if seat is not None:
            if table.status == "playing" and before.status != "playing":
                self.say("started", table, seat)
            # Versions in between were missed: it may be another turn than the one that was told.
            if turn and (not had_turn or table.version > before.version + 1):
                self.say("your_turn", table, seat)
            if table.status == "finished" and (before.id or self.begun):
                self.say("finished", table, seat)
            if table.status == "closed" and (before.id or self.begun):
                self.say("closed", table, seat)
        self.tables[table.id] = (table, turn)

    def found_match(self, note: str, tables: list[pb.Table]) -> None:
        if not note or note == self.match:
            return
        ticket, _, name = note.partition(" ")
        known = [table for table in tables if table.id == name]
        known += [table for table, _ in self.tables.values() if table.id == name]
        if known:
            self.match = note
            if known[0].status == "playing" or self.begun:
                self.say("matched", known[0], seat_of(known[0], self.player), ticket=ticket)


def has_turn(table: pb.Table, seat: int) -> bool:
    """Whether the player on that seat has the decision, and no bot stands in."""
    due = table.status == "playing" and table.HasField("actor") and table.actor == seat
    return due and not table.seats[seat].stand_in


class PlayerEvents:
    """Owns what a player is told of all tables and tickets together."""

    def __init__(
        self,
        store: TableStore,
        accounts: Accounts,
        lists: PlayerLists,
        tickets: TicketStore,
        proposals: Proposals,
        hub: Hub,
    ) -> None:
        self.store, self.accounts, self.lists = store, accounts, lists
        self.tickets, self.proposals, self.hub = tickets, proposals, hub

    async def watch(self, request: pb.GetPlayerRequest) -> AsyncIterator[ev.PlayerEvent]:
        player = (await self.accounts.player(request.player)).id
        feed = Feed(player)
        self.hub.join(player, feed.watchers[player])
        try:
            while True:
                feed.ready.clear()
                await self._look_again(feed)
                events, feed.events, feed.begun = feed.events, [], True
                for event in events:
                    yield event
                try:
                    await asyncio.wait_for(feed.ready.wait(), LOOK_AGAIN)
                except TimeoutError:
                    feed.unread.add(player)
        finally:
            for watched, watcher in feed.watchers.items():
                self.hub.leave(watched, watcher)

    async def _look_again(self, feed: Feed) -> None:
        """Reads whatever the feed has not heard itself, and lets go of tables that have ended."""
        unread, feed.unread = feed.unread, set()
        note = ""
        if feed.player in unread:
            unread.remove(feed.player)
            note = await self.proposals.latest_match(feed.player)
            unread |= await self._follow(feed)
            await self._ask(feed)
        tables = await self.store.load_many(sorted(unread)) if unread else []
        feed.found_match(note, tables)
        for table in tables:
            if table.id in feed.watchers:  # else it has ended, and that was told
                feed.hear(table)
        ended = [name for name, (table, _) in feed.tables.items() if table.status in ENDED]
        for name in ended:
            del feed.tables[name]
            self.hub.leave(name, feed.watchers.pop(name))
        if ended:
            await self.lists.ended(feed.player, *ended)

    async def _follow(self, feed: Feed) -> set[str]:
        """Begins to watch the player's new tables; gives those that have not been told yet."""
        untold = set()
        for noted, table in await self.lists.live(feed.player):
            if table not in feed.watchers:
                feed.watchers[table] = TableWatcher(feed, table)
                self.hub.join(table, feed.watchers[table])
            if table not in feed.tables:
                untold.add(table)
                if noted < now_ms() - FORGET_MS and not await self.store.redis.exists(keys.table(table)):
                    await self.lists.ended(feed.player, table)
        return untold

    async def _ask(self, feed: Feed) -> None:
        """Tells which friends ask the player to join their tickets."""
        asked = await self.tickets.asked(feed.player)
        new = [ticket for ticket in asked if ticket not in feed.parties]
        for held in await self.tickets.load_many(new) if new else []:
            by = held.ticket.players[0].player.id
            feed.events.append(ev.PlayerEvent(type="party", ticket=held.ticket.id, by=by))
        feed.parties = set(asked)
