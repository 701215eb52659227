"""Counts what is in Redis, for the operator's statistics."""

import asyncio
import re
from collections import Counter
from typing import Any

from redis.asyncio.cluster import RedisCluster

from services.platform.pool.celery_app import HOOKS, QUEUES
from services.platform.pool.depth import depth_reader
from services.platform.settings import Settings
from services.sessions.rules.client import RulesClient
from services.sessions.store import keys
from services.sessions.store.keys import SHARDS, WAITING
from services.sessions.store.tables import TableStore
from services.sessions.turns.outbox import Outbox
from teahouse.v1 import operators_pb2 as op

STEP = 500
# Which part of a key is an id, and what it is the id of.
OWNERS = {"t": "shard", "p": "player", "h": "hooks", "l": "leaderboard", "m": "matchmaking"}
TAGGED = re.compile(r"\{([a-z]+):?[^}]*\}:?(.*)")
ID = re.compile(r"(^|:)([a-z]+)_[a-z0-9]{10,}")
THINGS = {"t": "table", "p": "player", "m": "ticket", "h": "webhook"}


def kind(key: str) -> str:
    """What a key is, without whose it is.

    >>> kind("{t:3}:t_abcdefghjkmnpq:log"), kind("{t:3}:outbox"), kind("{p:p_abcdefghjkmnpq}"), kind("{m}:waiting")
    ('table:log', 'shard:outbox', 'player', 'matchmaking:waiting')
    >>> kind("{p:p_abcdefghjkmnpq}:tables"), kind("bots.instant"), kind("bots:name:Ada")
    ('player:tables', 'other', 'bots:name')
    """
    tagged = TAGGED.fullmatch(key)
    if not tagged:
        return ":".join(key.split(":")[:2]) if ":" in key and not key.startswith("_") else "other"
    owner, rest = OWNERS.get(tagged[1], tagged[1]), tagged[2]
    named = ID.match(rest)
    if named:
        thing = THINGS.get(named[2], named[2])
        owner, rest = thing if owner == "shard" else f"{owner}:{thing}", rest[named.end() :].lstrip(":")
    return f"{owner}:{rest}" if rest else owner


class Statistics:
    """Owns the figures of everything that is in Redis and in the bots' queues."""

    def __init__(self, settings: Settings, store: TableStore, outbox: Outbox, rules: RulesClient) -> None:
        self.settings, self.store, self.outbox, self.rules = settings, store, outbox, rules

    async def get(self, request: op.GetStatisticsRequest) -> op.Statistics:
        redis = self.store.redis
        found = op.Statistics(tables=await self._tables())
        found.keys.update(await self._keys())
        found.players = found.keys.get("player", 0)
        found.memory, found.memory_peak, found.memory_limit = await self._memory()
        found.queues.extend(await asyncio.to_thread(queues, self.settings))
        found.tickets = await redis.zcard(WAITING)
        pipe = redis.pipeline(transaction=False)
        for number in range(SHARDS):
            pipe.zcard(keys.deadlines(number))
            pipe.zcard(keys.results(number))
        counts = await pipe.execute()
        found.clocks, found.to_be_counted = sum(counts[0::2]), sum(counts[1::2])
        found.bot_turns, found.bot_overdue = await self.outbox.depth()
        games = self.rules.games
        surveys = await asyncio.gather(*(self.rules.survey(game) for game in games), return_exceptions=True)
        for game, survey in zip(games, surveys, strict=True):
            versions = [] if isinstance(survey, BaseException) else sorted(survey.running)
            found.rules.add(game=game, versions=versions)
        return found

    async def _tables(self) -> list[op.TableCount]:
        """By game, status and rules."""
        counted: dict[tuple[str, str, str], op.TableCount] = {}
        for number in range(SHARDS):
            position = -1
            while position:
                position, found = await self.store.redis.zscan(keys.expiry(number), max(position, 0), count=STEP)
                for table in await self.store.load_many([name.decode() for name, _ in found]):
                    names = (table.game, table.status, table.rules_version)
                    new = op.TableCount(game=names[0], status=names[1], rules_version=names[2])
                    count = counted.setdefault(names, new)
                    count.tables += 1
                    count.entries += table.version
        return [counted[names] for names in sorted(counted)]

    async def _keys(self) -> dict[str, int]:
        counted: Counter[str] = Counter()
        async for key in self.store.redis.scan_iter(count=STEP):
            counted[kind(key.decode(errors="replace"))] += 1
        return dict(sorted(counted.items()))

    async def _memory(self) -> tuple[int, int, int]:
        """Of all nodes together: used, most ever used, limit."""
        redis = self.store.redis
        if isinstance(redis, RedisCluster):
            answers: Any = await redis.info("memory", target_nodes=RedisCluster.PRIMARIES)
            infos = list(answers.values())
        else:
            infos = [await redis.info("memory")]
        used, peak, limit = ("used_memory", "used_memory_peak", "maxmemory")
        return (
            sum(info[used] for info in infos),
            sum(info[peak] for info in infos),
            sum(info[limit] for info in infos),
        )


def queues(settings: Settings) -> list[op.QueueDepth]:
    """What no worker has taken yet."""
    ask = depth_reader(settings)
    found = {name: ask(queue) for name, queue in {**QUEUES, "hooks": HOOKS}.items()}
    return [op.QueueDepth(name=name, waiting=each.waiting, oldest=each.oldest or 0.0) for name, each in found.items()]
