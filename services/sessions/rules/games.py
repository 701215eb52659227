"""The games that are offered."""

import asyncio

from services.sessions.rules.client import RulesClient
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Games:
    """Owns what clients are told of the games."""

    def __init__(self, rules: RulesClient) -> None:
        self.rules = rules

    async def page(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """Those whose services answer now."""
        infos = await asyncio.gather(*map(self.rules.info, self.rules.games), return_exceptions=True)
        return pb.ListGamesResponse(games=[summary(info) for info in infos if isinstance(info, rules_pb2.GameInfo)])

    async def get(self, request: pb.GetGameRequest) -> rules_pb2.GameInfo:
        return await self.rules.info(request.game)


def summary(info: rules_pb2.GameInfo) -> rules_pb2.GameInfo:
    """Without what only GetGame gives: a list must stay small."""
    short = rules_pb2.GameInfo()
    short.CopyFrom(info)
    for large in ("action_schema", "event_schema", "view_schema", "components", "texts"):
        short.ClearField(large)
    return short
