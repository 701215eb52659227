"""What is said at a table, and who is there."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from msgspec import Meta, Struct
from starlette.responses import Response

from gateway.admission.caller import Caller, Code, Onlooker
from gateway.backend import backend_of
from gateway.contract import conversions, schemas
from gateway.contract.bodies import body
from gateway.contract.describe import JsonObject, describe
from gateway.contract.parameters import OnceKey
from gateway.contract.responses import answer
from gateway.routes.tables.play import READ
from gateway.routes.tables.tables import SIGNED
from teahouse.v1 import company_pb2, sessions_pb2

router = APIRouter(tags=["company"])


class NewLine(schemas.Request):
    """Something to say."""

    text: Annotated[str, Meta(description="1 to 500 characters, no line breaks.", examples=["Good luck!"])]


class Chat(Struct):
    """Some lines of a table's chat."""

    lines: list[schemas.ChatLine]


NEW_LINE = msgspec.json.Decoder(NewLine)
LINE: JsonObject = {
    "id": "1772389800000-0",
    "at": "2026-03-01T18:30:00.000Z",
    "player": {"id": "p_7Qm2", "name": "Ada"},
    "text": "Good luck!",
}
PRESENCE = {"seats": [{"seat": 0, "connected": True}, {"seat": 1, "connected": False}], "spectators": 3}


@router.post(
    "/v1/tables/{table}/chat",
    **describe(
        "say",
        "Say something",
        schemas.ChatLine,
        LINE,
        status=201,
        takes=NewLine,
        sends={"text": "Good luck!"},
        problems=[*SIGNED, "NOT_SEATED", "BAD_TEXT", "KEY_REUSED", "TOO_MANY_REQUESTS"],
    ),
)
async def say(
    request: Request,
    table: str,
    caller: Caller,
    key: OnceKey = "",
) -> Response:
    """Those who sit at the table write, also after the game: at most 10 lines in 10 seconds. The table's version stays
    as it is."""
    line = await body(request, NEW_LINE)
    message = company_pb2.SayRequest(caller=caller, table=table, text=line.text, idempotency_key=key)
    backend = backend_of(request)
    return answer(conversions.line(await backend.call(backend.company.Say, message)), 201)


@router.get(
    "/v1/tables/{table}/chat",
    **describe("get_chat", "Read the chat", Chat, {"lines": [LINE]}, problems=[*READ, "BAD_PAGE"], anonymous=True),
)
async def get_chat(
    request: Request,
    table: str,
    onlooker: Onlooker,
    code: Code,
    after: Annotated[str, Query(max_length=100, description="Only lines after the one with this id.")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Oldest first: the newest lines, or those after a line that you have. The last 500 are kept. New lines come
    through the table's streams; open the stream first, then read what was said before."""
    message = company_pb2.ChatRequest(caller=onlooker, table=table, join_code=code, after=after, limit=limit)
    backend = backend_of(request)
    chat = await backend.read(backend.company.GetChat, message)
    return answer(Chat([conversions.line(line) for line in chat.lines]))


@router.get(
    "/v1/tables/{table}/presence",
    **describe("get_presence", "Who is there?", schemas.Presence, PRESENCE, problems=READ, anonymous=True),
)
async def get_presence(request: Request, table: str, onlooker: Onlooker, code: Code) -> Response:
    """Whether the players are connected, and how many watch. Whoever has a stream of the table open is there; the
    streams tell when it changes."""
    message = sessions_pb2.TableRequest(caller=onlooker, table=table, join_code=code)
    backend = backend_of(request)
    return answer(conversions.presence(await backend.read(backend.company.GetPresence, message)))
