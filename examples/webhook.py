"""Receives a Teahouse server's webhooks and prints each as a line of JSON. Needs only Python 3.9 or newer.

    TEAHOUSE_WEBHOOK_SECRET=… python3 examples/webhook.py --port 9000

The secret comes from the answer to POST /v1/webhooks. Anybody can call this address, so the program refuses calls that
are not signed with the secret, or were signed more than five minutes ago.
"""

import argparse
import hashlib
import hmac
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OLDEST = 300  # seconds
LARGEST = 1 << 20  # bytes


def genuine(secret: str, header: str, body: bytes, now: float) -> bool:
    """The header is `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    signed, signature = parts.get("t", ""), parts.get("v1", "")
    if not (signed.isascii() and signed.isdigit() and abs(now - int(signed)) <= OLDEST):
        return False
    expected = hmac.new(secret.encode(), signed.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST:
            self.answer(411)
            return
        body = self.rfile.read(int(length))
        if not genuine(secret, self.headers.get("Teahouse-Signature", ""), body, time.time()):
            self.answer(401)
            return
        # Answer first, work later: a slow answer counts as a failure, and the server sends the notification again.
        self.answer(204)
        print(body.decode(), flush=True)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9000)
    wish = parser.parse_args()
    secret = os.environ.get("TEAHOUSE_WEBHOOK_SECRET") or sys.exit("set TEAHOUSE_WEBHOOK_SECRET")
    server = ThreadingHTTPServer((wish.host, wish.port), Receiver)
    print(f"waiting on http://{wish.host}:{server.server_port}/", file=sys.stderr, flush=True)
    server.serve_forever()
