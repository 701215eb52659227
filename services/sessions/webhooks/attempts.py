"""Attempts to deliver: what is sent, and what becomes of a delivery and its webhook afterwards."""

import hmac
import json
import logging
import random
from datetime import UTC, datetime

from prometheus_client import Counter

from services.platform.clock import now_ms
from services.platform.settings import Settings
from services.sessions.webhooks.webhook_store import TRIES, WebhookStore
from teahouse.v1 import webhooks_pb2 as pb

log = logging.getLogger(__name__)
ATTEMPTS = Counter("teahouse_webhook_attempts", "Attempts to deliver to a webhook.", ["result"])
DISABLED = Counter("teahouse_webhooks_disabled", "Webhooks disabled after repeated failure.")
# The pauses between attempts, as multiples of the first; the last one repeats.
PAUSES = (1, 6, 24, 120, 720, 2160, 4320)
# By how much the clocks of two copies of the service may differ.
SKEW_MS = 1000


class Attempts:
    """Owns what a worker may send now, and judges how it went."""

    def __init__(self, settings: Settings, store: WebhookStore) -> None:
        self.settings, self.store = settings, store

    async def begin(self, request: pb.AttemptRequest) -> pb.Attempt:
        read = await self.store.one(request.player, request.webhook)
        was = await self.store.delivery(request.player, request.webhook, request.delivery)
        delivery = pb.Delivery.FromString(was or b"")
        if read is None or was is None or delivery.status != "waiting":
            await self.store.forget_due(request.player, request.webhook, request.delivery)
            return pb.Attempt(due=False)
        now = now_ms()
        if delivery.next_at > now + SKEW_MS:
            return pb.Attempt(due=False)
        webhook = read.webhook
        if not webhook.enabled:
            delivery.status = "dropped"
        elif delivery.attempts >= self.settings.webhook_tries:
            # The last attempt began, and nobody said how it ended.
            webhook = judged(webhook, delivery, self.settings)
        else:
            delivery.attempts, delivery.tried_at, delivery.next_at = (
                delivery.attempts + 1,
                now,
                now + lease(self.settings),
            )
            delivery.answer, delivery.error = 0, "not reported yet"
        if await self.store.step(read, webhook, was, delivery) != "ok" or delivery.status != "waiting":
            return pb.Attempt(due=False)
        body = message(delivery, webhook.player)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Teahouse-Webhooks/1",
            "Teahouse-Delivery": delivery.id,
            "Teahouse-Event": delivery.type,
            "Teahouse-Signature": signature(webhook.secret, now // 1000, body),
        }
        return pb.Attempt(due=True, number=delivery.attempts, url=webhook.url, headers=headers, body=body)

    async def end(self, request: pb.AttemptResult) -> pb.EndAttemptResponse:
        for _ in range(TRIES):
            read = await self.store.one(request.player, request.webhook)
            was = await self.store.delivery(request.player, request.webhook, request.delivery)
            delivery = pb.Delivery.FromString(was or b"")
            if read is None or was is None or (delivery.status, delivery.attempts) != ("waiting", request.number):
                break
            delivery.answer, delivery.error = request.answer, request.error
            webhook = judged(read.webhook, delivery, self.settings)
            if await self.store.step(read, webhook, was, delivery) == "ok":
                ATTEMPTS.labels("failed" if delivery.error else "delivered").inc()
                break
        return pb.EndAttemptResponse()


def judged(webhook: pb.Webhook, delivery: pb.Delivery, settings: Settings) -> pb.Webhook:
    """After an attempt: alters the delivery, which is delivered, waits for the next one, or is given up."""
    changed = webhook
    if 200 <= delivery.answer < 300:
        delivery.status, delivery.error = "delivered", ""
        if webhook.failures:
            changed = pb.Webhook()
            changed.CopyFrom(webhook)
            changed.failures = 0
        return changed
    delivery.error = delivery.error or f"the receiver answered {delivery.answer}; expected 200 to 299"
    if delivery.attempts < settings.webhook_tries:
        delivery.next_at = now_ms() + pause_ms(delivery.attempts, settings.webhook_pause)
        return webhook
    delivery.status = "failed"
    changed = pb.Webhook()
    changed.CopyFrom(webhook)
    changed.failures += 1
    if changed.enabled and changed.failures >= settings.webhook_failures:
        return disabled(changed, f"{changed.failures} deliveries failed one after another: {delivery.error}")
    return changed


def disabled(webhook: pb.Webhook, because: str) -> pb.Webhook:
    DISABLED.inc()
    log.info("webhook %s is disabled: %s", webhook.id, because)
    changed = pb.Webhook()
    changed.CopyFrom(webhook)
    changed.enabled, changed.disabled_because = False, because
    return changed


def pause_ms(attempts: int, first: float) -> int:
    """How long to wait after so many attempts: growing, and never the same for all that failed at once."""
    return int(1000 * first * PAUSES[min(attempts, len(PAUSES)) - 1] * random.uniform(0.8, 1.2))


def lease(settings: Settings) -> int:
    """Milliseconds after which an attempt that nobody reported is made again."""
    return int((settings.webhook_timeout + settings.redeliver) * 1000)


def message(delivery: pb.Delivery, player: str) -> bytes:
    """What is sent. Nothing that only one seat may know: whoever receives it asks the API for the view."""
    at = datetime.fromtimestamp(delivery.at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    what = {"id": delivery.id, "type": delivery.type, "at": at, "player": player}
    where = {"table": delivery.table, "version": delivery.version, "game": delivery.game}
    return json.dumps({**what, **where}).encode()


def signature(secret: str, seconds: int, body: bytes) -> str:
    """The header by which a receiver knows that the message comes from here, and is not an old one."""
    digest = hmac.digest(secret.encode(), b"%d.%b" % (seconds, body), "sha256")
    return f"t={seconds},v1={digest.hex()}"
