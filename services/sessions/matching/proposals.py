"""Tables that are being made for tickets. They share the hash tag of the tickets: one script claims or closes all."""

from services.platform.clock import now_ms
from services.sessions.matching.ticket_store import KEEP_MS, players_of
from services.sessions.store import keys
from services.sessions.store.claims import Claims
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import HOLDERS, MATCHER, PROPOSAL_TRIES, PROPOSALS, WAITING
from services.sessions.store.script import Script
from teahouse.v1 import matchmaking_pb2 as mm

# A proposal that stands so long was left behind by a copy that died.
STANDS_MS = 4000
# How long one copy looks for matches before another may.
LEASE_MS = 2000
# How long a player's latest match is known.
MATCHED_MS = 24 * 3_600_000


class Proposals:
    """Owns which tickets are claimed for which table, until it is made or can never be."""

    def __init__(self, redis: AsyncRedis, claims: Claims, origin: bytes) -> None:
        self.redis, self.claims, self.origin = redis, claims, origin
        self._claim, self._finish = Script(redis, "match_claim"), Script(redis, "match_finish")

    async def may_match(self) -> bool:
        """Whether this copy is the one that looks for matches now. It saves work; claims are safe without it."""
        me = self.origin
        if await self.redis.set(MATCHER, me, nx=True, px=LEASE_MS):
            return True
        if await self.redis.get(MATCHER) != me:
            return False
        await self.redis.pexpire(MATCHER, LEASE_MS)
        return True

    async def claim(self, proposal: mm.Proposal) -> bool:
        tickets = [record.ticket.id for record in proposal.tickets]
        table = proposal.table.id
        names = [WAITING, PROPOSALS, keys.proposal(table), *map(keys.ticket, tickets)]
        args = [table, proposal.SerializeToString(), now_ms() + STANDS_MS, *tickets]
        return bool(await self._claim.run(names, args))

    async def left_behind(self) -> list[mm.Proposal]:
        """Proposals that nobody finished in time, each given to one caller."""
        found = []
        for table in await self.claims.take(PROPOSALS, PROPOSAL_TRIES, STANDS_MS):
            data = await self.redis.get(keys.proposal(table))
            if data is not None:
                found.append(mm.Proposal.FromString(data))
        return found

    async def finish(self, proposal: mm.Proposal, status: str) -> bool:
        tickets = [keys.ticket(record.ticket.id) for record in proposal.tickets]
        players = [player for record in proposal.tickets for player in players_of(record.ticket)]
        table = proposal.table.id
        names = [HOLDERS, PROPOSALS, PROPOSAL_TRIES, keys.proposal(table), *tickets]
        return bool(await self._finish.run(names, [table, status, KEEP_MS, *players]))

    async def note_match(self, player: str, ticket: str, table: str) -> None:
        await self.redis.set(keys.matched(player), f"{ticket} {table}", px=MATCHED_MS)

    async def latest_match(self, player: str) -> str:
        """ "ticket table", or nothing."""
        return (await self.redis.get(keys.matched(player)) or b"").decode()
