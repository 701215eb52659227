"""Quick match, as players use it: make a ticket, join a friend's, cancel, watch. The matchmaker does the rest."""

import asyncio
import contextlib
from base64 import b32encode
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

from services.platform.clock import now_ms
from services.platform.errors import Refusal, answers, conflict, denied, invalid, streams
from services.sessions import clocks
from services.sessions.lobby import Held, Lobby, players_of, unknown_ticket
from services.sessions.play import LONGEST_KEY
from services.sessions.ratings import Ratings
from services.sessions.store import ID, new_id
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import rules_pb2

MOST_WISHES, MOST_COUNTS, LARGEST_PARTY, LONGEST_WAIT = 5, 10, 10, 86_400
# Seconds after which a stream looks again though nobody told it to.
LOOK_AGAIN = 5.0


class Tickets(Ratings):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.lobby = Lobby(self.store)

    @answers
    async def CreateTicket(self, request: mm.CreateTicketRequest) -> mm.Ticket:
        check_ticket(request)
        everyone = [request.caller, *request.party]
        players = await asyncio.gather(*(self.player(player) for player in everyone))
        if request.rated and any(player.bot for player in players):
            raise denied("RATED_TABLE", "bot accounts do not sit at rated tables; leave out rated")
        wishes = await asyncio.gather(*(self.places(wish, request) for wish in request.wishes))
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
        other = await self.lobby.open(mm.TicketRecord(ticket=ticket, places=found.values()))
        if other:
            raise already_waiting(other)
        held = await self.lobby.load(ticket.id)
        ticket.created_at = held.ticket.created_at
        if ticket != held.ticket:
            raise invalid("KEY_REUSED", "this idempotency key was used for another ticket; take a new key for each")
        await self.tell(*request.party)
        return held.shown()

    async def places(self, wish: mm.Wish, request: mm.CreateTicketRequest) -> list[mm.Place]:
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
        dealt = await asyncio.gather(*(self.rules.call(info.id, "New", trial) for trial in trials))
        rating = await self.strength(party, info.id)
        return [
            mm.Place(game=info.id, options=position.options, seats=count, rating=rating)
            for count, position in zip(counts, dealt, strict=True)
        ]

    @answers
    async def GetTicket(self, request: mm.TicketRequest) -> mm.Ticket:
        return (await self.own(request)).shown()

    @answers
    async def JoinTicket(self, request: mm.TicketRequest) -> mm.Ticket:
        await self.own(request)
        answer = await self.lobby.join(request.ticket, request.caller)
        if answer not in ("", "closed"):
            raise already_waiting(answer)
        held = await self.lobby.load(request.ticket)
        joined_before = request.caller in held.ready and held.status != "cancelled"
        if answer == "closed" and not joined_before:
            raise closed(held)
        await self.tell(request.ticket)
        return held.shown()

    @answers
    async def CancelTicket(self, request: mm.TicketRequest) -> mm.Ticket:
        held = await self.own(request)
        cancelled = await self.lobby.cancel(held.ticket)
        held = await self.lobby.load(request.ticket)
        if not cancelled:
            raise closed(held)
        await self.tell(request.ticket, *players_of(held.ticket))
        return held.shown()

    @streams
    async def WatchTicket(self, request: mm.TicketRequest) -> AsyncIterator[mm.Ticket]:
        with self.hub.watch(request.ticket, False) as watcher:
            ticket = (await self.own(request)).shown()
            yield ticket
            while ticket.status == "waiting":
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(watcher.take(), LOOK_AGAIN)
                before, ticket = ticket, (await self.own(request)).shown()
                if ticket != before:
                    yield ticket

    async def own(self, request: mm.TicketRequest) -> Held:
        held = await self.lobby.load(request.ticket)
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
