"""Finding tables and looking at one."""

from services.platform.errors import invalid
from services.sessions.people.player_lists import PlayerLists
from services.sessions.rules.client import RulesClient
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access, shown
from services.sessions.tables.seats import seat_of
from teahouse.v1 import sessions_pb2 as pb

LARGEST_PAGE = 100


class Listing:
    """Owns the pages of public tables and of a player's own."""

    def __init__(self, store: TableStore, lists: PlayerLists, rules: RulesClient) -> None:
        self.store, self.lists, self.rules = store, lists, rules

    async def page(self, request: pb.ListTablesRequest) -> pb.ListTablesResponse:
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        if request.status not in ("", "open", "playing"):
            raise invalid("BAD_PAGE", 'status is "open" or "playing"', field="status")
        if request.game:
            await self.rules.info(request.game)
        below = read_cursor(request.cursor) if request.cursor else None
        page: list[pb.Table] = []
        while len(page) <= limit:
            rows = await self._rows(request, below)
            if not rows:
                return pb.ListTablesResponse(tables=page)
            below = rows[-1]
            tables = await self.store.load_many([table for _, table in rows])
            page += [shown(table, request.caller) for table in tables if matches(table, request)]
        last = page[limit - 1]
        return pb.ListTablesResponse(tables=page[:limit], next_cursor=f"{last.created_at}:{last.id}")

    async def _rows(self, request: pb.ListTablesRequest, below: tuple[int, str] | None) -> list[tuple[int, str]]:
        """The next tables that may belong on the page, newest first."""
        if request.mine:
            mine = await self.lists.all(request.caller)
            return [row for row in mine if below is None or row < below][:LARGEST_PAGE]
        wanted = [request.status] if request.status else ["open", "playing"]
        lists = [await self.store.listed(status, below, LARGEST_PAGE) for status in wanted]
        return sorted((row for rows in lists for row in rows), reverse=True)[:LARGEST_PAGE]

    async def get(self, request: pb.TableRequest) -> pb.Table:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        return shown(loaded.table, request.caller)


def matches(table: pb.Table, request: pb.ListTablesRequest) -> bool:
    if request.mine and table.host != request.caller and seat_of(table, request.caller) is None:
        return False
    return request.game in ("", table.game) and request.status in ("", table.status)


def read_cursor(cursor: str) -> tuple[int, str]:
    """The time and the table after which the next page begins."""
    at, _, table = cursor.partition(":")
    if not (at.isascii() and at.isdigit() and len(at) < 20):
        raise invalid("BAD_PAGE", "the cursor is not one that this list gave", field="cursor")
    return int(at), table
