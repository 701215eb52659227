"""Tickets in Redis. All of them live under one hash tag, `{m}`: one script can claim tickets of any wishes together.

A ticket's status there: "forming" (friends are missing), "waiting", "claimed" (its table is being made), "matched",
"cancelled". A player holds one ticket from making or joining it until it is matched or cancelled.
"""

from dataclasses import dataclass
from typing import Any

from services.platform.clock import now_ms
from services.platform.errors import not_found
from services.sessions.scripts import Together
from services.sessions.store import Store
from teahouse.v1 import matchmaking_pb2 as mm

HOLDERS, WAITING, PROPOSALS, TRIES, LEASE = "{m}:players", "{m}:waiting", "{m}:proposals", "{m}:tries", "{m}:matcher"
# How long a ticket that is matched or cancelled can be looked at.
KEEP_MS = 24 * 3_600_000
# A proposal that stands so long was left behind by a copy that died.
STANDS_MS = 4000
# How long one copy looks for matches before another may.
LEASE_MS = 2000


def ticket_key(ticket: str) -> str:
    return f"{{m}}:{ticket}"


def proposal_key(table: str) -> str:
    return f"{{m}}:{table}"


def asked_key(player: str) -> str:
    """The tickets that ask this player to join."""
    return f"{{m}}:{player}"


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


class Lobby:
    def __init__(self, store: Store) -> None:
        self.store, self.redis = store, store.redis
        names = ("ticket_open", "ticket_join", "ticket_cancel", "match_claim", "match_finish")
        self._scripts = {name: Together(self.redis, name) for name in names}

    async def _run(self, name: str, keys: list[str], args: list[Any]) -> Any:
        return await self._scripts[name].run(keys, args)

    async def open(self, record: mm.TicketRecord) -> str:
        """Writes the ticket; gives the one with which its maker waits already, or ""."""
        ticket = record.ticket
        maker, *friends = players_of(ticket)
        keys = [HOLDERS, ticket_key(ticket.id), WAITING, *map(asked_key, friends)]
        other: bytes = await self._run(
            "ticket_open", keys, [ticket.id, maker, record.SerializeToString(), ticket.created_at]
        )
        return other.decode()

    async def join(self, ticket: str, player: str) -> str:
        """Gives "", "closed", or the ticket with which the player waits already."""
        keys = [HOLDERS, ticket_key(ticket), asked_key(player)]
        answer: bytes = await self._run("ticket_join", keys, [ticket, player, now_ms()])
        return answer.decode()

    async def cancel(self, ticket: mm.Ticket) -> bool:
        players = players_of(ticket)
        keys = [HOLDERS, ticket_key(ticket.id), WAITING, *map(asked_key, players)]
        return bool(await self._run("ticket_cancel", keys, [ticket.id, KEEP_MS, *players]))

    async def load(self, ticket: str) -> Held:
        fields = await self.redis.hgetall(ticket_key(ticket)) if ticket.startswith("m_") else {}
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
            pipe.hgetall(ticket_key(ticket))
        return [held(fields) for fields in await pipe.execute() if fields]

    async def asked(self, player: str) -> list[str]:
        return sorted(ticket.decode() for ticket in await self.redis.smembers(asked_key(player)))

    async def may_match(self) -> bool:
        """Whether this copy is the one that looks for matches now. It saves work; claims are safe without it."""
        me = self.store.origin
        if await self.redis.set(LEASE, me, nx=True, px=LEASE_MS):
            return True
        if await self.redis.get(LEASE) != me:
            return False
        await self.redis.pexpire(LEASE, LEASE_MS)
        return True

    async def claim(self, proposal: mm.Proposal) -> bool:
        tickets = [record.ticket.id for record in proposal.tickets]
        table = proposal.table.id
        keys = [WAITING, PROPOSALS, proposal_key(table), *map(ticket_key, tickets)]
        args = [table, proposal.SerializeToString(), now_ms() + STANDS_MS, *tickets]
        return bool(await self._run("match_claim", keys, args))

    async def left_behind(self) -> list[mm.Proposal]:
        """Proposals that nobody finished in time, each given to one caller."""
        found = []
        for table in await self.store.take_due(PROPOSALS, TRIES, STANDS_MS):
            data = await self.redis.get(proposal_key(table))
            if data is not None:
                found.append(mm.Proposal.FromString(data))
        return found

    async def finish(self, proposal: mm.Proposal, status: str) -> bool:
        tickets = [ticket_key(record.ticket.id) for record in proposal.tickets]
        players = [player for record in proposal.tickets for player in players_of(record.ticket)]
        table = proposal.table.id
        keys = [HOLDERS, PROPOSALS, TRIES, proposal_key(table), *tickets]
        return bool(await self._run("match_finish", keys, [table, status, KEEP_MS, *players]))


def held(fields: dict[bytes, bytes]) -> Held:
    ready = frozenset(name[6:].decode() for name in fields if name.startswith(b"ready:"))
    record = mm.TicketRecord.FromString(fields[b"record"])
    return Held(record, fields[b"status"].decode(), int(fields[b"since"]), fields.get(b"table", b"").decode(), ready)


def unknown_ticket(ticket: str) -> Exception:
    return not_found("UNKNOWN_TICKET", f"you have no ticket {ticket[:40]!r}; it is kept for a day after its end")
