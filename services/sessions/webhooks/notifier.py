"""What was noted at the tables becomes deliveries, and what is due is handed to the worker pool."""

import asyncio
import logging
from hashlib import sha256

from services.platform.clock import now_ms
from services.platform.settings import Settings
from services.sessions.background import repeat
from services.sessions.store import keys
from services.sessions.store.keys import SHARDS
from services.sessions.store.script import Script
from services.sessions.turns.worker_queue import WorkerQueue
from services.sessions.webhooks.attempts import disabled, lease
from services.sessions.webhooks.webhook_store import MOST_WAITING, Hook, WebhookStore
from teahouse.v1 import webhooks_pb2 as pb

log = logging.getLogger(__name__)
PAUSE = 0.25  # seconds
# Taken from an outbox at a time.
HANDFUL = 20


class Notifier:
    """Owns the way from a notification to the worker that delivers it."""

    def __init__(self, settings: Settings, store: WebhookStore, queue: WorkerQueue) -> None:
        self.settings, self.store, self.queue = settings, store, queue
        self._take = Script(store.redis, "claim")

    async def run(self) -> None:
        await repeat("the dispatcher of webhooks", self._pass_on_all, PAUSE)

    async def _pass_on_all(self) -> None:
        shards = (self._pass_on(number) for number in range(SHARDS))
        # A shard that cannot be reached does not keep the others waiting.
        for error in await asyncio.gather(*shards, return_exceptions=True):
            if error:
                raise error

    async def _pass_on(self, number: int) -> None:
        await self._fan_out(number)
        again = lease(self.settings)
        for entry in await self._due(keys.deliveries_due(number), again):
            player, hook, delivery = entry.split(" ")
            self.queue.deliver(player, hook, delivery, again / 1000)

    async def _fan_out(self, number: int) -> None:
        """What was noted in one shard of tables becomes one delivery for each webhook that wants it."""
        for notification in await self._due(keys.notifications(number), int(self.settings.redeliver * 1000)):
            table, version, kind, player, at, game, mark = notification.split(" ")
            hooks = await self.store.all(player)
            if not hooks:
                await self.store.unmark(player, mark)
            for hook in hooks:
                name = sha256(f"{hook.webhook.id} {table} {version} {kind}".encode()).hexdigest()
                delivery = pb.Delivery(id=f"d_{name[:24]}", type=kind, table=table, version=int(version), game=game)
                delivery.at, delivery.next_at, delivery.status = int(at), now_ms(), "waiting"
                await self._add(hook, delivery)
            await self.store.redis.zrem(keys.notifications(number), notification)

    async def _add(self, hook: Hook, delivery: pb.Delivery) -> None:
        """Once: the same thing noted twice is the same delivery."""
        read: Hook | None = hook
        while read and read.webhook.enabled and delivery.type in read.webhook.events:
            answer = await self.store.step(read, read.webhook, b"", delivery)
            if answer in ("ok", "delivery"):
                return
            if answer == "full":
                await self.store.write(read, disabled(read.webhook, f"{MOST_WAITING} deliveries were waiting"))
            read = await self.store.one(read.webhook.player, read.webhook.id)

    async def _due(self, outbox: str, again_ms: int) -> list[str]:
        """What is due there; it is set aside for so many milliseconds."""
        now = now_ms()
        return [each.decode() for each in await self._take.run([outbox], [now, now + again_ms, HANDFUL])]
