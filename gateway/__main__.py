"""`python -m gateway` serves the API on TEAHOUSE_PORT."""

import contextlib
import logging
import socket

import uvicorn
from fastapi import FastAPI

from gateway.app import make_app, stop_streams
from services.platform.logs import set_up_logs
from services.platform.settings import Settings

log = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """Ends the streams first when it is told to stop."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self.app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log.info("stopping")
        stop_streams(self.app)
        await super().shutdown(sockets)
        log.info("stopped")


def main() -> None:
    settings = Settings()
    set_up_logs("gateway", settings)
    # At INFO uvicorn writes the addresses of sockets, and with them the tokens in ?token=.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        ws_max_size=settings.body_limit,
        # Views are small and many: compressing each costs more than sending it.
        ws_per_message_deflate=False,
        ws_ping_interval=settings.heartbeat,
        ws_ping_timeout=settings.heartbeat,
        timeout_graceful_shutdown=int(settings.drain),
        server_header=False,
        access_log=False,
        log_config=None,
    )
    log.info("listening on http://%s:%d", settings.host, settings.port)
    with contextlib.suppress(KeyboardInterrupt):
        Server(config, app).run()


if __name__ == "__main__":
    main()
