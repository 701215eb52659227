"""What those at a table say to each other, and who is there."""

import unicodedata
from typing import Any

from services.platform.errors import answers, denied, invalid, not_found
from services.sessions.company import LINE, company_channel
from services.sessions.core import seat_of
from services.sessions.play import LONGEST_KEY, Play
from services.sessions.rates import Rate, Rates
from services.sessions.scripts import Together
from services.sessions.store import MOST_LINES, line_from, shard
from services.sessions.tables import check_access
from teahouse.v1 import company_pb2
from teahouse.v1 import sessions_pb2 as pb

LONGEST_LINE = 500
# Among how many of the latest lines a repeated request is recognized.
LOOK_BACK = 100
TALK = Rate("chat", 10, 10, "lines of chat")

# Characters that make text run the other way.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_plain(text: str) -> bool:
    """
    >>> is_plain("Zażółć 🍵 👩‍🚀"), is_plain("a\\nb"), is_plain("a\\x1b[2J"), is_plain("\\u202ea")
    (True, False, False, False)
    """
    return not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") or each in TURNING for each in text)


class Chat(Play):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rates = Rates(self.store)
        self._say = Together(self.store.redis, "say")

    @answers
    async def Say(self, request: company_pb2.SayRequest) -> pb.ChatLine:
        text = request.text.strip()
        if not 1 <= len(text) <= LONGEST_LINE or not is_plain(text):
            wanted = f"a line has 1 to {LONGEST_LINE} characters, without control characters and line breaks"
            raise invalid("BAD_TEXT", wanted, field="text")
        if len(request.idempotency_key) > LONGEST_KEY:
            raise invalid("BAD_TEXT", f"an idempotency key has at most {LONGEST_KEY} characters")
        table = (await self.store.load(request.table)).table
        seat = seat_of(table, request.caller)
        if seat is None:
            raise denied("NOT_SEATED", "only those who sit at the table write here")
        await self.rates.count(request.caller, TALK)
        line = pb.ChatLine(player=table.seats[seat].player, text=text)
        said = await self.say(request.table, line, request.idempotency_key)
        if said.text != text:
            raise invalid("KEY_REUSED", "this idempotency key was used for another line; take a new key for each")
        return said

    async def say(self, table: str, line: pb.ChatLine, key: str) -> pb.ChatLine:
        """Adds the line, once per key, and tells all copies; gives it with its id."""
        said = await self._say.run(
            [self.store.key(table), self.store.key(table, ":chat")],
            [
                line.SerializeToString(),
                MOST_LINES,
                company_channel(shard(table)),
                LINE + table.encode(),
                f"{line.player.id}:{key}" if key else "",
                LOOK_BACK,
            ],
        )
        if said is None:
            raise not_found("UNKNOWN_TABLE", f"there is no table {table!r}")
        return line_from(*said)

    @answers
    async def GetChat(self, request: company_pb2.ChatRequest) -> company_pb2.ChatResponse:
        check_access((await self.store.load(request.table)).table, request.caller, request.join_code)
        limit = min(max(request.limit or 100, 1), MOST_LINES)
        if request.after:
            return company_pb2.ChatResponse(lines=await self.store.chat(request.table, request.after, limit))
        return company_pb2.ChatResponse(lines=await self.store.latest_chat(request.table, limit))

    @answers
    async def GetPresence(self, request: pb.TableRequest) -> pb.Presence:
        table = (await self.store.load(request.table)).table
        check_access(table, request.caller, request.join_code)
        return await self.hub.present(table)
