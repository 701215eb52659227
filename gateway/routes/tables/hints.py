"""Asking a bot."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from msgspec import Meta, Raw, Struct
from starlette.responses import Response

from gateway.admission.caller import Caller
from gateway.backend import backend_of
from gateway.contract import schemas
from gateway.contract.describe import describe
from gateway.contract.responses import answer
from gateway.routes.tables.tables import SIGNED
from teahouse.v1 import company_pb2

router = APIRouter(tags=["company"])


class Hint(Struct):
    """What a bot would do in your place."""

    version: schemas.Version
    bot: str
    action: Annotated[Raw, Meta(description="One of your legal actions at that version.")]


HINT = {"version": 12, "bot": "greedy", "action": {"use": {"marker": "reveal"}}}


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
    backend = backend_of(request)
    hint = await backend.call(backend.company.GetHint, message)
    return answer(Hint(hint.version, hint.bot, Raw(hint.action)))
