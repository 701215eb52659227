"""Tables before and around the game: open, list, sit down, leave, begin."""

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from gateway.admission.caller import Caller, Code, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import Cursor, Limit
from gateway.contract.problems import Problem
from gateway.contract.responses import answer
from teahouse.v1 import sessions_pb2

router = APIRouter(tags=["tables"])
NEW_TABLE = msgspec.json.Decoder(schemas.NewTable)
SEAT_WISH = msgspec.json.Decoder(schemas.SeatWish)
SEATING = msgspec.json.Decoder(schemas.Open | schemas.Bot | schemas.Automa | schemas.BotAccount)
SeatNumber = Annotated[int, Path(ge=0, le=99, description="Seats count from 0.")]
TABLE: JsonObject = {
    "id": "t_4hXc",
    "game": "example_game",
    "options": {"mode": "basic"},
    "status": "open",
    "visibility": "public",
    "join_code": "K7QF2M",
    "seats": [
        {"seat": 0, "kind": "player", "player": {"id": "p_7Qm2", "name": "Ada"}},
        {"seat": 1, "kind": "bot", "bot": "greedy"},
    ],
    "host": "p_7Qm2",
    "version": 1,
    "created_at": "2026-03-01T18:30:00Z",
    "updated_at": "2026-03-01T18:30:00Z",
    "seed_hash": None,
    "rules_version": "1-5f2c",
    "actor": None,
    "outcome": None,
    "clock": {"kind": "bank", "seconds": 600, "increment": 5, "on_timeout": "bot"},
    "deadline": None,
    "banks": None,
    "rated": False,
    "rematch": None,
    "closed": None,
}
PLAYING = TABLE | {"status": "playing", "version": 2, "seed_hash": "9f86d081…", "actor": 0}
PLAYING |= {"deadline": "2026-03-01T18:40:00.000Z", "banks": [600.0, 600.0]}
OUTSIDE = ["UNKNOWN_PLAYER", "NOT_A_BOT", "BOT_AWAY", "ALREADY_SEATED", "RATED_TABLE"]
SIGNED = ["TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_TABLE"]


@router.post(
    "/v1/tables",
    **describe(
        "open_table",
        "Open a table",
        schemas.Table,
        TABLE,
        status=201,
        takes=schemas.NewTable,
        sends={"game": "example_game", "seats": [{"kind": "me"}, {"kind": "bot", "bot": "greedy"}]},
        problems=["TOKEN_NEEDED", "BAD_TOKEN", "UNKNOWN_GAME", "BAD_SEATS", "BAD_OPTIONS", "BAD_BOT", "BAD_CLOCK"],
    ),
)
async def open_table(request: Request, caller: Caller) -> Response:
    """Say what is wanted at each seat: you, a bot, an automa, or whoever comes. Whoever opens a table is its host."""
    backend = backend_of(request)
    wish = await body(request, NEW_TABLE)
    message = sessions_pb2.OpenTableRequest(
        caller=caller,
        game=wish.game,
        options=bytes(wish.options or b"{}"),
        visibility=wish.visibility,
        seats=[conversions.wanted(seat) for seat in wish.seats],
        clock=conversions.wanted_clock(wish.clock),
        rated=wish.rated,
    )
    opened = await backend.call(backend.sessions.OpenTable, message)
    return answer(conversions.table(opened), 201, Location=f"/v1/tables/{opened.id}")


@router.get(
    "/v1/tables",
    **describe(
        "list_tables",
        "List tables",
        schemas.TablePage,
        {"tables": [TABLE], "next_cursor": None},
        problems=["BAD_TOKEN", "BAD_PAGE", "UNKNOWN_GAME"],
        anonymous=True,
    ),
)
async def list_tables(
    request: Request,
    onlooker: Onlooker,
    game: Annotated[str, Query(max_length=100, description="Only this game.")] = "",
    status: Annotated[Literal["", "open", "playing"], Query(description="Only these; `mine` lists all.")] = "",
    mine: Annotated[bool, Query(description="Only those where you sit, finished ones included.")] = False,
    limit: Limit = 20,
    cursor: Cursor = "",
) -> Response:
    """Public tables, newest first, page by page; with `mine` also your private ones."""
    if mine and not onlooker:
        raise Problem(401, "TOKEN_NEEDED", "Only a player has tables: send a token with mine=true.")
    message = sessions_pb2.ListTablesRequest(
        caller=onlooker, game=game, status=status, mine=mine, limit=limit, cursor=cursor
    )
    backend = backend_of(request)
    page = await backend.read(backend.sessions.ListTables, message)
    return answer(schemas.TablePage([conversions.table(each) for each in page.tables], page.next_cursor or None))


