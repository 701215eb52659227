"""Spans on their way to a collector that is there, away, or slow."""

import logging

import pytest

from deploy.stack import LOCAL, free_port
from services.platform.tracing.export import MOST_KEPT, Exporter
from services.platform.tracing.spans import Tracer
from teahouse.v1.link_pb2 import Cause
from tests.integration.collector import collector

PARENT = Cause(request_id="r-1", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")


def tracer(url: str, share: float = 1.0) -> Tracer:
    """One that sends when it is told to."""
    return Tracer(Exporter("tests", url), share)


def test_a_collector_that_is_away_costs_its_traces_and_one_line(caplog: pytest.LogCaptureFixture) -> None:
    away = tracer(f"http://{LOCAL}:{free_port()}")
    caplog.set_level(logging.INFO)
    for _ in range(3):
        away.start("server", "Act", PARENT, {}).end()
        away.exporter.send()
    assert not away.exporter.waiting
    assert [line.levelname for line in caplog.records] == ["WARNING"]
    with collector() as collecting:
        away.exporter.url = f"{collecting.url}/v1/traces"
        away.start("server", "Act", PARENT, {"teahouse.version": 7}).end()
        away.exporter.send()
        [heard] = collecting.heard
    assert (heard.service, heard.span.name, heard.about["teahouse.version"]) == ("tests", "Act", 7)
    assert [line.levelname for line in caplog.records] == ["WARNING", "INFO"]


def test_no_more_spans_wait_than_are_allowed_to() -> None:
    slow = tracer(f"http://{LOCAL}:1")
    for _ in range(MOST_KEPT + 100):
        slow.start("server", "Act", PARENT, {}).end()
    assert len(slow.exporter.waiting) == MOST_KEPT


def test_the_first_span_decides_what_is_recorded() -> None:
    never = tracer(f"http://{LOCAL}:1", share=0)
    first = never.start("server", "Act", Cause(), {})
    cause = never.under(first, Cause())
    assert cause.traceparent.endswith("-00")
    assert cause.request_id == first.trace
    never.start("client", "Act", cause, {}).end()
    first.end()
    assert not never.exporter.waiting
    # What the client wants recorded is recorded.
    never.start("server", "Act", PARENT, {}).end()
    assert len(never.exporter.waiting) == 1
    half = [tracer(f"http://{LOCAL}:1", share=0.5).start("server", "Act", Cause(), {}).exporter for _ in range(400)]
    assert 100 < sum(each is not None for each in half) < 300
