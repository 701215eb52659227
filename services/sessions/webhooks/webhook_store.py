"""Webhooks and their deliveries in Redis.

Everything of a player's webhooks carries the hash tag of one of the shards, `{h:<n>}`, like tables carry theirs. That
a player has webhooks is marked in every shard of tables, so that commit.lua sees it without another call.
"""

import asyncio
from dataclasses import dataclass

from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import SHARDS
from services.sessions.store.script import Script, pack
from teahouse.v1 import webhooks_pb2 as pb

MOST_WEBHOOKS = 10
# Deliveries of one webhook: those that have ended and are kept, and those that may wait.
KEPT = 50
MOST_WAITING = 1000
# How often somebody may be faster before a change is given up.
TRIES = 20


@dataclass(slots=True)
class Hook:
    """A webhook, and the bytes that it was read from."""

    webhook: pb.Webhook
    raw: bytes = b""


def entry(player: str, hook: str, delivery: str = "") -> str:
    """How a delivery stands in the outbox."""
    return f"{player} {hook} {delivery}"


class WebhookStore:
    """Owns webhooks, their deliveries, and the marks of the players who have any."""

    def __init__(self, redis: AsyncRedis) -> None:
        self.redis = redis
        self._webhooks = Script(redis, "webhook")
        self._deliveries = Script(redis, "delivery")
        self._unmark = Script(redis, "unmark")

    async def all(self, player: str) -> list[Hook]:
        """Oldest first."""
        raw = await self.redis.hvals(keys.webhooks(player))
        hooks = [Hook(pb.Webhook.FromString(each), each) for each in raw]
        return sorted(hooks, key=lambda hook: (hook.webhook.created_at, hook.webhook.id))

    async def one(self, player: str, hook: str) -> Hook | None:
        raw = await self.redis.hget(keys.webhooks(player), hook)
        return None if raw is None else Hook(pb.Webhook.FromString(raw), raw)

    async def write(self, read: Hook, shall_be: pb.Webhook | None) -> str:
        """What webhook.lua says; None removes it."""
        player, hook = read.webhook.player, read.webhook.id
        written = b"" if shall_be is None else shall_be.SerializeToString()
        arguments = [hook, read.raw, written, MOST_WEBHOOKS, entry(player, hook)]
        answer: bytes = await self._webhooks.run(keys.webhook(player, hook), arguments)
        return answer.decode()

    async def delivery(self, player: str, hook: str, delivery: str) -> bytes | None:
        raw: bytes | None = await self.redis.hget(keys.webhook(player, hook)[1], delivery)
        return raw

    async def deliveries(self, player: str, hook: str) -> list[pb.Delivery]:
        """The last ones, newest first."""
        raw = await self.redis.hvals(keys.webhook(player, hook)[1])
        found = sorted((pb.Delivery.FromString(each) for each in raw), key=lambda each: (each.at, each.id))
        return found[: -KEPT - 1 : -1]

    async def step(self, read: Hook, shall_be: pb.Webhook, was: bytes, delivery: pb.Delivery) -> str:
        """What delivery.lua says. A delivery that waits is handed out at its `next_at`."""
        player, hook = read.webhook.player, read.webhook.id
        packed = pack(
            webhook=hook,
            webhook_was=read.raw,
            webhook_now=read.raw if shall_be is read.webhook else shall_be.SerializeToString(),
            delivery=delivery.id,
            delivery_was=was,
            delivery_now=delivery.SerializeToString(),
            entry=entry(player, hook, delivery.id),
            due=delivery.next_at if delivery.status == "waiting" else None,
            at=delivery.at,
            kept=KEPT,
            most=MOST_WAITING,
        )
        answer: bytes = await self._deliveries.run(keys.webhook(player, hook), [packed])
        return answer.decode()

    async def forget_due(self, player: str, hook: str, delivery: str) -> None:
        await self.redis.zrem(keys.deliveries_due(keys.shard(player)), entry(player, hook, delivery))

    async def mark(self, player: str, hook: str) -> None:
        """From now on what happens to the player is noted."""
        await asyncio.gather(*(self.redis.hset(keys.webhook_marks(number), player, hook) for number in range(SHARDS)))

    async def unmark(self, player: str, mark: str) -> None:
        """Only where no newer webhook has left its own mark."""
        await asyncio.gather(
            *(self._unmark.run([keys.webhook_marks(number)], [player, mark]) for number in range(SHARDS))
        )
