"""What everybody may know of a player: ratings, results, finished tables."""

from services.sessions.people.accounts import Accounts
from services.sessions.people.player_lists import PlayerLists
from services.sessions.people.ratings import shown_rating
from services.sessions.store import keys
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import shown
from services.sessions.tables.listing import LARGEST_PAGE, read_cursor
from teahouse.v1 import ratings_pb2 as rt
from teahouse.v1 import sessions_pb2 as pb


class Profiles:
    """Owns the public face of a player."""

    def __init__(self, store: TableStore, accounts: Accounts, lists: PlayerLists) -> None:
        self.store, self.accounts, self.lists = store, accounts, lists

    async def get(self, request: pb.GetPlayerRequest) -> rt.Profile:
        player = await self.accounts.player(request.player)
        fields = await self.store.redis.hgetall(keys.games(player.id))
        played: dict[str, dict[str, float]] = {}
        for name, value in fields.items():
            game, _, what = name.decode().rpartition(":")
            played.setdefault(game, {})[what] = float(value)
        profile = rt.Profile(player=player)
        for game, found in played.items():
            profile.results[game].CopyFrom(rt.Results(played=int(found["played"]), won=int(found["won"])))
            if "rated" in found:
                rating = round(shown_rating(found["mu"], found["sigma"]))
                profile.ratings[game].CopyFrom(rt.Rating(rating=rating, games=int(found["rated"])))
        return profile

    async def history(self, request: rt.HistoryRequest) -> pb.ListTablesResponse:
        await self.accounts.player(request.player)
        limit = min(max(request.limit or 20, 1), LARGEST_PAGE)
        below = read_cursor(request.cursor) if request.cursor else None
        rows = await self.lists.counted(request.player)
        rows = [row for row in rows if below is None or row < below]
        page: list[tuple[int, pb.Table]] = []
        while rows and len(page) <= limit:
            some, rows = rows[:LARGEST_PAGE], rows[LARGEST_PAGE:]
            when = {table: score for score, table in some}
            tables = await self.store.load_many([table for _, table in some])
            page += [(when[table.id], shown(table, request.caller)) for table in tables if table.visibility == "public"]
        cursor = f"{page[limit - 1][0]}:{page[limit - 1][1].id}" if len(page) > limit else ""
        return pb.ListTablesResponse(tables=[table for _, table in page[:limit]], next_cursor=cursor)
