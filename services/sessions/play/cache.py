"""Tables as this process last wrote them. A stale one costs a second read, never a wrong move."""

from services.sessions.store.records import Loaded
from services.sessions.store.tables import TableStore

MOST_CACHED, CACHED_MS = 4096, 30_000


class TableCache:
    """Owns the tables that are being played at through this process."""

    def __init__(self, store: TableStore) -> None:
        self.store = store
        self._tables: dict[str, Loaded] = {}

    async def at_version(self, table: str, version: int) -> Loaded:
        """The table from the cache if it is at that version there, else as it is in Redis.

        It is the caller's own, to be altered and kept again: nobody else finds it here meanwhile.
        """
        loaded = self._tables.pop(table, None)
        if loaded is None or loaded.version != version:
            loaded = await self.store.load(table)
        return loaded

    def keep(self, loaded: Loaded) -> None:
        """Until nobody has played there for a while. The first in the cache are the longest unused."""
        self._tables[loaded.table.id] = loaded
        old = loaded.table.updated_at - CACHED_MS
        while (first := next(iter(self._tables.values())).table).updated_at < old or len(self._tables) > MOST_CACHED:
            del self._tables[first.id]

    def peek(self, table: str) -> Loaded:
        """One that was kept a moment ago. It must not be altered."""
        return self._tables[table]

    def drop(self, table: str) -> None:
        del self._tables[table]
