"""Tables do not stay for ever: finished ones are kept for a while, and those that nothing happens at for another."""

import contextlib
import json
import logging

from prometheus_client import Counter
from redis.exceptions import RedisError

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.background import repeat
from services.sessions.people.player_lists import PlayerLists
from services.sessions.store import keys
from services.sessions.store.tables import TableStore
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
EXPIRED = Counter("teahouse_tables_expired", "Tables removed because their time of retention was over.", ["status"])
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 30.0


def expiry(table: pb.Table, settings: Settings) -> int:
    """When the table expires if nothing happens there any more. A clock that still runs is something that happens."""
    keep = settings.keep_finished if table.status == "finished" else settings.keep_abandoned
    return max(table.updated_at, table.deadline) + int(keep * 1000)


class Retention:
    """Owns the removal of tables whose time is over."""

    def __init__(self, settings: Settings, store: TableStore, lists: PlayerLists) -> None:
        self.settings, self.store, self.lists = settings, store, lists

    async def run(self) -> None:
        shortest_kept = min(self.settings.keep_finished, self.settings.keep_abandoned)
        pause = max(SHORTEST_PAUSE, min(LONGEST_PAUSE, shortest_kept / 4))
        await repeat("the removal of expired tables", self._sweep, pause)

    async def _sweep(self) -> None:
        for table in await self.store.expired():
            try:
                await self.remove_if_expired(table)
            except (RedisError, OSError) as error:
                # One that cannot be removed now must not keep the others.
                log.warning("an expired table is removed later: %s", error, extra={"table": table})

    async def remove_if_expired(self, table_id: str) -> bool:
        """Removes the table, or notes when it expires; whether it was removed."""
        try:
            loaded = await self.store.load(table_id)
        except Refusal:
            return False  # another copy has removed it
        table = loaded.table
        at = expiry(table, self.settings)
        if at > now_ms():
            await self.store.expires_at(table_id, at)
            return False
        if await self.store.redis.zscore(keys.results(keys.shard(table_id)), table_id) is not None:
            return False  # it is counted for its players first
        # The lists first: whoever dies in between leaves a table that is found and removed again.
        players = await self._all_who_sat(table)
        for player in players:
            await self.lists.forget(player, table_id)
        if await self.store.purge(table_id, loaded.version):
            EXPIRED.labels(table.status).inc()
            return True
        with contextlib.suppress(Refusal):
            # Another copy was faster (then this is refused), or somebody came back at the last moment.
            await self.store.load(table_id)
            for player in players:
                await self.lists.remember(player, table)
        return False

    async def _all_who_sat(self, table: pb.Table) -> set[str]:
        """Everybody who may have the table on a list: who sits there, its host, who was invited or left early."""
        there = {table.host, *(seat.player.id for seat in table.seats if seat.kind == "player")}
        there |= {seat.invited.id for seat in table.seats if seat.HasField("invited")}
        entries = await self.store.log(table.id, 0)
        happened = [event for entry in entries if entry.table_events for event in json.loads(entry.table_events)]
        there |= {player["id"] for event in happened for player in event.get("opened", {}).get("kept_for", [])}
        return there | {
            event[kind]["player"]["id"] for event in happened for kind in ("seat_left", "invited") if kind in event
        }