@router.get(
    "/v1/tables/{table}",
    **describe(
        "get_table",
        "Look at a table",
        schemas.Table,
        TABLE,
        problems=["BAD_TOKEN", "UNKNOWN_TABLE", "WRONG_CODE"],
        anonymous=True,
    ),
)
async def get_table(request: Request, table: str, onlooker: Onlooker, code: Code) -> Response:
    """Who sits there, what is played and how far it is."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=onlooker, table=table, join_code=code)
    return answer(conversions.table(await backend.read(backend.sessions.GetTable, message)))


@router.post(
    "/v1/tables/{table}/seats",
    **describe(
        "take_seat",
        "Sit down",
        schemas.Table,
        TABLE,
        takes=schemas.SeatWish,
        sends={"seat": 1},
        body_needed=False,
        problems=[*SIGNED, "WRONG_CODE", "SEAT_TAKEN", "ALREADY_SEATED", "NOT_OPEN", "BAD_SEATS", "RATED_TABLE"],
    ),
)
async def take_seat(request: Request, table: str, caller: Caller, code: Code) -> Response:
    """Takes the first open seat, or the one that the body names. The body may be left out."""
    backend = backend_of(request)
    wish = await body(request, SEAT_WISH) if await request.body() else schemas.SeatWish()
    if wish.join_code:
        await request.scope["caller"].guess_code()
    message = sessions_pb2.TakeSeatRequest(caller=caller, table=table, join_code=wish.join_code or code, seat=wish.seat)
    return answer(conversions.table(await backend.call(backend.sessions.TakeSeat, message)))


@router.delete(
    "/v1/tables/{table}/seats/{seat}",
    **describe(
        "leave_seat",
        "Leave a seat",
        schemas.Table,
        TABLE,
        problems=[*SIGNED, "NOT_SEATED", "NOT_OPEN", "BAD_SEATS", "BUSY"],
    ),
)
async def leave_seat(request: Request, table: str, seat: SeatNumber, caller: Caller) -> Response:
    """Before the start the seat is free again; a table that everybody has left is closed. During play a bot stands in
    for you (`stand_in` of your seat) until you return: with `POST …/return`, or just by acting."""
    backend = backend_of(request)
    message = sessions_pb2.LeaveSeatRequest(caller=caller, table=table, seat=seat)
    return answer(conversions.table(await backend.call(backend.sessions.LeaveSeat, message)))


@router.put(
    "/v1/tables/{table}/seats/{seat}",
    **describe(
        "set_seat",
        "Seat a bot, or open a seat",
        schemas.Table,
        TABLE,
        takes=schemas.Open | schemas.Bot | schemas.Automa | schemas.BotAccount,
        sends={"kind": "bot", "bot": "greedy"},
        problems=[*SIGNED, "NOT_HOST", "SEAT_TAKEN", "NOT_OPEN", "BAD_BOT", "BAD_SEATS", *OUTSIDE],
    ),
)
async def set_seat(request: Request, table: str, seat: SeatNumber, caller: Caller) -> Response:
    """Only the host, before the start: `{"kind": "bot", "bot": …}`, `{"kind": "automa", "automa": …}`,
    `{"kind": "player", "player": …}` with the id or name of a bot account that has offered itself, or
    `{"kind": "open"}`."""
    backend = backend_of(request)
    wanted = conversions.wanted(await body(request, SEATING))
    message = sessions_pb2.SetSeatRequest(caller=caller, table=table, seat=seat, wanted=wanted)
    return answer(conversions.table(await backend.call(backend.sessions.SetSeat, message)))


@router.post(
    "/v1/tables/{table}/start",
    **describe(
        "start_table",
        "Begin the game",
        schemas.Table,
        PLAYING,
        problems=[*SIGNED, "NOT_HOST", "SEATS_OPEN", "NOT_OPEN", "GAME_UNAVAILABLE"],
    ),
)
async def start_table(request: Request, table: str, caller: Caller) -> Response:
    """Deals, once every seat is taken. The hash of the seed is published now, the seed itself when the game ends."""
    backend = backend_of(request)
    message = sessions_pb2.TableRequest(caller=caller, table=table)
    return answer(conversions.table(await backend.call(backend.sessions.StartTable, message)))
