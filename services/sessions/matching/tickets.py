"""Quick match, as players use it: make a ticket, join a friend's, cancel, watch. The matchmaker does the rest."""

import asyncio
import contextlib
from base64 import b32encode
from collections.abc import AsyncIterator
from hashlib import sha256

from services.platform.clock import now_ms
from services.platform.errors import Refusal, conflict, denied, invalid
from services.sessions.matching.ticket_store import Held, TicketStore, players_of, unknown_ticket
from services.sessions.people.accounts import Accounts
from services.sessions.people.ratings import Ratings
from services.sessions.play import clocks
from services.sessions.rules.client import RulesClient
from services.sessions.store.ids import ID, LONGEST_KEY, new_id
from services.sessions.updates.hub import LOOK_AGAIN, Hub
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import rules_pb2

MOST_WISHES, MOST_COUNTS, LARGEST_PARTY, LONGEST_WAIT = 5, 10, 10, 86_400


class Tickets:
    """Owns what a player can do with a ticket, and what a ticket may wish for."""

    def __init__(
        self, tickets: TicketStore, accounts: Accounts, ratings: Ratings, rules: RulesClient, hub: Hub
    ) -> None:
        self.tickets, self.accounts, self.ratings = tickets, accounts, ratings
        self.rules, self.hub = rules, hub

    async def create(self, request: mm.CreateTicketRequest) -> mm.Ticket:
        check_ticket(request)
        everyone = [request.caller, *request.party]
        players = await asyncio.gather(*(self.accounts.player(player) for player in everyone))
        if request.rated and any(player.bot for player in players):
            raise denied("RATED_TABLE", "bot accounts do not sit at rated tables; leave out rated")
        wishes = await asyncio.gather(*(self._places(wish, request) for wish in request.wishes))
        ticket = mm.Ticket(
            id=ticket_id(request),
            players=[mm.PartyMember(player=player) for player in players],
            wishes=[
                mm.Wish(game=wish.game, options=places[0].options, seats=[place.seats for place in places])
                for wish, places in zip(request.wishes, wishes, strict=True)
            ],
            created_at=now_ms(),
            bots_after=request.bots_after if request.HasField("bots_after") else None,
            bot=request.bot or "greedy",
            rated=request.rated,
            clock=clocks.checked(request.clock),
        )
        found = {(place.game, place.options, place.seats): place for places in wishes for place in places}
        other = await self.tickets.open(mm.TicketRecord(ticket=ticket, places=found.values()))
        if other:
            raise already_waiting(other)
        held = await self.tickets.load(ticket.id)
        ticket.created_at = held.ticket.created_at
        if ticket != held.ticket:
            raise invalid("KEY_REUSED", "this idempotency key was used for another ticket; take a new key for each")
        await self.hub.tell(*request.party)
        return held.shown()

    async def _places(self, wish: mm.Wish, request: mm.CreateTicketRequest) -> list[mm.Place]:
        """The tables that would fulfil the wish. A trial deal for each: the rules say now whether it can be dealt."""
        info = await self.rules.info(wish.game)
        bot, party = request.bot or "greedy", [request.caller, *request.party]
        if request.HasField("bots_after") and bot not in info.bots:
            raise invalid("BAD_BOT", f"{info.id} has no bot {bot[:40]!r}; it has {', '.join(info.bots)}", field="bot")
        counts = list(dict.fromkeys(wish.seats))
        if not 1 <= len(counts) <= MOST_COUNTS or not all(len(party) <= count <= 100 for count in counts):
            text = f"a wish names 1 to {MOST_COUNTS} seat counts, none below the {len(party)} of the party"
            raise invalid("BAD_TICKET", text, field="wishes")
        trials = [
            rules_pb2.NewRequest(seats=["player"] * count, options=wish.options, seed=bytes(32)) for count in counts
        ]
        dealt = await asyncio.gather(*(self.rules.new(info.id, trial) for trial in trials))
        rating = await self.ratings.strength(party, info.id)
        return [
            mm.Place(game=info.id, options=position.options, seats=count, rating=rating)
            for count, position in zip(counts, dealt, strict=True)
        ]

    async def get(self, request: mm.TicketRequest) -> mm.Ticket:
        return (await self._own(request)).shown()

    async def join(self, request: mm.TicketRequest) -> mm.Ticket:
        await self._own(request)
        answer = await self.tickets.join(request.ticket, request.caller)
        if answer not in ("", "closed"):
            raise already_waiting(answer)
        held = await self.tickets.load(request.ticket)
        joined_before = request.caller in held.ready and held.status != "cancelled"
        if answer == "closed" and not joined_before:
            raise closed(held)
        await self.hub.tell(request.ticket)
        return held.shown()

    async def cancel(self, request: mm.TicketRequest) -> mm.Ticket:
        held = await self._own(request)
        cancelled = await self.tickets.cancel(held.ticket)
        held = await self.tickets.load(request.ticket)
        if not cancelled:
            raise closed(held)
        await self.hub.tell(request.ticket, *players_of(held.ticket))
        return held.shown()

    async def watch(self, request: mm.TicketRequest) -> AsyncIterator[mm.Ticket]:
        with self.hub.watch(request.ticket, False) as watcher:
            ticket = (await self._own(request)).shown()
            yield ticket
            while ticket.status == "waiting":
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(watcher.take(), LOOK_AGAIN)
                before, ticket = ticket, (await self._own(request)).shown()
                if ticket != before:
                    yield ticket

    async def _own(self, request: mm.TicketRequest) -> Held:
        held = await self.tickets.load(request.ticket)
        if request.caller not in players_of(held.ticket):
            raise unknown_ticket(request.ticket)
        return held


def ticket_id(request: mm.CreateTicketRequest) -> str:
    """With a key always the same: a repeated request finds the first one's ticket."""
    if not request.idempotency_key:
        return new_id("m_")
    digest = sha256(f"{request.caller} {request.idempotency_key}".encode()).digest()
    return ("m_" + b32encode(digest).decode().lower())[:ID]


def check_ticket(request: mm.CreateTicketRequest) -> None:
    if len(request.idempotency_key) > LONGEST_KEY:
        raise invalid("BAD_TICKET", f"an idempotency key has at most {LONGEST_KEY} characters")
    party = [request.caller, *request.party]
    if len(party) > LARGEST_PARTY or len(set(party)) < len(party):
        text = f"a party has at most {LARGEST_PARTY} players, each named once, and not you: you are part of it anyway"
        raise invalid("BAD_TICKET", text, field="party")
    if not 1 <= len(request.wishes) <= MOST_WISHES:
        raise invalid("BAD_TICKET", f"a ticket has 1 to {MOST_WISHES} wishes", field="wishes")
    if not request.HasField("bots_after"):
        return
    if request.rated:
        raise invalid("BAD_TICKET", "a rated game has no bots: leave out bots_after or rated", field="bots_after")
    if not 0 <= request.bots_after <= LONGEST_WAIT:
        raise invalid("BAD_TICKET", f"bots_after is 0 to {LONGEST_WAIT} seconds", field="bots_after")


def already_waiting(ticket: str) -> Refusal:
    text = f"you wait with ticket {ticket} already; cancel it first, or watch it instead"
    refusal = conflict("ALREADY_WAITING", text)
    refusal.metadata["ticket"] = ticket
    return refusal


def closed(held: Held) -> Refusal:
    told = {"matched": f"it is matched: you sit at table {held.table}", "cancelled": "it is cancelled"}
    return conflict("TICKET_CLOSED", told.get(held.status, "its table is being made just now"))
