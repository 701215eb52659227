"""A worker of the pool asks for a bot's turn and plays it."""

import secrets

from services.platform.clock import now_ms
from services.platform.pool.levels import thinking
from services.sessions.play.cache import TableCache
from services.sessions.play.moves import Moves
from services.sessions.rules.client import RulesChanged, RulesClient
from services.sessions.rules.renewal import Renewal
from services.sessions.store.records import Loaded, Stale
from services.sessions.tables.seats import bot_level, bot_seat
from services.sessions.turns.dispatcher import Dispatcher
from services.sessions.turns.outbox import Outbox
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class BotTurns:
    """Owns what a worker is given: a position that was redealt for the bot's seat."""

    def __init__(
        self,
        rules: RulesClient,
        renewal: Renewal,
        cache: TableCache,
        moves: Moves,
        outbox: Outbox,
        dispatcher: Dispatcher,
    ) -> None:
        self.rules, self.renewal, self.cache, self.moves = rules, renewal, cache, moves
        self.outbox, self.dispatcher = outbox, dispatcher

    async def get(self, request: pb.BotTurnRequest) -> pb.BotTurn:
        turn = await self._turn(await self.cache.at_version(request.table, request.version), request.version)
        if turn.due and thinking(turn.bot):
            # However long it has waited: while it is thought about nobody else should do the same.
            until = turn.at + int(self.dispatcher.patience(turn.bot) * 1000)
            await self.outbox.is_thought_about(turn.table, until)
        return turn

    async def act(self, request: pb.ActAsBotRequest) -> pb.BotTurn:
        """The answer brings the next turn along, if the same bot has it."""
        loaded = await self.cache.at_version(request.table, request.version)
        if loaded.version != request.version or bot_seat(loaded.table) != request.seat:
            return nothing_due()
        try:
            await self.moves.move(loaded, request.version, request.seat, request.action)
        except Stale:
            return nothing_due()
        except RulesChanged:
            # The renewal hands the turn out again, to whoever knows the new rules.
            await self.renewal.renew(request.table)
            return nothing_due()
        following = self.cache.peek(request.table)
        if bot_seat(following.table) != request.seat:
            return nothing_due(played=True)
        # Ours alone until it is kept again: another request must not alter it meanwhile.
        self.cache.drop(request.table)
        turn = await self._turn(following, following.version)
        turn.played = True
        return turn

    async def _turn(self, loaded: Loaded, version: int) -> pb.BotTurn:
        table = loaded.table
        seat = bot_seat(table)
        if seat is None or loaded.version != version:
            return nothing_due()
        request = rules_pb2.RedealRequest(state=loaded.state, seat=seat, seed=secrets.token_bytes(32))
        try:
            redealt = await self.rules.redeal(table.game, request, table.rules_version)
        except RulesChanged:
            await self.renewal.renew(table.id)
            return nothing_due()
        self.cache.keep(loaded)
        return pb.BotTurn(
            due=True,
            at=now_ms(),
            table=table.id,
            version=version,
            seat=seat,
            game=table.game,
            bot=bot_level(table.seats[seat]) or "",
            state=redealt.state,
        )


def nothing_due(played: bool = False) -> pb.BotTurn:
    return pb.BotTurn(due=False, at=now_ms(), played=played)
