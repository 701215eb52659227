"""A link: one gRPC stream that carries many calls (proto/teahouse/v1/link.proto). Read docs/link.md first.

With 100 calls at once a call costs a tenth of the CPU of a unary call of grpc.aio, with 20 a sixth, alone a tenth more:
`python -m tests.bench.parts link`.

client.py              LinkClient: calls a service, spread over its copies
server.py              LinkServer: answers calls with the methods of a service
client_connection.py   the stream to one copy, and the calls under way on it
server_connection.py   the stream of one caller, and the calls it has under way
batching.py            what waits to be sent, and how much of it goes into one message
flow_control.py        how far a stream of answers may run ahead of its reader
"""

from services.platform.link.client import Copy, LinkClient
from services.platform.link.server import LinkServer

__all__ = ["Copy", "LinkClient", "LinkServer"]
