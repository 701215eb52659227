"""Webhooks: the server calls you when something happens to you."""

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Request
from msgspec import Meta, Struct, field
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import schemas
from gateway.contract.bodies import body
from gateway.contract.conversions import moment
from gateway.contract.describe import JsonObject, describe
from gateway.contract.responses import answer
from teahouse.v1 import webhooks_pb2

router = APIRouter(tags=["webhooks"])
EventType = Literal["your_turn", "started", "finished", "closed", "seated", "invited"]


class NewWebhook(schemas.Request):
    """Where to call, and when."""

    url: Annotated[str, Meta(max_length=1000, description="http or https; the address must be public.")]
    events: Annotated[
        list[EventType], Meta(max_length=100, description="What to hear of; empty or left out: everything.")
    ] = field(default_factory=list)


class WebhookChange(schemas.Request):
    """Switches a webhook on or off."""

    enabled: bool


class Webhook(Struct):
    """A webhook, as its owner sees it."""

    id: str
    url: str
    events: list[str]
    enabled: bool
    failures: Annotated[int, Meta(description="Deliveries given up one after another.")]
    disabled_because: Annotated[str | None, Meta(description="Why the server disabled it; null if it did not.")]
    created_at: schemas.Time


class OwnWebhook(Webhook):
    """A new webhook with its secret, which is told once."""

    secret: Annotated[str, Meta(description="Key of the signatures.")]


class WebhookList(Struct):
    """Your webhooks."""

    webhooks: list[Webhook]


class Delivery(Struct):
    """Something that happened, on its way to your server."""

    id: Annotated[str, Meta(description="The header Teahouse-Delivery: the same for every attempt.")]
    type: str
    table: str
    version: schemas.Version
    at: schemas.Time
    status: Annotated[str, Meta(description='"waiting", "delivered", "failed" (given up) or "dropped" (disabled).')]
    attempts: int
    last_try: schemas.Time | None
    next_try: Annotated[schemas.Time | None, Meta(description="While it waits.")]
    answer: Annotated[int | None, Meta(description="HTTP status of your server's last answer.")]
    error: Annotated[str | None, Meta(description="What was wrong with the last attempt.")]


class DeliveryList(Struct):
    """The last 50 deliveries, newest first."""

    deliveries: list[Delivery]


NEW_WEBHOOK = msgspec.json.Decoder(NewWebhook)
CHANGE = msgspec.json.Decoder(WebhookChange)
WEBHOOK: JsonObject = {
    "id": "h_3kTz",
    "url": "https://example.org/teahouse",
    "events": ["your_turn", "finished"],
    "enabled": True,
    "failures": 0,
    "disabled_because": None,
    "created_at": "2026-03-01T18:30:00Z",
}
DELIVERY: JsonObject = {
    "id": "d_5f2c",
    "type": "your_turn",
    "table": "t_4hXc",
    "version": 12,
    "at": "2026-03-01T18:31:00Z",
    "status": "waiting",
    "attempts": 1,
    "last_try": "2026-03-01T18:31:00Z",
    "next_try": "2026-03-01T18:31:05Z",
    "answer": 502,
    "error": "the receiver answered 502; expected 200 to 299",
}
SIGNED = ["TOKEN_NEEDED", "BAD_TOKEN"]
OWN = [*SIGNED, "UNKNOWN_WEBHOOK"]


@router.post(
    "/v1/webhooks",
    **describe(
        "create_webhook",
        "Be called",
        OwnWebhook,
        WEBHOOK | {"secret": "mzA0…"},
        status=201,
        takes=NewWebhook,
        sends={"url": "https://example.org/teahouse", "events": ["your_turn", "finished"]},
        problems=[*SIGNED, "BAD_URL", "BAD_EVENTS", "TOO_MANY_WEBHOOKS"],
    ),
)
async def create_webhook(request: Request, caller: Caller) -> Response:
    """From now on your server is called when something happens to you. Keep the secret: it is shown once, and by it you
    know that a call comes from here."""
    backend = backend_of(request)
    wish = await body(request, NEW_WEBHOOK)
    message = webhooks_pb2.CreateWebhookRequest(caller=caller, url=wish.url, events=wish.events)
    made = await backend.call(backend.webhooks.CreateWebhook, message)
    own = OwnWebhook(**msgspec.structs.asdict(_webhook(made)), secret=made.secret)
    return answer(own, 201, Location=f"/v1/webhooks/{made.id}")


