"""The rules services, as the session service calls them."""

import asyncio
import logging
import time
from typing import Any

import grpc
import grpc.aio

from services.platform.errors import Refusal, from_rpc, not_found
from services.platform.link import Linked
from services.platform.server import channel
from services.platform.settings import Settings
from teahouse.v1 import rules_pb2

RULES = rules_pb2.DESCRIPTOR.services_by_name["Rules"]
log = logging.getLogger(__name__)
# Seconds for which what a game says of itself is believed.
FRESH = 10.0


class RulesClient:
    """One channel per game. What a game says of itself is asked for again after some seconds."""

    def __init__(self, settings: Settings) -> None:
        self.deadline = settings.deadline
        self.channels = {game: channel(address) for game, address in settings.rules.items()}
        self.stubs: dict[str, Any] = {game: Linked(one, RULES, settings.links) for game, one in self.channels.items()}
        self.games: dict[str, tuple[float, rules_pb2.GameInfo]] = {}

    async def call(self, game: str, method: str, request: Any) -> Any:
        if game not in self.stubs:
            raise not_found("UNKNOWN_GAME", f"there is no game {game[:40]!r}; there are {', '.join(self.stubs)}")
        try:
            return await getattr(self.stubs[game], method)(request, timeout=self.deadline)
        except grpc.aio.AioRpcError as error:
            raise self.refusal(game, error) from None

    def refusal(self, game: str, error: grpc.aio.AioRpcError) -> Refusal:
        refusal = from_rpc(error)
        if refusal.reason.startswith("RPC_"):
            log.warning("rules of %s: %s", game, refusal.message)
            text = f"the rules service of {game} does not answer; try again in a moment"
            return Refusal(grpc.StatusCode.UNAVAILABLE, "GAME_UNAVAILABLE", text)
        return refusal

    async def info(self, game: str) -> rules_pb2.GameInfo:
        asked, info = self.games.get(game, (0.0, None))
        if info is None or time.monotonic() - asked > FRESH:
            info = await self.call(game, "Describe", rules_pb2.DescribeRequest())
            self.games[game] = (time.monotonic(), info)
        return info

    async def all(self) -> list[rules_pb2.GameInfo]:
        """The games whose services answer now."""
        infos = await asyncio.gather(*(self.info(game) for game in self.stubs), return_exceptions=True)
        return [info for info in infos if isinstance(info, rules_pb2.GameInfo)]

    async def close(self) -> None:
        for stub in self.stubs.values():
            stub.close()
        await asyncio.gather(*(one.close() for one in self.channels.values()))
