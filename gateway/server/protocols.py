"""uvicorn's protocols of HTTP and of WebSockets, with everything that this room adds to them."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from gateway.server.request_head import RequestHead
from gateway.server.slow_clients import SlowClientGuard
from gateway.server.socket_writer import FrameWriting

# Seconds for the last words to a client that has not answered pings.
FAREWELL = 1.0


def protocols(seconds: float) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Of HTTP and of WebSockets; a client may keep us waiting for so many seconds."""

    class Http(SlowClientGuard, RequestHead):
        patience = seconds
        # The latest request when it was first seen unfinished (None: there was none yet), and when that was.
        unfinished: tuple[RequestResponseCycle | None, float] | None = None

        def look(self) -> None:
            """A request, too, must have arrived in time."""
            if self.asking():
                if self.unfinished is None or self.unfinished[0] is not self.cycle:
                    self.unfinished = self.cycle, self.loop.time()
                elif self.loop.time() - self.unfinished[1] >= self.patience:
                    self.drop()
                    return
            else:
                self.unfinished = None
            super().look()

        def asking(self) -> bool:
            """Whether we wait for the rest of a request. Between two of them uvicorn has its own timer."""
            if self.cycle is None or self.cycle.response_complete:
                return self.timeout_keep_alive_task is None
            return self.cycle.more_body

        def handle_websocket_upgrade(self) -> None:
            self.look_no_more()
            super().handle_websocket_upgrade()

    class WebSocket(SlowClientGuard, FrameWriting):
        patience = seconds

        def keepalive_timeout(self) -> None:
            super().keepalive_timeout()
            # Closing waits until everything is sent, which may be never.
            self.loop.call_later(FAREWELL, self.transport.abort)

        async def send(self, message: Any) -> None:
            await super().send(message)
            # A handshake that was answered with a problem document is over; uvicorn would call it a mistake of ours.
            self.handshake_complete = self.handshake_complete or (self.close_sent and self.initial_response is not None)

    return Http, WebSocket
