"""Tables in play when the rules are replaced by another version.

The truth is the log, so a position that the new rules do not know is made anew from it: dealt and played again. If that
leads to the very same position, the table goes on by the new rules and says so in its log. If not, it waits for a
while, because the old rules may come back, and is then closed: a game is never altered silently, and none is stuck.
"""

import json

from prometheus_client import Counter

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.sessions.rules import RulesChanged, unavailable
from services.sessions.store import Commit, Loaded, Stale
from services.sessions.tables import TRIES, Tables, busy, rules_seats
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb

RENEWED = Counter("teahouse_tables_renewed", "Tables in play whose rules were replaced.", ["game", "how"])


class Renewing(Tables):
    async def look(self, loaded: Loaded) -> rules_pb2.Position | None:
        """The table's position, if it has begun. `loaded` is the renewed table afterwards, if it had to be renewed."""
        table = loaded.table
        if not loaded.state:
            return None
        request = rules_pb2.RulesLookRequest(state=loaded.state)
        try:
            position: rules_pb2.Position = await self.rules.call(table.game, "Look", request, table.rules_version)
            return position
        except RulesChanged:
            if table.status != "playing":
                return await self.look_at_old(loaded)
        renewed = await self.renew(table.id)
        loaded.record, loaded.version, loaded.state = renewed.record, renewed.version, renewed.state
        return await self.look(loaded)

    async def look_at_old(self, loaded: Loaded) -> rules_pb2.Position | None:
        """Of a game that is over: as the rules of today show it, if they come to the same end."""
        try:
            return await self.played_again(loaded, await self.actions(loaded))
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
                await self.go_on_or_close(loaded, patience)
            except Stale:
                continue
            return await self.store.load(table)
        raise busy()

    async def renewed(self, table: str, version: int) -> int:
        """Renews; the version at which somebody who saw that one finds the same position, if it is still there."""
        now = await self.renew(table)
        if now.version == version + 1:
            [entry] = await self.store.log(table, version, 1)
            if now.table.status == "closed" or b'"rules_changed"' in entry.table_events:
                return now.version
        return version

    async def go_on_or_close(self, loaded: Loaded, patience: float) -> None:
        table, before = loaded.table, loaded.table.rules_version
        try:
            position = await self.played_again(loaded, await self.actions(loaded))
            if not position.HasField("actor") or position.actor != table.actor:
                raise RulesChanged(f"by rules {position.rules_version} another seat would have the decision")
        except RulesChanged as refusal:
            left = patience - self.rules.missing_for(table.game, before)
            if left > 0:
                raise waits(table, left) from None
            reason = f"The rules of the game have changed: {refusal.message}."
            await self.close_table(loaded, "rules_changed", reason)
            RENEWED.labels(table.game, "closed").inc()
            return
        table.rules_version = position.rules_version
        event = {"rules_changed": {"from": before, "to": table.rules_version}}
        commit = Commit(entry_of(event), state=position.state)
        position.state = b""
        # Nobody has acted: whose turn it is and the clock stay as they were.
        self.settle(table, loaded.version, commit, None)
        await self.post(loaded.record, loaded.version, commit, position)
        RENEWED.labels(table.game, "goes on").inc()

    async def close_table(self, loaded: Loaded, why: str, reason: str) -> None:
        """Ends it without a result."""
        loaded.table.status, loaded.table.closed = "closed", reason
        commit = Commit(entry_of({"closed": {"why": why, "reason": reason}}), listed="")
        await self.commit(loaded.record, loaded.version, commit)

    async def actions(self, loaded: Loaded, version: int | None = None) -> list[rules_pb2.ReplayedAction]:
        """The actions that count, up to that version."""
        version = loaded.version if version is None else version
        return effective(await self.store.log(loaded.table.id, 0, version)) if version else []

    async def played_again(self, loaded: Loaded, actions: list[rules_pb2.ReplayedAction]) -> rules_pb2.Position:
        """The whole game by the rules that run now; RulesChanged if it comes to another position."""
        request = replay_of(loaded, actions)
        request.state = loaded.state
        try:
            position: rules_pb2.Position = await self.rules.call(loaded.table.game, "Replay", request)
            return position
        except Refusal as refusal:
            if refusal.reason == "RULES_CHANGED":
                raise RulesChanged(refusal.message) from None
            raise


def waits(table: pb.Table, left: float) -> Refusal:
    text = (
        f"has no copy with rules {table.rules_version}, by which this table is played, and those that run cannot go on "
        f"with it; it is closed in {left:.0f} s if none comes back"
    )
    return unavailable(table.game, text)


def replay_of(loaded: Loaded, actions: list[rules_pb2.ReplayedAction]) -> rules_pb2.ReplayRequest:
    table = loaded.table
    return rules_pb2.ReplayRequest(
        seats=rules_seats(table), options=table.options, seed=loaded.record.seed, actions=actions
    )


def entry_of(event: dict[str, dict[str, str]]) -> pb.LogEntry:
    return pb.LogEntry(at=now_ms(), table_events=json.dumps([event], ensure_ascii=False).encode())


def effective(entries: list[pb.LogEntry]) -> list[rules_pb2.ReplayedAction]:
    """The actions of a whole log without those that were taken back."""
    actions: dict[int, rules_pb2.ReplayedAction] = {}
    for version, entry in enumerate(entries, 1):
        if entry.action:
            actions[version] = rules_pb2.ReplayedAction(seat=entry.seat, action=entry.action)
        elif entry.undoes:
            del actions[entry.undoes]
    return list(actions.values())
