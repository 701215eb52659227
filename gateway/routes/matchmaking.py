"""Quick match: say what you would like to play, and the server finds the others."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from starlette.responses import Response

from gateway.admission.caller import Caller, TokenInQuery
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import OnceKey
from gateway.contract.responses import answer
from gateway.streams.event_stream import BARE_LINES, format_for, stream
from gateway.streams.subscriptions import TicketSubscription
from teahouse.v1 import matchmaking_pb2

router = APIRouter(tags=["matchmaking"])
SeatCount = Annotated[int, Meta(ge=1, le=100)]


class Wish(schemas.Request):
    """A game that you would like."""

    game: schemas.Name
    seats: Annotated[
        list[SeatCount],
        Meta(min_length=1, max_length=10, description="How many may sit there: each count is welcome, the first most."),
    ]
    options: Annotated[
        Raw | UnsetType, Meta(description="By the game's options schema; what is left out has its default.")
    ] = UNSET


class NewTicket(schemas.Request):
    """What you would like to play, and with whom."""

    wishes: Annotated[list[Wish], Meta(min_length=1, max_length=5, description="The first is tried first.")]
    party: Annotated[
        list[Annotated[str, Meta(max_length=100)]],
        Meta(max_length=9, description="Ids of friends who sit at the same table; each has to join the ticket."),
    ] = msgspec.field(default_factory=list)
    bots_after: Annotated[
        Annotated[int, Meta(ge=0, le=86_400)] | None,
        Meta(description="Seconds until bots take the seats that are still free; null: never. Not for rated games."),
    ] = None
    bot: Annotated[str, Meta(max_length=100, description="Their level; one of the games' `bots`.")] = "greedy"
    rated: Annotated[bool, Meta(description="The result changes the players' ratings.")] = False
    clock: Annotated[schemas.Clock | None, Meta(description="Left out: no clock.")] = None


class Member(Struct):
    """One of the party."""

    id: str
    name: str
    ready: Annotated[bool, Meta(description="Has made or joined the ticket.")]


class GrantedWish(Struct):
    """A wish as it is understood: options with their defaults."""

    game: str
    seats: list[int]
    options: Raw


class Ticket(Struct):
    """A place in the queue."""

    id: str
    status: Annotated[str, Meta(description='"waiting", "matched" or "cancelled".')]
    players: Annotated[list[Member], Meta(description="Whoever made it first.")]
    wishes: list[GrantedWish]
    created_at: schemas.Time
    table: Annotated[str | None, Meta(description="Where you sit, once it is matched. The game has begun.")]
    bots_after: int | None
    bot: str
    rated: bool
    clock: schemas.Clock | None


NEW_TICKET = msgspec.json.Decoder(NewTicket)
TICKET: JsonObject = {
    "id": "m_2kQz",
    "status": "waiting",
    "players": [{"id": "p_7Qm2", "name": "Ada", "ready": True}],
    "wishes": [{"game": "example_game", "seats": [2, 3], "options": {"mode": "basic"}}],
    "created_at": "2026-03-01T18:30:00Z",
    "table": None,
    "bots_after": 30,
    "bot": "greedy",
    "rated": False,
    "clock": None,
}
MATCHED = TICKET | {"status": "matched", "table": "t_4hXc"}
WISH = {"wishes": [{"game": "example_game", "options": {"mode": "basic"}, "seats": [2, 3]}], "bots_after": 30}
EXAMPLE = 'data: {"id": "m_2kQz", "status": "matched", "table": "t_4hXc", …}\n\n'
OWN = ["TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_TICKET"]


@router.post(
    "/v1/matchmaking/tickets",
    **describe(
        "create_ticket",
        "Look for a game",
        Ticket,
        TICKET,
        status=201,
        takes=NewTicket,
        sends=WISH,
        problems=[
            *("TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_GAME", "UNKNOWN_PLAYER", "ALREADY_WAITING", "GAME_UNAVAILABLE"),
            *("BAD_TICKET", "BAD_OPTIONS", "BAD_SEATS", "BAD_BOT", "BAD_CLOCK", "KEY_REUSED"),
        ],
    ),
)
async def create_ticket(
    request: Request,
    caller: Caller,
    key: OnceKey = "",
) -> Response:
    """You wait until players with the same wish and a rating near yours are found; how near widens with waiting. Then
    the table is made and the game begins by itself. You can wait with one ticket at a time."""
    wish = await body(request, NEW_TICKET)
    message = matchmaking_pb2.CreateTicketRequest(
        caller=caller,
        wishes=[
            matchmaking_pb2.Wish(game=each.game, options=bytes(each.options or b"{}"), seats=each.seats)
            for each in wish.wishes
        ],
        party=wish.party,
        bots_after=wish.bots_after,
        bot=wish.bot,
        rated=wish.rated,
        clock=conversions.wanted_clock(wish.clock),
        idempotency_key=key,
    )
    backend = backend_of(request)
    made = shown(await backend.call(backend.matchmaking.CreateTicket, message))
    return answer(made, 201, Location=f"/v1/matchmaking/tickets/{made.id}")


@router.get(
    "/v1/matchmaking/tickets/{ticket}",
    **describe("get_ticket", "Look at your ticket", Ticket, MATCHED, problems=OWN),
)
async def get_ticket(request: Request, ticket: str, caller: Caller) -> Response:
    """A ticket can be looked at for a day after its end."""
    backend = backend_of(request)
    message = matchmaking_pb2.TicketRequest(caller=caller, ticket=ticket)
    return answer(shown(await backend.call(backend.matchmaking.GetTicket, message)))


@router.post(
    "/v1/matchmaking/tickets/{ticket}/join",
    **describe(
        "join_ticket",
        "Join a friend's ticket",
        Ticket,
        TICKET,
        problems=[*OWN, "ALREADY_WAITING", "TICKET_CLOSED"],
    ),
)
async def join_ticket(request: Request, ticket: str, caller: Caller) -> Response:
    """If you are in its party. When all have joined, the ticket begins to wait for others."""
    backend = backend_of(request)
    message = matchmaking_pb2.TicketRequest(caller=caller, ticket=ticket)
    return answer(shown(await backend.call(backend.matchmaking.JoinTicket, message)))


@router.delete(
    "/v1/matchmaking/tickets/{ticket}",
    **describe(
        "cancel_ticket",
        "Cancel your ticket",
        Ticket,
        TICKET | {"status": "cancelled"},
        problems=[*OWN, "TICKET_CLOSED"],
    ),
)
async def cancel_ticket(request: Request, ticket: str, caller: Caller) -> Response:
    """Anyone of the party may; a friend who does not want to play declines like this."""
    backend = backend_of(request)
    message = matchmaking_pb2.TicketRequest(caller=caller, ticket=ticket)
    return answer(shown(await backend.call(backend.matchmaking.CancelTicket, message)))


@router.get(
    "/v1/matchmaking/tickets/{ticket}/events",
    **describe(
        "watch_ticket",
        "Watch your ticket",
        Ticket,
        EXAMPLE,
        problems=OWN,
        media_type="text/event-stream",
    ),
)
async def watch_ticket(
    request: Request,
    ticket: str,
    caller: Caller,
    token: TokenInQuery = "",
) -> Response:
    """The ticket as it is, then again after every change, as Server-Sent Events or, with
    `Accept: application/x-ndjson`, line by line. The stream ends when the ticket is matched or cancelled."""
    backend, form = backend_of(request), format_for(request, BARE_LINES)
    with backend.calls:
        updates = TicketSubscription(backend, caller, ticket)
        first = await updates.next()

    def write(told: matchmaking_pb2.Ticket) -> bytes:
        return form.write("", shown(told), None)

    return stream(request, updates, form, form.heartbeat + (write(first) if first else b""), write)


def shown(message: matchmaking_pb2.Ticket) -> Ticket:
    return Ticket(
        id=message.id,
        status=message.status,
        players=[Member(each.player.id, each.player.name, each.ready) for each in message.players],
        wishes=[GrantedWish(each.game, list(each.seats), Raw(each.options)) for each in message.wishes],
        created_at=conversions.moment(message.created_at / 1000),
        table=message.table or None,
        bots_after=message.bots_after if message.HasField("bots_after") else None,
        bot=message.bot,
        rated=message.rated,
        clock=conversions.clock(message.clock) if message.HasField("clock") else None,
    )
