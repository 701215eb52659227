"""The rules services, as the session service calls them.

While copies of one service run different rules (an upgrade is under way), a position goes to those that made it, and
new games are dealt by the newest. Which copy runs what is asked for only when one has refused a position.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from services.platform.errors import Refusal, from_rpc, not_found
from services.platform.link import Copy, LinkClient
from services.platform.settings import Settings
from teahouse.v1 import rules_pb2

RULES = rules_pb2.DESCRIPTOR.services_by_name["Rules"]
log = logging.getLogger(__name__)
# Seconds for which what a game says of itself is believed, and which copies run which rules.
FRESH, FRESH_COPIES = 10.0, 2.0


class RulesChanged(Refusal):
    """No copy runs the rules that made a position."""

    def __init__(self, text: str) -> None:
        super().__init__(grpc.StatusCode.FAILED_PRECONDITION, "RULES_CHANGED", text)


@dataclass(slots=True)
class Copies:
    """The copies of a rules service by the version that they run, as they were at that time."""

    asked: float
    running: dict[str, list[Copy]]

    def newest(self) -> list[Copy]:
        """Those with the highest number before the dash."""
        return self.running[max(self.running, key=lambda version: int(version.partition("-")[0]))]


class RulesClient:
    """Owns the connections to all rules services, and which copy of each runs which rules."""

    def __init__(self, settings: Settings) -> None:
        self.deadline = settings.deadline
        # All that there are, whether they answer or not.
        self.games = list(settings.rules)
        self.stubs: dict[str, Any] = {
            game: LinkClient(address, [RULES], settings) for game, address in settings.rules.items()
        }
        # What a game says of itself, and when it was asked.
        self.described: dict[str, tuple[float, rules_pb2.GameInfo]] = {}
        # Only while copies of a game differ.
        self.mixed: dict[str, Copies] = {}
        # (game, rules) that a position needed: since when no copy runs them.
        self.missing: dict[tuple[str, str], float] = {}

    # What a rules service answers; see rules.proto. `rules` is the version that made the position in the request:
    # RulesChanged if no copy runs it.

    def new(self, game: str, request: rules_pb2.NewRequest) -> Awaitable[rules_pb2.Position]:
        return self._call(game, "New", request)

    def act(self, game: str, request: rules_pb2.RulesActRequest, rules: str) -> Awaitable[rules_pb2.RulesActResponse]:
        return self._call(game, "Act", request, rules)

    def look(self, game: str, request: rules_pb2.RulesLookRequest, rules: str) -> Awaitable[rules_pb2.Position]:
        return self._call(game, "Look", request, rules)

    def redeal(self, game: str, request: rules_pb2.RedealRequest, rules: str) -> Awaitable[rules_pb2.RedealResponse]:
        return self._call(game, "Redeal", request, rules)

    def replay(self, game: str, request: rules_pb2.ReplayRequest, rules: str = "") -> Awaitable[rules_pb2.Position]:
        return self._call(game, "Replay", request, rules)

    async def _call(self, game: str, method: str, request: Any, rules: str = "") -> Any:
        if game not in self.stubs:
            raise not_found("UNKNOWN_GAME", f"there is no game {game[:40]!r}; there are {', '.join(self.stubs)}")
        mixed = game in self.mixed
        try:
            if not mixed:
                return await getattr(self.stubs[game], method)(request, timeout=self.deadline)
            return await self._call_some(game, method, request, rules)
        except grpc.aio.AioRpcError as error:
            refusal = self._refusal(game, error)
        # A copy that is being replaced may be gone already; rules keep nothing, so asking twice does no harm.
        worth_it = ("RULES_CHANGED", "GAME_UNAVAILABLE") if mixed else ("RULES_CHANGED",)
        if not rules or refusal.reason not in worth_it:
            raise refusal
        self.mixed.pop(game, None)
        try:
            return await self._call_some(game, method, request, rules)
        except grpc.aio.AioRpcError as error:
            raise self._refusal(game, error) from None

    async def _call_some(self, game: str, method: str, request: Any, rules: str) -> Any:
        """Asks a copy that runs these rules ("": the newest)."""
        copies = self.mixed.get(game)
        if copies is None or time.monotonic() - copies.asked > FRESH_COPIES:
            copies = await self.survey(game)
        if rules and not self._found(game, rules, copies):
            runs = ", ".join(copies.running)
            raise RulesChanged(f"the position was made by rules {rules}; the server has {runs}")
        only = copies.running[rules] if rules else copies.newest()
        return await getattr(self.stubs[game], method)(request, timeout=self.deadline, only=only)

    async def survey(self, game: str) -> Copies:
        """Asks every copy of a game which rules it runs."""
        asked, stub = time.monotonic(), self.stubs[game]
        peers = stub.ready_copies()
        calls = (stub.Describe(rules_pb2.DescribeRequest(), timeout=FRESH_COPIES, only=[peer]) for peer in peers)
        running: dict[str, list[Copy]] = {}
        for peer, info in zip(peers, await asyncio.gather(*calls, return_exceptions=True), strict=True):
            if isinstance(info, rules_pb2.GameInfo):
                running.setdefault(info.rules_version, []).append(peer)
        if not running:
            raise unavailable(game)
        copies = Copies(asked, running)
        self.mixed.pop(game, None)
        if len(running) > 1:
            self.mixed[game] = copies
        return copies

    async def runs(self, game: str, rules: str) -> bool:
        """Whether a copy runs these rules now."""
        return self._found(game, rules, await self.survey(game))

    def _found(self, game: str, rules: str, copies: Copies) -> bool:
        if rules in copies.running:
            self.missing.pop((game, rules), None)
            return True
        self.missing.setdefault((game, rules), time.monotonic())
        return False

    def missing_for(self, game: str, rules: str) -> float:
        """Seconds for which no copy has run these rules, as far as this process knows."""
        now = time.monotonic()
        return now - self.missing.get((game, rules), now)

    def _refusal(self, game: str, error: grpc.aio.AioRpcError) -> Refusal:
        refusal = from_rpc(error)
        if refusal.reason.startswith("RPC_"):
            log.warning("rules of %s: %s", game, refusal.message)
            return unavailable(game)
        return refusal

    async def info(self, game: str) -> rules_pb2.GameInfo:
        asked, info = self.described.get(game, (0.0, None))
        if info is None or time.monotonic() - asked > FRESH:
            info = await self._call(game, "Describe", rules_pb2.DescribeRequest())
            self.described[game] = (time.monotonic(), info)
        return info

    async def close(self) -> None:
        await asyncio.gather(*(stub.close() for stub in self.stubs.values()))


def unavailable(game: str, why: str = "does not answer") -> Refusal:
    text = f"the rules service of {game} {why}; try again in a moment"
    return Refusal(grpc.StatusCode.UNAVAILABLE, "GAME_UNAVAILABLE", text)
