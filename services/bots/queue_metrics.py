"""The depth of the bots' queues as metrics."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from services.platform.pool.celery_app import QUEUES
from services.platform.pool.depth import UNREACHABLE, depth_reader
from services.platform.settings import Settings


class QueueMetrics:
    """A collector for Prometheus. It asks the broker at each scrape, and reports nothing if that does not answer."""

    def __init__(self, settings: Settings) -> None:
        self.depth = depth_reader(settings)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        waiting = GaugeMetricFamily("teahouse_bot_queue_turns", "Turns that no worker has taken.", labels=["queue"])
        oldest = GaugeMetricFamily(
            "teahouse_bot_queue_oldest_seconds", "How long the oldest of them has waited.", labels=["queue"]
        )
        try:
            for name, queue in QUEUES.items():
                found = self.depth(queue)
                waiting.add_metric([name], found.waiting)
                if found.oldest is not None:
                    oldest.add_metric([name], found.oldest)
        except UNREACHABLE:
            return
        yield waiting
        yield oldest
