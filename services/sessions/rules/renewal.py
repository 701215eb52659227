"""Tables in play when the rules are replaced by another version.

The truth is the log, so a position that the new rules do not know is made anew from it: dealt and played again. If that
leads to the very same position, the table goes on by the new rules and says so in its log. If not, it waits for a
while, because the old rules may come back, and is then closed: a game is never altered silently, and none is stuck.
"""

from prometheus_client import Counter

from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.rules.client import RulesChanged, RulesClient, unavailable
from services.sessions.rules.replayer import Replayer
from services.sessions.store.records import Commit, Loaded, Stale
from services.sessions.store.tables import TableStore
from services.sessions.tables.writer import TRIES, TableWriter, busy, entry_of
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

RENEWED = Counter("teahouse_tables_renewed", "Tables in play whose rules were replaced.", ["game", "how"])


class Renewal:
    """Owns what becomes of a table whose rules do not run any more."""

    def __init__(
        self, settings: Settings, store: TableStore, rules: RulesClient, replayer: Replayer, writer: TableWriter
    ) -> None:
        self.settings, self.store, self.rules = settings, store, rules
        self.replayer, self.writer = replayer, writer

    async def look(self, loaded: Loaded) -> rules_pb2.Position | None:
        """The table's position, if it has begun. `loaded` is the renewed table afterwards, if it had to be renewed."""
        table = loaded.table
        if not loaded.state:
            return None
        request = rules_pb2.RulesLookRequest(state=loaded.state)
        try:
            return await self.rules.look(table.game, request, table.rules_version)
        except RulesChanged:
            if table.status != "playing":
                return await self._look_at_ended(loaded)
        renewed = await self.renew(table.id)
        loaded.record, loaded.version, loaded.state = renewed.record, renewed.version, renewed.state
        return await self.look(loaded)

    async def _look_at_ended(self, loaded: Loaded) -> rules_pb2.Position | None:
        """As the rules of today show it, if they come to the same end."""
        try:
            return await self.replayer.same_position(loaded, await self.replayer.actions(loaded))
        except RulesChanged:
            return None

    async def renew(self, table: str, patience: float | None = None) -> Loaded:
        """The table under rules that run now, or closed. Does nothing if another copy was faster.

        `patience`: seconds for which the old rules may have been away before it is closed, if it cannot go on.
        """
        patience = self.settings.rules_patience if patience is None else patience
        for _ in range(TRIES):
            loaded = await self.store.load(table)
            now = loaded.table
            if now.status != "playing" or await self.rules.runs(now.game, now.rules_version):
                return loaded
            try:
                await self._go_on_or_close(loaded, patience)
            except Stale:
                continue
            return await self.store.load(table)
        raise busy()

    async def renewed_version(self, table: str, version: int) -> int:
        """Renews; the version at which somebody who saw that one finds the same position, if it is still there."""
        now = await self.renew(table)
        if now.version == version + 1:
            [entry] = await self.store.log(table, version, 1)
            if now.table.status == "closed" or b'"rules_changed"' in entry.table_events:
                return now.version
        return version

    async def _go_on_or_close(self, loaded: Loaded, patience: float) -> None:
        table, before = loaded.table, loaded.table.rules_version
        try:
            position = await self.replayer.same_position(loaded, await self.replayer.actions(loaded))
            if not position.HasField("actor") or position.actor != table.actor:
                raise RulesChanged(f"by rules {position.rules_version} another seat would have the decision")
        except RulesChanged as refusal:
            left = patience - self.rules.missing_for(table.game, before)
            if left > 0:
                raise waits(table, left) from None
            reason = f"The rules of the game have changed: {refusal.message}."
            await self.writer.close(loaded, "rules_changed", reason)
            RENEWED.labels(table.game, "closed").inc()
            return
        table.rules_version = position.rules_version
        event = {"rules_changed": {"from": before, "to": table.rules_version}}
        commit = Commit(entry_of([event]), state=position.state)
        position.state = b""
        # Nobody has acted: whose turn it is and the clock stay as they were.
        self.writer.settle(table, loaded.version, commit, None)
        await self.writer.post(loaded.record, loaded.version, commit, position)
        RENEWED.labels(table.game, "goes on").inc()


def waits(table: pb.Table, left: float) -> Refusal:
    text = (
        f"has no copy with rules {table.rules_version}, by which this table is played, and those that run cannot go on "
        f"with it; it is closed in {left:.0f} s if none comes back"
    )
    return unavailable(table.game, text)
