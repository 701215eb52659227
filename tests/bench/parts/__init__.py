"""Every part of the fast path that we made ourselves, alone, against the way of the library that it stands in for.

link               services/platform/link           against grpc.aio
socket_writer      frames written past ASGI         against the send of Starlette and uvicorn
shared_connection  one connection, read by hiredis  against commands and pipelines of redis-py
scripts            callers share a round trip       against the registered scripts of redis-py
header_limits      bounds of a request's head       against the plain protocol of uvicorn: what safety costs
slow_clients       the guard against slow readers   against the plain protocol of uvicorn: what safety costs
"""
