"""Opening a table."""

from services.platform.clock import now_ms
from services.platform.errors import invalid
from services.sessions.people.accounts import Accounts
from services.sessions.people.player_lists import PlayerLists
from services.sessions.play import clocks
from services.sessions.rules.client import RulesClient
from services.sessions.store.ids import new_id
from services.sessions.tables.seats import check_rated, check_unrated, player_json, rules_seats, wanted_seat
from services.sessions.tables.writer import TableWriter
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Opening:
    """Owns what a new table may be like."""

    def __init__(self, accounts: Accounts, lists: PlayerLists, rules: RulesClient, writer: TableWriter) -> None:
        self.accounts, self.lists, self.rules, self.writer = accounts, lists, rules, writer

    async def open(self, request: pb.OpenTableRequest) -> pb.Table:
        info = await self.rules.info(request.game)
        host = await self.accounts.player(request.caller)
        check_unrated(pb.Table(rated=request.rated), host)
        if request.visibility not in ("", "public", "private"):
            raise invalid("BAD_SEATS", 'visibility is "public" or "private"', field="visibility")
        seats = [wanted_seat(info, seat, host) for seat in request.seats]
        if sum(seat.kind == "player" for seat in seats) > 1:
            raise invalid("BAD_SEATS", "you can sit on one seat only; make the others open", field="seats")
        table = pb.Table(
            id=new_id("t_"),
            game=info.id,
            status="open",
            visibility=request.visibility or "public",
            seats=seats,
            host=host.id,
            created_at=now_ms(),
            rules_version=info.rules_version,
            clock=clocks.checked(request.clock),
            rated=request.rated,
        )
        check_rated(table)
        if table.visibility == "private":
            table.join_code = new_id("", 6)
        # A trial deal: the rules say now, not at the start, whether seats and options fit.
        trial = rules_pb2.NewRequest(seats=rules_seats(table), options=request.options, seed=bytes(32))
        table.options = (await self.rules.new(info.id, trial)).options
        record = pb.TableRecord(table=table)
        await self.writer.write(record, 0, {"opened": {"host": player_json(host)}})
        await self.lists.remember(host.id, table)
        return record.table
