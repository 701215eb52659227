"""`python -m gateway` serves the API on TEAHOUSE_PORT."""

import asyncio
import contextlib
import logging
import socket

import uvicorn
from fastapi import FastAPI

from gateway.app import make_app, stop_streams
from gateway.arrivals import Arrivals
from gateway.readers import bound, protocols
from services.platform import tracing
from services.platform.logs import set_up_logs
from services.platform.settings import Settings

log = logging.getLogger(__name__)
# Seconds in which a stopping process still serves: clients learn of it from the end of their stream, from an answer
# that closes the connection, or from a load balancer that asks /readyz.
LINGER = 1.0


class Server(uvicorn.Server):
    """When it is told to stop, it says so before it leaves; nobody is cut off in the middle of a call."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self.app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log.info("stopping")
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        stop_streams(self.app)
        for _ in range(100):
            if not self.server_state.connections:
                break
            await asyncio.sleep(LINGER / 100)
        await super().shutdown(sockets)
        log.info("stopped")


def main() -> None:
    settings = Settings()
    set_up_logs("gateway", settings)
    # At INFO uvicorn writes the addresses of sockets, and with them the tokens in ?token=.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    tracing.begin("gateway", settings)
    app = make_app(settings)
    http, websocket = protocols(settings.patience)
    config = uvicorn.Config(
        Arrivals(app),
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=http,
        ws=websocket,
        ws_max_size=settings.body_limit,
        # Views are small and many: compressing each costs more than sending it.
        ws_per_message_deflate=False,
        ws_ping_interval=settings.heartbeat,
        ws_ping_timeout=settings.heartbeat,
        timeout_graceful_shutdown=int(settings.drain),
        server_header=False,
        # Else uvicorn believes the X-Forwarded-For of whoever calls from this machine; gateway.auth reads it.
        proxy_headers=False,
        access_log=False,
        log_config=None,
    )
    log.info("listening on http://%s:%d", settings.host, settings.port)
    listening = config.bind_socket()
    bound(listening)
    with contextlib.suppress(KeyboardInterrupt):
        Server(config, app).run([listening])
    tracing.end()


if __name__ == "__main__":
    main()
