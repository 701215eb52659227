"""Hints: what a bot would do in a player's place. The worker pool thinks, on a redealt position; this service waits."""

import asyncio
import secrets

import grpc

from services.platform.clock import now_ms
from services.platform.errors import Refusal, conflict, denied, invalid
from services.platform.settings import Settings
from services.sessions.people.quotas import Quotas, Rate
from services.sessions.rules.client import RulesClient
from services.sessions.store import keys
from services.sessions.store.script import Script
from services.sessions.store.tables import TableStore
from services.sessions.tables.seats import own_seat
from services.sessions.turns.bot_turns import nothing_due
from services.sessions.turns.worker_queue import WorkerQueue
from services.sessions.updates.change_listener import HINT
from teahouse.v1 import company_pb2, rules_pb2
from teahouse.v1 import sessions_pb2 as pb

ASK = Rate("hint", 20, 60, "hints")
# A hint that comes late is there for whoever asks again.
KEPT_MS = 600_000
# The part of a call's deadline for which its hint is waited for.
PATIENCE = 0.8


class Hints:
    """Owns who may ask for a hint, those who wait for one, and the hints that were given."""

    def __init__(
        self, settings: Settings, store: TableStore, rules: RulesClient, limits: Quotas, queue: WorkerQueue
    ) -> None:
        self.patience = settings.deadline * PATIENCE
        self.store, self.rules, self.limits, self.queue = store, rules, limits, queue
        # Those who wait on this copy, by table, version and bot.
        self.waiting: dict[tuple[str, int, str], set[asyncio.Future[bytes]]] = {}
        self._keep = Script(store.redis, "hint")

    async def get(self, request: company_pb2.HintRequest) -> company_pb2.Hint:
        loaded = await self.store.load(request.table)
        table = loaded.table
        seat = own_seat(table, request.caller)
        if table.rated:
            raise denied("RATED_TABLE", "this table is rated: everybody plays without help here")
        if table.status != "playing":
            raise conflict("NOT_PLAYING", f"the table is {table.status}")
        if table.actor != seat:
            raise conflict("NOT_YOUR_TURN", f"seat {table.actor} has the decision; ask when it is yours")
        await self._check_bot(table.game, request.bot)
        await self.limits.count(request.caller, ASK)
        hint = company_pb2.Hint(version=loaded.version, bot=request.bot)
        hint.action = await self._kept(table.id, hint) or await self._wait(table.id, hint)
        return hint

    async def _check_bot(self, game: str, bot: str) -> None:
        thinkers = [level for level in (await self.rules.info(game)).bots if level != "random"]
        if bot not in thinkers:
            text = f"{bot[:40]!r} gives no hints here; ask {' or '.join(thinkers) or 'nobody: no bot here thinks'}"
            raise invalid("BAD_BOT", text, field="bot")

    async def _kept(self, table: str, hint: company_pb2.Hint) -> bytes:
        kept: bytes | None = await self.store.redis.hget(keys.table(table, ":hints"), hint.bot)
        earlier = company_pb2.Hint.FromString(kept or b"")
        return earlier.action if earlier.version == hint.version else b""

    async def _wait(self, table: str, hint: company_pb2.Hint) -> bytes:
        """What the worker pool answers. Those who ask for the same on this copy wait for one answer."""
        wanted = (table, hint.version, hint.bot)
        waiting = self.waiting.setdefault(wanted, set())
        if not waiting:
            self.queue.ask_for_hint(*wanted, self.patience)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        waiting.add(answer)
        try:
            async with asyncio.timeout(self.patience):
                return await answer
        except TimeoutError:
            text = f"no bot found the time within {self.patience:g} s; ask again, the hint may be there by then"
            raise Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, "HINT_LATE", text) from None
        finally:
            waiting.discard(answer)
            if not waiting:
                self.waiting.pop(wanted, None)

    async def turn(self, request: pb.BotTurnRequest) -> pb.BotTurn:
        """What the worker that is to give the hint thinks about."""
        loaded = await self.store.load(request.table)
        table = loaded.table
        if loaded.version != request.version or table.status != "playing" or not table.HasField("actor"):
            return nothing_due()
        redeal = rules_pb2.RedealRequest(state=loaded.state, seat=table.actor, seed=secrets.token_bytes(32))
        redealt = await self.rules.redeal(table.game, redeal, table.rules_version)
        return pb.BotTurn(
            due=True,
            at=now_ms(),
            table=table.id,
            version=loaded.version,
            seat=table.actor,
            game=table.game,
            state=redealt.state,
        )

    async def give(self, request: company_pb2.GiveHintRequest) -> company_pb2.GiveHintResponse:
        """The worker's answer: kept, and published for the copy where the player waits."""
        table, hint = request.table, request.hint.SerializeToString()
        await self._keep.run(
            [keys.table(table), keys.table(table, ":hints")],
            [request.hint.bot, hint, KEPT_MS, keys.news(keys.shard(table)), HINT + table.encode() + hint],
        )
        return company_pb2.GiveHintResponse()

    def hear(self, table: str, data: bytes) -> None:
        """A hint was given, through any copy of the service."""
        hint = company_pb2.Hint.FromString(data)
        for answer in self.waiting.get((table, hint.version, hint.bot), ()):
            if not answer.done():
                answer.set_result(hint.action)
