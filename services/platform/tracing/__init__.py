"""Traces (OpenTelemetry). Off unless TEAHOUSE_TRACES names a collector; where they are off, nothing is imported.

    context.py   which request a call is made for: in a process, and between two; also where traces are off
    spans.py     begins and ends spans
    export.py    sends them to the collector

Parts that take part in traces look at `tracer()` when they are made, not at every call.
"""

from typing import TYPE_CHECKING

from services.platform.settings import Settings

if TYPE_CHECKING:
    from services.platform.tracing.spans import Tracer

_tracers: "list[Tracer]" = []


def begin(service: str, settings: Settings) -> None:
    """Call it once in a process, after it was forked and before its parts are made."""
    if settings.traces:
        from services.platform.tracing.export import Exporter
        from services.platform.tracing.spans import Tracer

        exporter = Exporter(service, settings.traces)
        exporter.start()
        _tracers.append(Tracer(exporter, settings.traces_share))


def end() -> None:
    """Sends the spans that are left."""
    while _tracers:
        _tracers.pop().end()


def tracer() -> "Tracer | None":
    """None where traces are off."""
    return _tracers[0] if _tracers else None
