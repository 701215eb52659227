"""Tables do not stay for ever: finished ones are kept for a while, and those that nothing happens at for another."""

import asyncio
import contextlib
import json
import logging

from prometheus_client import Counter
from redis.exceptions import RedisError

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.store import PLAYER_LISTS, Store, player_list_key, results_key, shard
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
EXPIRED = Counter("teahouse_tables_expired", "Tables removed because their time of retention was over.", ["status"])
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 30.0


def expiry(table: pb.Table, settings: Settings) -> int:
    """When the table expires if nothing happens there any more. A clock that still runs is something that happens."""
    keep = settings.keep_finished if table.status == "finished" else settings.keep_abandoned
    return max(table.updated_at, table.deadline) + int(keep * 1000)


async def sweep(store: Store, settings: Settings) -> None:
    """Removes expired tables for as long as the process lives."""
    pause = max(SHORTEST_PAUSE, min(LONGEST_PAUSE, settings.keep_finished / 4, settings.keep_abandoned / 4))
    while True:
        await asyncio.sleep(pause)
        try:
            for table in await store.expired():
                try:
                    await remove_if_expired(store, settings, table)
                except (RedisError, OSError) as error:
                    # One that cannot be removed now must not keep the others.
                    log.warning("an expired table is removed later: %s", error, extra={"table": table})
        except (RedisError, OSError) as error:
            log.warning("expired tables cannot be removed: %s", error)
        except Exception:
            log.exception("expired tables stay after an error")


async def remove_if_expired(store: Store, settings: Settings, table_id: str) -> bool:
    """Removes the table, or notes when it expires; whether it was removed."""
    try:
        loaded = await store.load(table_id)
    except Refusal:
        return False  # another copy has removed it
    table = loaded.table
    at = expiry(table, settings)
    if at > now_ms():
        await store.expires_at(table_id, at)
        return False
    if await store.redis.zscore(results_key(shard(table_id)), table_id) is not None:
        return False  # it is counted for its players first
    # The lists first: whoever dies in between leaves a table that is found and removed again.
    players = await all_who_sat(store, table)
    for player in players:
        for name in PLAYER_LISTS:
            await store.redis.zrem(player_list_key(player, name), table_id)
    if await store.purge(table_id, loaded.version):
        EXPIRED.labels(table.status).inc()
        return True
    with contextlib.suppress(Refusal):
        # Another copy was faster (then this is refused), or somebody came back at the last moment.
        await store.load(table_id)
        for player in players:
            for name in ("tables", "live"):
                await store.redis.zadd(player_list_key(player, name), {table_id: table.created_at})
    return False


async def all_who_sat(store: Store, table: pb.Table) -> set[str]:
    """Everybody who may have the table on a list: who sits there, its host, who was invited or left early."""
    there = {table.host, *(seat.player.id for seat in table.seats if seat.kind == "player")}
    there |= {seat.invited.id for seat in table.seats if seat.HasField("invited")}
    told = [json.loads(entry.table_events) for entry in await store.log(table.id, 0) if entry.table_events]
    happened = [event for events in told for event in events]
    there |= {player["id"] for event in happened for player in event.get("opened", {}).get("kept_for", [])}
    return there | {
        event[kind]["player"]["id"] for event in happened for kind in ("seat_left", "invited") if kind in event
    }
