"""What becomes of a delivery after an attempt, and of its webhook."""

from services.platform.clock import now_ms
from services.platform.settings import Settings
from services.sessions.webhooks.attempts import PAUSES, judged, pause_ms, signature
from teahouse.v1 import webhooks_pb2 as pb

SETTINGS = Settings(webhook_tries=3, webhook_failures=2, webhook_pause=5)
WEBHOOK = pb.Webhook(id="h_x", enabled=True, failures=1)


def attempt(number: int, answer: int, error: str = "") -> tuple[pb.Webhook, pb.Delivery]:
    delivery = pb.Delivery(status="waiting", attempts=number, answer=answer, error=error)
    return judged(WEBHOOK, delivery, SETTINGS), delivery


def test_a_success_ends_it_and_clears_the_failures() -> None:
    for answer in (200, 204, 299):
        webhook, delivery = attempt(2, answer)
        assert (delivery.status, delivery.error, webhook.failures) == ("delivered", "", 0)
    assert WEBHOOK.failures == 1, "what was read stays as it was read"


def test_anything_else_is_tried_again() -> None:
    for answer, error in ((0, "refused"), (199, ""), (301, ""), (404, ""), (500, "")):
        before = now_ms()
        webhook, delivery = attempt(1, answer, error)
        assert delivery.status == "waiting"
        assert webhook is WEBHOOK
        assert before + 4000 <= delivery.next_at <= now_ms() + 6000
        assert delivery.error == error or str(answer) in delivery.error


def test_the_last_failure_gives_it_up_and_enough_of_them_disable_the_webhook() -> None:
    webhook, delivery = attempt(3, 500)
    assert (delivery.status, webhook.failures, webhook.enabled) == ("failed", 2, False)
    assert "2 deliveries failed" in webhook.disabled_because
    once = judged(pb.Webhook(enabled=True), pb.Delivery(status="waiting", attempts=3, answer=500), SETTINGS)
    assert (once.failures, once.enabled) == (1, True)


def test_pauses_grow_and_differ() -> None:
    for attempts, factor in enumerate([*PAUSES, PAUSES[-1]], 1):
        pauses = {pause_ms(attempts, 5) for _ in range(100)}
        assert 4000 * factor <= min(pauses) < max(pauses) <= 6000 * factor


def test_the_signature_is_the_one_that_the_manual_describes() -> None:
    # printf '0.{}' | openssl dgst -sha256 -hmac tea
    known = "660913c4d9541d2aa033bc0357cf60a0b149684b2f3e4092c367ba751d773c58"
    assert signature("tea", 0, b"{}") == f"t=0,v1={known}"
