"""Requests that must be refused, and how long that takes: under 10 ms on an idle machine."""

import http.client
import json
import time

from deploy.stack import Stack

TIMES = 200
JSON = "application/json"
REQUESTS = {
    "64 KB too large": (b'"' + b"x" * 65536 + b'"', JSON),
    "3,000 levels deep": (b'{"a":' * 3000 + b"1" + b"}" * 3000, JSON),
    "65,000 brackets": (b"[" * 65000, JSON),
    "64 KB of small lists": (b"[" + b"[]," * 21000 + b"[]]", JSON),
    "invalid UTF-8": (b'{"name": "\xc3\x28"}', JSON),
    "wrong type": (b'{"name": 7}', JSON),
    "unknown field": (b'{"name": "Ada", "surely_unknown": 1}', JSON),
    "wrong content type": (b"name=Ada", "application/x-www-form-urlencoded"),
}


def refused(connection: http.client.HTTPConnection, body: bytes, kind: str) -> float:
    """Milliseconds until the problem document is there."""
    began = time.perf_counter()
    connection.request("POST", "/v1/players", body, {"Content-Type": kind})
    answer = connection.getresponse()
    document = json.loads(answer.read())
    took = time.perf_counter() - began
    if not 400 <= answer.status < 500 or document["status"] != answer.status:
        raise SystemExit(f"not refused: {answer.status} {document}")
    return took * 1000


def main(stack: Stack) -> None:
    print(f"refusals: {TIMES} times each, one after another; p50, p99 and the slowest in ms")
    connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=30)
    for name, (body, kind) in REQUESTS.items():
        times = sorted(refused(connection, body, kind) for _ in range(TIMES))
        p50, p99 = (times[int(len(times) * share)] for share in (0.5, 0.99))
        print(f"  {name:<22} {p50:6.2f} {p99:7.2f} {times[-1]:7.2f}", flush=True)
