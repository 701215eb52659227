"""What those at a table say to each other."""

import unicodedata

from services.platform.errors import invalid, not_found
from services.sessions.people.chat_lines import FIRST_LINE, MOST_LINES, checked, line_from
from services.sessions.people.quotas import Quotas, Rate
from services.sessions.store import keys
from services.sessions.store.ids import LONGEST_KEY
from services.sessions.store.script import Script
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access
from services.sessions.tables.seats import own_seat
from services.sessions.updates.change_listener import LINE
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


class Chat:
    """Owns the lines of each table: who may write, what a line may be, which are read."""

    def __init__(self, store: TableStore, limits: Quotas) -> None:
        self.store, self.limits = store, limits
        self._add = Script(store.redis, "say")

    async def say(self, request: company_pb2.SayRequest) -> pb.ChatLine:
        text = request.text.strip()
        if not 1 <= len(text) <= LONGEST_LINE or not is_plain(text):
            wanted = f"a line has 1 to {LONGEST_LINE} characters, without control characters and line breaks"
            raise invalid("BAD_TEXT", wanted, field="text")
        if len(request.idempotency_key) > LONGEST_KEY:
            raise invalid("BAD_TEXT", f"an idempotency key has at most {LONGEST_KEY} characters")
        table = (await self.store.load(request.table)).table
        seat = own_seat(table, request.caller, "only those who sit at the table write here")
        await self.limits.count(request.caller, TALK)
        line = pb.ChatLine(player=table.seats[seat].player, text=text)
        said = await self._say(request.table, line, request.idempotency_key)
        if said.text != text:
            raise invalid("KEY_REUSED", "this idempotency key was used for another line; take a new key for each")
        return said

    async def _say(self, table: str, line: pb.ChatLine, key: str) -> pb.ChatLine:
        """Adds the line, once per key, and tells all copies; gives it with its id."""
        said = await self._add.run(
            [keys.table(table), keys.table(table, ":chat")],
            [
                line.SerializeToString(),
                MOST_LINES,
                keys.news(keys.shard(table)),
                LINE + table.encode(),
                f"{line.player.id}:{key}" if key else "",
                LOOK_BACK,
            ],
        )
        if said is None:
            raise not_found("UNKNOWN_TABLE", f"there is no table {table!r}")
        return line_from(*said)

    async def page(self, request: company_pb2.ChatRequest) -> company_pb2.ChatResponse:
        check_access((await self.store.load(request.table)).table, request.caller, request.join_code)
        limit = min(max(request.limit or 100, 1), MOST_LINES)
        if request.after:
            return company_pb2.ChatResponse(lines=await self.after(request.table, request.after, limit))
        rows = await self.store.redis.xrevrange(keys.table(request.table, ":chat"), count=limit)
        return company_pb2.ChatResponse(lines=[line_from(id_, fields[b"line"]) for id_, fields in reversed(rows)])

    async def after(self, table: str, line: str, limit: int = MOST_LINES) -> list[pb.ChatLine]:
        """The lines after that one, oldest first."""
        rows = await self.store.redis.xrange(keys.table(table, ":chat"), f"({checked(line)}", count=limit)
        return [line_from(id_, fields[b"line"]) for id_, fields in rows]

    async def newest(self, table: str) -> str:
        """The id of the last line."""
        rows = await self.store.redis.xrevrange(keys.table(table, ":chat"), count=1)
        return rows[0][0].decode() if rows else FIRST_LINE
