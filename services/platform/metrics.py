"""The metrics of every gRPC service, and the attributes of a call in a trace."""

from functools import cache
from typing import Any

from google.protobuf.message import Message
from prometheus_client import Counter, Histogram

from services.platform.logs import message_fields

SHED = Counter("teahouse_shed", "Calls refused because as many were under way as this process takes.")
CALLS = Histogram(
    "teahouse_grpc_seconds",
    "Duration of calls answered, by method and status; of streams: until their first answer.",
    ["method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
# Finding the child of a metric costs more than counting with it.
calls = cache(CALLS.labels)


def attributes(method: str, request: Message) -> dict[str, Any]:
    told = {f"teahouse.{name}": value for name, value in message_fields(request).items()}
    return {"rpc.system.name": "grpc", "rpc.method": method, **told}
