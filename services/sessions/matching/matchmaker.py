"""Finds tickets that fit, claims them, and makes their table. Every copy of the service runs it.

A claim fixes the id of the table, and a table is dealt with its first entry in the log: whoever finishes the proposal,
and however often it is tried, there is one table.
"""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Callable
from typing import Any

import grpc
from prometheus_client import Counter, Gauge
from redis.exceptions import RedisError

from services.platform.clock import now_ms
from services.platform.errors import Refusal
from services.platform.settings import Settings
from services.sessions.background import repeat
from services.sessions.matching.pairing import Match, Place, Waiting, find
from services.sessions.matching.proposals import Proposals
from services.sessions.matching.ticket_store import Held, TicketStore, players_of
from services.sessions.people.player_lists import PlayerLists
from services.sessions.store.ids import new_id
from services.sessions.store.records import Loaded, Stale
from services.sessions.tables.starting import Starting
from services.sessions.updates.hub import Hub
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import sessions_pb2 as pb

log = logging.getLogger(__name__)
TICKETS = Gauge("teahouse_tickets_waiting", "Tickets that wait, as the copy that looks for matches sees them.")
MATCHES = Counter("teahouse_matches", "Tables made for tickets.", ["game"])
PAUSE = 0.25
AT_A_TIME = 16
# What the rules say of a table that can never be; anything else may be different in a second.
FINAL = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION}


class Matchmaker:
    """Owns the way from tickets that fit to a table that has begun."""

    def __init__(
        self,
        settings: Settings,
        tickets: TicketStore,
        proposals: Proposals,
        lists: PlayerLists,
        starting: Starting,
        hub: Hub,
    ) -> None:
        self.life = settings.ticket_life * 1000
        self.tickets, self.proposals, self.lists = tickets, proposals, lists
        self.starting, self.hub = starting, hub
        # Tickets that wait, as read before: nothing of them changes until they are claimed or cancelled.
        self.known: dict[str, Held] = {}
        self.gate = asyncio.Semaphore(AT_A_TIME)

    async def run(self) -> None:
        await repeat("the search for matches", self._look, PAUSE)

    async def _look(self) -> None:
        began = time.monotonic()
        await self._work_through(await self.proposals.left_behind(), self._make)
        if await self.proposals.may_match():
            await self._match()
        # With many tickets it takes long: at the most half of the time.
        await asyncio.sleep(max(0, time.monotonic() - began - PAUSE))

    async def _work_through(self, proposals: list[mm.Proposal], work: Callable[[mm.Proposal], Any]) -> None:
        """All of them, some at a time; one that fails stands until it is left behind."""

        async def guarded(proposal: mm.Proposal) -> None:
            async with self.gate:
                try:
                    await work(proposal)
                except (Refusal, RedisError) as error:
                    log.warning("a table cannot be made yet: %s", error, extra={"table": proposal.table.id})

        await asyncio.gather(*map(guarded, proposals))

    async def _match(self) -> None:
        await self._read()
        now = now_ms()
        for held in [held for held in self.known.values() if held.ticket.created_at < now - self.life]:
            del self.known[held.ticket.id]
            if await self.tickets.cancel(held.ticket):
                await self.hub.tell(held.ticket.id, *players_of(held.ticket))
        waiting = [waiting_of(held) for held in self.known.values() if held.status == "waiting"]
        found = [self._propose(match) for match in find(waiting, now / 1000)]
        await self._work_through(found, self._claim_and_make)

    async def _read(self) -> None:
        """Brings `known` up to date. Tickets that form are read again: a friend may have joined."""
        ids = [ticket for ticket, _ in await self.tickets.waiting()]
        TICKETS.set(len(ids))
        self.known = {
            ticket: self.known[ticket]
            for ticket in ids
            if ticket in self.known and self.known[ticket].status == "waiting"
        }
        unread = [ticket for ticket in ids if ticket not in self.known]
        for held in await self.tickets.load_many(unread):
            self.known[held.ticket.id] = held

    def _propose(self, match: Match) -> mm.Proposal:
        """The table for a match; who sits where is a matter of luck."""
        records = [self.known[ticket.id].record for ticket in match.tickets]
        first = records[0].ticket
        place = next(place for place in records[0].places if kind_of(first, place) == match.place.kind)
        people = [member.player for record in records for member in record.ticket.players]
        seats = [pb.Seat(kind="player", player=person) for person in people]
        seats += [pb.Seat(kind="bot", bot=first.bot)] * match.bots
        random.SystemRandom().shuffle(seats)
        table = pb.Table(
            id=new_id("t_"),
            game=place.game,
            options=place.options,
            status="open",
            visibility="public",
            seats=seats,
            host=people[0].id,
            created_at=now_ms(),
            rated=first.rated,
            clock=first.clock if first.HasField("clock") else None,
        )
        return mm.Proposal(table=table, tickets=records)

    async def _claim_and_make(self, proposal: mm.Proposal) -> None:
        if await self.proposals.claim(proposal):
            await self._make(proposal)

    async def _make(self, proposal: mm.Proposal) -> None:
        """Makes the table unless it is there, then closes the tickets. Safe to repeat, and to leave at any point."""
        table = proposal.table
        for record in proposal.tickets:
            for player in players_of(record.ticket):
                await self.lists.remember(player, table)
                await self.proposals.note_match(player, record.ticket.id, table.id)
        try:
            status = "matched"
            with contextlib.suppress(Stale):
                await self.starting.deal(Loaded(pb.TableRecord(table=table), 0, b""))
        except Refusal as refusal:
            if refusal.code not in FINAL:
                raise  # the proposal is taken up again
            text = "the rules of %s refuse a table that they allowed before: %s"
            log.error(text, table.game, refusal.message, extra={"table": table.id})
            status = "cancelled"
            await self._forget(proposal)
        if await self.proposals.finish(proposal, status):
            if status == "matched":
                MATCHES.labels(table.game).inc()
            players = [player for record in proposal.tickets for player in players_of(record.ticket)]
            await self.hub.tell(*players, *(record.ticket.id for record in proposal.tickets))

    async def _forget(self, proposal: mm.Proposal) -> None:
        """Takes a table that will never be off its players' lists."""
        for record in proposal.tickets:
            for player in players_of(record.ticket):
                await self.lists.forget(player, proposal.table.id)


def kind_of(ticket: mm.Ticket, place: mm.Place) -> tuple[object, ...]:
    """Equal for tickets that may share a table."""
    clock = ticket.clock.SerializeToString(deterministic=True)
    return place.game, place.options, place.seats, ticket.rated, clock


def waiting_of(held: Held) -> Waiting:
    ticket = held.ticket
    return Waiting(
        id=ticket.id,
        size=len(ticket.players),
        since=held.since / 1000,
        places=tuple(Place(kind_of(ticket, each), each.seats, each.rating) for each in held.record.places),
        bots_after=ticket.bots_after if ticket.HasField("bots_after") else None,
    )
