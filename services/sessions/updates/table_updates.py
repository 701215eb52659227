"""The stream of a table's updates, for one onlooker."""

from collections.abc import AsyncIterator

from services.sessions.people.chat import Chat
from services.sessions.people.presence import Presence
from services.sessions.play.positions import shows, update_for, update_of
from services.sessions.rules.renewal import Renewal
from services.sessions.store.records import Loaded
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access
from services.sessions.tables.seats import seat_of
from services.sessions.tables.writer import stale
from services.sessions.updates.hub import Watcher
from teahouse.v1 import sessions_pb2 as pb


class TableUpdates:
    """Owns what an onlooker is sent: every change once and in order, from the hub or, after a gap, from the log."""

    def __init__(self, store: TableStore, renewal: Renewal, presence: Presence, chat: Chat) -> None:
        self.store, self.renewal, self.presence, self.chat = store, renewal, presence, chat

    async def watch(self, request: pb.WatchRequest) -> AsyncIterator[pb.Update]:
        table = (await self.store.load(request.table)).table
        check_access(table, request.caller, request.join_code)
        with self.presence.attend(request.table, request.caller, seat_of(table, request.caller) is None) as watcher:
            update, table = await self._first(request, watcher)
            yield update
            seen = update.position.version
            while table.status in ("open", "playing"):
                changes, gap = await watcher.take()
                if request.company and (news := self.presence.news(watcher, table)):
                    yield news
                fresh = [change for change in changes if change.version > seen]
                following = [change.version for change in fresh] == list(range(seen + 1, seen + 1 + len(fresh)))
                seat, open_before = seat_of(fresh[-1].table, request.caller) if fresh else None, table.status == "open"
                if gap or not following or (fresh and not shows(fresh[-1], seat)):
                    loaded = await self.store.load(request.table)
                    if loaded.version == seen:
                        continue
                    update = await self._since(loaded, request.caller, seen)
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
                    watcher.presence_changed = True
                    watcher.wake()

    async def _first(self, request: pb.WatchRequest, watcher: Watcher) -> tuple[pb.Update, pb.Table]:
        """What the caller has missed, and the table as it is."""
        loaded = await self.store.load(request.table)
        after = request.after_version if request.HasField("after_version") else loaded.version
        if not 0 <= after <= loaded.version:
            raise stale(loaded.version)
        update = await self._since(loaded, request.caller, after)
        if request.company:
            if request.HasField("after_line"):
                update.chat.extend(await self.chat.after(request.table, request.after_line))
            update.newest_line = update.chat[-1].id if update.chat else await self.chat.newest(request.table)
            self.presence.begin_after(request.table, watcher, update.newest_line)
        return update, loaded.table

    async def _since(self, loaded: Loaded, caller: str, after: int) -> pb.Update:
        position = await self.renewal.look(loaded)
        entries = await self.store.log(loaded.table.id, after, loaded.version - after) if after < loaded.version else []
        return update_for(loaded.table, position, seat_of(loaded.table, caller), entries)
