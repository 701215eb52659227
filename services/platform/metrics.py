"""What every gRPC service measures."""

from prometheus_client import Histogram

CALLS = Histogram(
    "teahouse_grpc_seconds",
    "Duration of calls answered, by method and status.",
    ["method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
