"""Webhooks: what happens to a player is sent to addresses that the player chose."""

import asyncio
import hmac
import json
import logging
import random
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from prometheus_client import Counter
from redis.exceptions import RedisError

from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, invalid, not_found
from services.platform.public_addresses import BadUrl, is_private_literal, read_url
from services.platform.settings import Settings
from services.sessions.hookstore import MOST_WAITING, MOST_WEBHOOKS, Hook, HookStore
from services.sessions.notices import TYPES
from services.sessions.players import Players
from services.sessions.store import SHARDS, new_id
from teahouse.v1 import webhooks_pb2 as pb

log = logging.getLogger(__name__)
ATTEMPTS = Counter("teahouse_webhook_attempts", "Attempts to deliver to a webhook.", ["result"])
DISABLED = Counter("teahouse_webhooks_disabled", "Webhooks disabled after repeated failure.")
TRIES = 20
# The pauses between attempts, as multiples of the first; the last one repeats.
PAUSES = (1, 6, 24, 120, 720, 2160, 4320)
# By how much the clocks of two copies of the service may differ.
SKEW_MS = 1000
# player, webhook, delivery, seconds it is good for
HandOut = Callable[[str, str, str, float], None]


class Webhooks(Players):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.hooks = HookStore(self.store.redis)

    @answers
    async def CreateWebhook(self, request: pb.CreateWebhookRequest) -> pb.Webhook:
        self.check_url(request.url)
        unknown = [each for each in request.events if each not in TYPES]
        if unknown:
            text = f"there is no event {unknown[0][:40]!r}; there are {', '.join(TYPES)}"
            raise invalid("BAD_EVENTS", text, field="events")
        webhook = pb.Webhook(
            id=new_id("h_"),
            player=request.caller,
            url=request.url,
            events=dict.fromkeys(request.events or TYPES),
            secret=secrets.token_urlsafe(32),
            created_at=now_ms(),
        )
        if await self.hooks.write(Hook(webhook), webhook) == "full":
            text = f"a player has at most {MOST_WEBHOOKS} webhooks; delete one first"
            raise conflict("TOO_MANY_WEBHOOKS", text)
        return await self.enable(webhook.player, webhook.id, True)

    def check_url(self, url: str) -> None:
        try:
            host = read_url(url).host
        except BadUrl as error:
            raise invalid("BAD_URL", str(error), field="url") from None
        if not self.settings.webhook_private and is_private_literal(host):
            raise invalid("BAD_URL", "this address is private; give one of the public internet", field="url")

    async def enable(self, player: str, hook: str, enabled: bool) -> pb.Webhook:
        """A webhook is enabled only after it has its marks: nothing that happens from then on escapes it."""
        for _ in range(TRIES):
            read = await self.webhook(player, hook)
            changed = pb.Webhook()
            changed.CopyFrom(read.webhook)
            changed.enabled = enabled
            if enabled:
                changed.failures, changed.disabled_because = 0, ""
                await self.hooks.mark(player, hook)
            if await self.hooks.write(read, changed) == "ok":
                return changed
        raise busy()

    async def webhook(self, player: str, hook: str) -> Hook:
        read = await self.hooks.one(player, hook)
        if read is None:
            raise not_found("UNKNOWN_WEBHOOK", f"you have no webhook {hook[:40]!r}")
        return read

    @answers
    async def ListWebhooks(self, request: pb.ListWebhooksRequest) -> pb.ListWebhooksResponse:
        return pb.ListWebhooksResponse(webhooks=[shown(hook.webhook) for hook in await self.hooks.all(request.caller)])

    @answers
    async def GetWebhook(self, request: pb.WebhookRequest) -> pb.Webhook:
        return shown((await self.webhook(request.caller, request.webhook)).webhook)

    @answers
    async def EnableWebhook(self, request: pb.EnableWebhookRequest) -> pb.Webhook:
        return shown(await self.enable(request.caller, request.webhook, request.enabled))

    @answers
    async def DeleteWebhook(self, request: pb.WebhookRequest) -> pb.Webhook:
        for _ in range(TRIES):
            read = await self.webhook(request.caller, request.webhook)
            if await self.hooks.write(read, None) == "ok":
                if not await self.hooks.all(request.caller):
                    await self.hooks.unmark(request.caller, request.webhook)
                return shown(read.webhook)
        raise busy()

    @answers
    async def ListDeliveries(self, request: pb.WebhookRequest) -> pb.ListDeliveriesResponse:
        await self.webhook(request.caller, request.webhook)
        return pb.ListDeliveriesResponse(deliveries=await self.hooks.deliveries(request.caller, request.webhook))

    async def send_notices(self, hand_out: HandOut) -> None:
        """Makes deliveries of what was noted at the tables and hands out what is due, for as long as it lives."""
        while True:
            await asyncio.sleep(0.25)
            shards = (self.pass_on(number, hand_out) for number in range(SHARDS))
            # A shard that cannot be reached does not keep the others waiting.
            errors = [error for error in await asyncio.gather(*shards, return_exceptions=True) if error]
            if errors and isinstance(errors[0], RedisError | OSError):
                log.warning("webhooks wait: Redis does not answer: %s", errors[0])
            elif errors:
                log.error("the dispatcher of webhooks goes on after an error", exc_info=errors[0])

    async def pass_on(self, number: int, hand_out: HandOut) -> None:
        await self.fan_out(number)
        again = lease(self.settings)
        for entry in await self.hooks.take_due(number, again):
            player, hook, delivery = entry.split(" ")
            hand_out(player, hook, delivery, again / 1000)

    async def fan_out(self, number: int) -> None:
        """What was noted in one shard of tables becomes one delivery for each webhook that wants it."""
        for notice in await self.hooks.take_notices(number, int(self.settings.redeliver * 1000)):
            table, version, kind, player, at, game, mark = notice.split(" ")
            hooks = await self.hooks.all(player)
            if not hooks:
                await self.hooks.unmark(player, mark)
            for hook in hooks:
                name = sha256(f"{hook.webhook.id} {table} {version} {kind}".encode()).hexdigest()
                delivery = pb.Delivery(id=f"d_{name[:24]}", type=kind, table=table, version=int(version), game=game)
                delivery.at, delivery.next_at, delivery.status = int(at), now_ms(), "waiting"
                await self.add(hook, delivery)
            await self.hooks.forget_notice(number, notice)

    async def add(self, hook: Hook, delivery: pb.Delivery) -> None:
        """Once: the same thing noted twice is the same delivery."""
        read: Hook | None = hook
        while read and read.webhook.enabled and delivery.type in read.webhook.events:
            answer = await self.hooks.step(read, read.webhook, b"", delivery)
            if answer in ("ok", "delivery"):
                return
            if answer == "full":
                await self.hooks.write(read, disabled(read.webhook, f"{MOST_WAITING} deliveries were waiting"))
            read = await self.hooks.one(read.webhook.player, read.webhook.id)

    @answers
    async def BeginAttempt(self, request: pb.AttemptRequest) -> pb.Attempt:
        read = await self.hooks.one(request.player, request.webhook)
        was = await self.hooks.delivery(request.player, request.webhook, request.delivery)
        delivery = pb.Delivery.FromString(was or b"")
        if read is None or was is None or delivery.status != "waiting":
            await self.hooks.forget_due(request.player, request.webhook, request.delivery)
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
        if await self.hooks.step(read, webhook, was, delivery) != "ok" or delivery.status != "waiting":
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

    @answers
    async def EndAttempt(self, request: pb.AttemptResult) -> pb.EndAttemptResponse:
        for _ in range(TRIES):
            read = await self.hooks.one(request.player, request.webhook)
            was = await self.hooks.delivery(request.player, request.webhook, request.delivery)
            delivery = pb.Delivery.FromString(was or b"")
            if read is None or was is None or (delivery.status, delivery.attempts) != ("waiting", request.number):
                break
            delivery.answer, delivery.error = request.answer, request.error
            webhook = judged(read.webhook, delivery, self.settings)
            if await self.hooks.step(read, webhook, was, delivery) == "ok":
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


def shown(webhook: pb.Webhook) -> pb.Webhook:
    """Without its secret, which is told once."""
    webhook.ClearField("secret")
    return webhook


def busy() -> Refusal:
    return conflict("BUSY", "the webhook is being changed by somebody else; try again")