@router.get(
    "/v1/webhooks",
    **describe("list_webhooks", "List your webhooks", WebhookList, {"webhooks": [WEBHOOK]}, problems=SIGNED),
)
async def list_webhooks(request: Request, caller: Caller) -> Response:
    """Oldest first; a player has at most 10."""
    backend = backend_of(request)
    found = await backend.call(backend.webhooks.ListWebhooks, webhooks_pb2.ListWebhooksRequest(caller=caller))
    return answer(WebhookList([_webhook(each) for each in found.webhooks]))


@router.get("/v1/webhooks/{webhook}", **describe("get_webhook", "Look at a webhook", Webhook, WEBHOOK, problems=OWN))
async def get_webhook(request: Request, webhook: str, caller: Caller) -> Response:
    """Yours only."""
    backend = backend_of(request)
    message = webhooks_pb2.WebhookRequest(caller=caller, webhook=webhook)
    return answer(_webhook(await backend.call(backend.webhooks.GetWebhook, message)))


@router.patch(
    "/v1/webhooks/{webhook}",
    **describe(
        "change_webhook",
        "Switch a webhook on or off",
        Webhook,
        WEBHOOK,
        takes=WebhookChange,
        sends={"enabled": True},
        problems=[*OWN, "BUSY"],
    ),
)
async def change_webhook(request: Request, webhook: str, caller: Caller) -> Response:
    """What happens while a webhook is off is not delivered. One that the server disabled is switched on again so."""
    backend = backend_of(request)
    wish = await body(request, CHANGE)
    message = webhooks_pb2.EnableWebhookRequest(caller=caller, webhook=webhook, enabled=wish.enabled)
    return answer(_webhook(await backend.call(backend.webhooks.EnableWebhook, message)))


@router.delete(
    "/v1/webhooks/{webhook}",
    **describe("delete_webhook", "Remove a webhook", Webhook, WEBHOOK, problems=[*OWN, "BUSY"]),
)
async def delete_webhook(request: Request, webhook: str, caller: Caller) -> Response:
    """With its deliveries. The answer is the webhook as it was."""
    backend = backend_of(request)
    message = webhooks_pb2.WebhookRequest(caller=caller, webhook=webhook)
    return answer(_webhook(await backend.call(backend.webhooks.DeleteWebhook, message)))


@router.get(
    "/v1/webhooks/{webhook}/deliveries",
    **describe("list_deliveries", "See what was delivered", DeliveryList, {"deliveries": [DELIVERY]}, problems=OWN),
)
async def list_deliveries(request: Request, webhook: str, caller: Caller) -> Response:
    """The last 50, newest first, with what went wrong and when the next attempt is made."""
    backend = backend_of(request)
    message = webhooks_pb2.WebhookRequest(caller=caller, webhook=webhook)
    found = await backend.call(backend.webhooks.ListDeliveries, message)
    return answer(DeliveryList([_delivery(each) for each in found.deliveries]))


def _webhook(message: webhooks_pb2.Webhook) -> Webhook:
    return Webhook(
        id=message.id,
        url=message.url,
        events=list(message.events),
        enabled=message.enabled,
        failures=message.failures,
        disabled_because=message.disabled_because or None,
        created_at=moment(message.created_at / 1000),
    )


def _delivery(message: webhooks_pb2.Delivery) -> Delivery:
    return Delivery(
        id=message.id,
        type=message.type,
        table=message.table,
        version=message.version,
        at=moment(message.at / 1000),
        status=message.status,
        attempts=message.attempts,
        last_try=moment(message.tried_at / 1000) if message.tried_at else None,
        next_try=moment(message.next_at / 1000) if message.status == "waiting" else None,
        answer=message.answer or None,
        error=message.error or None,
    )
