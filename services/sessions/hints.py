"""Hints: what a bot would do in a player's place. The worker pool thinks, on a redealt position; this service waits."""

import asyncio
import secrets
from typing import Any

import grpc

from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, denied, invalid
from services.sessions.chat import Chat
from services.sessions.company import HINT, company_channel
from services.sessions.core import seat_of
from services.sessions.play import nothing_due
from services.sessions.rates import Rate
from services.sessions.scripts import Together
from services.sessions.store import shard
from services.sessions.turns.queue import Queue
from teahouse.v1 import company_pb2, rules_pb2
from teahouse.v1 import sessions_pb2 as pb

ASK = Rate("hint", 20, 60, "hints")
# A hint that comes late is there for whoever asks again.
KEPT_MS = 600_000
# The part of a call's deadline for which its hint is waited for.
PATIENCE = 0.8


class Hints(Chat):
    queue: Queue

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._hint = Together(self.store.redis, "hint")

    @answers
    async def GetHint(self, request: company_pb2.HintRequest) -> company_pb2.Hint:
        loaded = await self.store.load(request.table)
        table = loaded.table
        seat = seat_of(table, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "you do not sit at this table")
        if table.rated:
            raise denied("RATED_TABLE", "this table is rated: everybody plays without help here")
        if table.status != "playing":
            raise conflict("NOT_PLAYING", f"the table is {table.status}")
        if table.actor != seat:
            raise conflict("NOT_YOUR_TURN", f"seat {table.actor} has the decision; ask when it is yours")
        await self.check_hint_bot(table.game, request.bot)
        await self.rates.count(request.caller, ASK)
        hint = company_pb2.Hint(version=loaded.version, bot=request.bot)
        hint.action = await self.kept_hint(table.id, hint) or await self.wait_for_hint(table.id, hint)
        return hint

    async def check_hint_bot(self, game: str, bot: str) -> None:
        thinkers = [level for level in (await self.rules.info(game)).bots if level != "random"]
        if bot not in thinkers:
            text = f"{bot[:40]!r} gives no hints here; ask {' or '.join(thinkers) or 'nobody: no bot here thinks'}"
            raise invalid("BAD_BOT", text, field="bot")

    async def kept_hint(self, table: str, hint: company_pb2.Hint) -> bytes:
        kept: bytes | None = await self.store.redis.hget(self.store.key(table, ":hints"), hint.bot)
        earlier = company_pb2.Hint.FromString(kept or b"")
        return earlier.action if earlier.version == hint.version else b""

    async def wait_for_hint(self, table: str, hint: company_pb2.Hint) -> bytes:
        """What the worker pool answers. Those who ask for the same on this copy wait for one answer."""
        wanted = (table, hint.version, hint.bot)
        patience = self.settings.deadline * PATIENCE
        waiting = self.hub.waiting.setdefault(wanted, set())
        if not waiting:
            self.queue.ask_for_hint(*wanted, patience)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        waiting.add(answer)
        try:
            async with asyncio.timeout(patience):
                return await answer
        except TimeoutError:
            text = f"no bot found the time within {patience:g} s; ask again, the hint may be there by then"
            raise Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, "HINT_LATE", text) from None
        finally:
            waiting.discard(answer)
            if not waiting:
                self.hub.waiting.pop(wanted, None)

    @answers
    async def GetHintTurn(self, request: pb.BotTurnRequest) -> pb.BotTurn:
        loaded = await self.store.load(request.table)
        table = loaded.table
        if loaded.version != request.version or table.status != "playing" or not table.HasField("actor"):
            return nothing_due()
        redeal = rules_pb2.RedealRequest(state=loaded.state, seat=table.actor, seed=secrets.token_bytes(32))
        redealt: rules_pb2.RedealResponse = await self.rules.call(table.game, "Redeal", redeal, table.rules_version)
        return pb.BotTurn(
            due=True,
            at=now_ms(),
            table=table.id,
            version=loaded.version,
            seat=table.actor,
            game=table.game,
            state=redealt.state,
        )

    @answers
    async def GiveHint(self, request: company_pb2.GiveHintRequest) -> company_pb2.GiveHintResponse:
        table, hint = request.table, request.hint.SerializeToString()
        await self._hint.run(
            [self.store.key(table), self.store.key(table, ":hints")],
            [request.hint.bot, hint, KEPT_MS, company_channel(shard(table)), HINT + table.encode() + hint],
        )
        return company_pb2.GiveHintResponse()
