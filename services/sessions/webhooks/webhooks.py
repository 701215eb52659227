"""Webhooks, as their owners manage them."""

import secrets

from services.platform.clock import now_ms
from services.platform.errors import Refusal, conflict, invalid, not_found
from services.platform.public_addresses import BadUrl, is_private_literal, read_url
from services.platform.settings import Settings
from services.sessions.store.ids import new_id
from services.sessions.webhooks.notifications import TYPES
from services.sessions.webhooks.webhook_store import MOST_WEBHOOKS, TRIES, Hook, WebhookStore
from teahouse.v1 import webhooks_pb2 as pb


class Webhooks:
    """Owns which addresses a player's events are sent to."""

    def __init__(self, settings: Settings, store: WebhookStore) -> None:
        self.settings, self.store = settings, store

    async def create(self, request: pb.CreateWebhookRequest) -> pb.Webhook:
        self._check_url(request.url)
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
        if await self.store.write(Hook(webhook), webhook) == "full":
            text = f"a player has at most {MOST_WEBHOOKS} webhooks; delete one first"
            raise conflict("TOO_MANY_WEBHOOKS", text)
        return await self._enable(webhook.player, webhook.id, True)

    def _check_url(self, url: str) -> None:
        try:
            host = read_url(url).host
        except BadUrl as error:
            raise invalid("BAD_URL", str(error), field="url") from None
        if not self.settings.webhook_private and is_private_literal(host):
            raise invalid("BAD_URL", "this address is private; give one of the public internet", field="url")

    async def _enable(self, player: str, hook: str, enabled: bool) -> pb.Webhook:
        """A webhook is enabled only after it has its marks: nothing that happens from then on escapes it."""
        for _ in range(TRIES):
            read = await self._webhook(player, hook)
            changed = pb.Webhook()
            changed.CopyFrom(read.webhook)
            changed.enabled = enabled
            if enabled:
                changed.failures, changed.disabled_because = 0, ""
                await self.store.mark(player, hook)
            if await self.store.write(read, changed) == "ok":
                return changed
        raise busy()

    async def _webhook(self, player: str, hook: str) -> Hook:
        read = await self.store.one(player, hook)
        if read is None:
            raise not_found("UNKNOWN_WEBHOOK", f"you have no webhook {hook[:40]!r}")
        return read

    async def page(self, request: pb.ListWebhooksRequest) -> pb.ListWebhooksResponse:
        return pb.ListWebhooksResponse(webhooks=[shown(hook.webhook) for hook in await self.store.all(request.caller)])

    async def get(self, request: pb.WebhookRequest) -> pb.Webhook:
        return shown((await self._webhook(request.caller, request.webhook)).webhook)

    async def enable(self, request: pb.EnableWebhookRequest) -> pb.Webhook:
        return shown(await self._enable(request.caller, request.webhook, request.enabled))

    async def delete(self, request: pb.WebhookRequest) -> pb.Webhook:
        for _ in range(TRIES):
            read = await self._webhook(request.caller, request.webhook)
            if await self.store.write(read, None) == "ok":
                if not await self.store.all(request.caller):
                    await self.store.unmark(request.caller, request.webhook)
                return shown(read.webhook)
        raise busy()

    async def deliveries(self, request: pb.WebhookRequest) -> pb.ListDeliveriesResponse:
        await self._webhook(request.caller, request.webhook)
        return pb.ListDeliveriesResponse(deliveries=await self.store.deliveries(request.caller, request.webhook))


def shown(webhook: pb.Webhook) -> pb.Webhook:
    """Without its secret, which is told once."""
    webhook.ClearField("secret")
    return webhook


def busy() -> Refusal:
    return conflict("BUSY", "the webhook is being changed by somebody else; try again")
