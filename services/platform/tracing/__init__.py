"""Traces (OpenTelemetry) are off unless TEAHOUSE_TRACES names a collector; where they are off nothing is imported.

Whoever may take part in a trace looks at `tracer()` when it is made, not when it is called.
"""

from typing import TYPE_CHECKING

from services.platform.settings import Settings

if TYPE_CHECKING:
    from services.platform.tracing.spans import Tracer

_tracers: "list[Tracer]" = []


def begin(service: str, settings: Settings) -> None:
    """Once in a process, after it was forked and before anything else is made."""
    if settings.traces:
        from services.platform.tracing.export import Exporter
        from services.platform.tracing.spans import Tracer

        exporter = Exporter(service, settings.traces)
        exporter.start()
        _tracers.append(Tracer(exporter, settings.traces_share))


def end() -> None:
    """Sends what has not been sent."""
    while _tracers:
        _tracers.pop().end()


def tracer() -> "Tracer | None":
    """None where traces are off."""
    return _tracers[0] if _tracers else None
