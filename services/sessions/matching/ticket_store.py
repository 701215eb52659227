"""Tickets in Redis. All of them live under one hash tag, `{m}`: one script can claim tickets of any wishes together.

A ticket's status there: "forming" (friends are missing), "waiting", "claimed" (its table is being made), "matched",
"cancelled". A player holds one ticket from making or joining it until it is matched or cancelled.
"""

from dataclasses import dataclass

from services.platform.clock import now_ms
from services.platform.errors import Refusal, not_found
from services.sessions.store import keys
from services.sessions.store.connection import AsyncRedis
from services.sessions.store.keys import HOLDERS, WAITING
from services.sessions.store.script import Script
from teahouse.v1 import matchmaking_pb2 as mm

# How long a ticket that is matched or cancelled can be looked at.
KEEP_MS = 24 * 3_600_000


@dataclass(slots=True)
class Held:
    """A ticket as read from Redis."""

    record: mm.TicketRecord
    status: str
    since: int
    table: str
    ready: frozenset[str]

    @property
    def ticket(self) -> mm.Ticket:
        return self.record.ticket

    def shown(self) -> mm.Ticket:
        """As its players may see it."""
        ticket = mm.Ticket()
        ticket.CopyFrom(self.ticket)
        ticket.status = self.status if self.status in ("matched", "cancelled") else "waiting"
        ticket.table = self.table if self.status == "matched" else ""
        for member in ticket.players:
            member.ready = member.player.id in self.ready
        return ticket


def players_of(ticket: mm.Ticket) -> list[str]:
    return [member.player.id for member in ticket.players]


class TicketStore:
    """Owns the tickets, and who holds which."""

    def __init__(self, redis: AsyncRedis) -> None:
        self.redis = redis
        self._open, self._join = Script(redis, "ticket_open"), Script(redis, "ticket_join")
        self._cancel = Script(redis, "ticket_cancel")

    async def open(self, record: mm.TicketRecord) -> str:
        """Writes the ticket; gives the one with which its maker waits already, or ""."""
        ticket = record.ticket
        maker, *friends = players_of(ticket)
        names = [HOLDERS, keys.ticket(ticket.id), WAITING, *map(keys.asked, friends)]
        other: bytes = await self._open.run(names, [ticket.id, maker, record.SerializeToString(), ticket.created_at])
        return other.decode()

    async def join(self, ticket: str, player: str) -> str:
        """Gives "", "closed", or the ticket with which the player waits already."""
        names = [HOLDERS, keys.ticket(ticket), keys.asked(player)]
        answer: bytes = await self._join.run(names, [ticket, player, now_ms()])
        return answer.decode()

    async def cancel(self, ticket: mm.Ticket) -> bool:
        players = players_of(ticket)
        names = [HOLDERS, keys.ticket(ticket.id), WAITING, *map(keys.asked, players)]
        return bool(await self._cancel.run(names, [ticket.id, KEEP_MS, *players]))

    async def load(self, ticket: str) -> Held:
        fields = await self.redis.hgetall(keys.ticket(ticket)) if ticket.startswith("m_") else {}
        if not fields:
            raise unknown_ticket(ticket)
        return held(fields)

    async def waiting(self) -> list[tuple[str, int]]:
        """(ticket, made at) of all that wait or form, oldest first."""
        rows = await self.redis.zrange(WAITING, 0, -1, withscores=True)
        return [(ticket.decode(), int(score)) for ticket, score in rows]

    async def load_many(self, tickets: list[str]) -> list[Held]:
        """Those that (still) exist."""
        pipe = self.redis.pipeline(transaction=False)
        for ticket in tickets:
            pipe.hgetall(keys.ticket(ticket))
        return [held(fields) for fields in await pipe.execute() if fields]

    async def asked(self, player: str) -> list[str]:
        return sorted(ticket.decode() for ticket in await self.redis.smembers(keys.asked(player)))


def held(fields: dict[bytes, bytes]) -> Held:
    ready = frozenset(name[6:].decode() for name in fields if name.startswith(b"ready:"))
    record = mm.TicketRecord.FromString(fields[b"record"])
    return Held(record, fields[b"status"].decode(), int(fields[b"since"]), fields.get(b"table", b"").decode(), ready)


def unknown_ticket(ticket: str) -> Refusal:
    return not_found("UNKNOWN_TICKET", f"you have no ticket {ticket[:40]!r}; it is kept for a day after its end")
