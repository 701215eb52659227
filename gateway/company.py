"""Around a game: chat, who is there, playing again, a hint."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from msgspec import Meta, Raw, Struct
from starlette.responses import Response

from gateway import convert, schemas
from gateway.answers import answer
from gateway.auth import Caller, Code, Onlooker
from gateway.bodies import OnceKey, body
from gateway.openapi import describe
from gateway.play import READ
from gateway.tables import SIGNED, TABLE
from teahouse.v1 import company_pb2, sessions_pb2

router = APIRouter(tags=["company"])


class NewLine(schemas.Request):
    """Something to say."""

    text: Annotated[str, Meta(description="1 to 500 characters, no line breaks.", examples=["Good luck!"])]


class Chat(Struct):
    """Some lines of a table's chat."""

    lines: list[schemas.ChatLine]


class Hint(Struct):
    """What a bot would do in your place."""

    version: schemas.Version
    bot: str
    action: Annotated[Raw, Meta(description="One of your legal actions at that version.")]


NEW_LINE = msgspec.json.Decoder(NewLine)
LINE: dict[str, Any] = {
    "id": "1772389800000-0",
    "at": "2026-03-01T18:30:00.000Z",
    "player": {"id": "p_7Qm2", "name": "Ada"},
    "text": "Good luck!",
}
PRESENCE = {"seats": [{"seat": 0, "connected": True}, {"seat": 1, "connected": False}], "spectators": 3}
REMATCH = TABLE | {
    "id": "t_9kZw",
    "seats": [
        {"seat": 0, "kind": "player", "player": {"id": "p_7Qm2", "name": "Ada"}},
        {"seat": 1, "kind": "open", "invited": {"id": "p_3Rt8", "name": "Bob"}},
    ],
}
AGAIN = describe(
    "rematch",
    "Play again",
    schemas.Table,
    REMATCH,
    status=201,
    problems=[*SIGNED, "NOT_SEATED", "NOT_FINISHED", "NOT_OPEN", "SEAT_TAKEN", "GAME_UNAVAILABLE"],
)
AGAIN["responses"][200] = AGAIN["responses"][201] | {"description": "Somebody has opened it already; you sit there."}
HINT = {"version": 12, "bot": "greedy", "action": {"use": {"marker": "reveal"}}}


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
    backend = request.app.state.backend
    return answer(convert.line(await backend.call(backend.sessions.Say, message)), 201)


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
    backend = request.app.state.backend
    chat = await backend.read(backend.sessions.GetChat, message)
    return answer(Chat([convert.line(line) for line in chat.lines]))


@router.get(
    "/v1/tables/{table}/presence",
    **describe("get_presence", "Who is there?", schemas.Presence, PRESENCE, problems=READ, anonymous=True),
)
async def get_presence(request: Request, table: str, onlooker: Onlooker, code: Code) -> Response:
    """Whether the players are connected, and how many watch. Whoever has a stream of the table open is there; the
    streams tell when it changes."""
    message = sessions_pb2.TableRequest(caller=onlooker, table=table, join_code=code)
    backend = request.app.state.backend
    return answer(convert.presence(await backend.read(backend.sessions.GetPresence, message)))


@router.post("/v1/tables/{table}/rematch", **AGAIN)
async def rematch(request: Request, table: str, caller: Caller) -> Response:
    """The same game with the same options and seats. The first to ask opens the new table (201); the others' seats are
    kept until they ask too (200). When all sit the game begins by itself: at once, if the others are bots. Asking again
    changes nothing."""
    message = sessions_pb2.TableRequest(caller=caller, table=table)
    backend = request.app.state.backend
    made = await backend.call(backend.sessions.Rematch, message)
    headers = {"Location": f"/v1/tables/{made.table.id}"}
    return answer(convert.table(made.table), 201 if made.opened else 200, **headers)


@router.get(
    "/v1/tables/{table}/hint",
    **describe(
        "get_hint",
        "Ask a bot",
        Hint,
        HINT,
        problems=[
            *(*SIGNED, "NOT_SEATED", "RATED_TABLE", "NOT_PLAYING", "NOT_YOUR_TURN", "BAD_BOT"),
            *("TOO_MANY_REQUESTS", "HINT_LATE"),
        ],
    ),
)
async def get_hint(
    request: Request,
    table: str,
    caller: Caller,
    bot: Annotated[str, Query(max_length=100, description='One of the game\'s `bots`, not "random".')] = "greedy",
) -> Response:
    """What that bot would do now if it sat in your place and knew no more than you. Only while you have the decision,
    never at rated tables; at most 20 in a minute."""
    message = company_pb2.HintRequest(caller=caller, table=table, bot=bot)
    backend = request.app.state.backend
    hint = await backend.call(backend.sessions.GetHint, message)
    return answer(Hint(hint.version, hint.bot, Raw(hint.action)))
