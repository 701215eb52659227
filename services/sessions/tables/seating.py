"""Seats before the start: take one, leave it, let a bot sit there or nobody."""

from services.platform.errors import conflict, denied, invalid
from services.sessions.people.accounts import Accounts
from services.sessions.rules.client import RulesClient
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access, check_host, shown
from services.sessions.tables.seats import (
    check_rated,
    check_seat_number,
    check_unrated,
    kept_seat,
    player_json,
    seat_bot_account,
    seat_of,
    wanted_seat,
)
from services.sessions.tables.writer import Event, TableWriter
from services.sessions.turns.outside_bots import OutsideBots
from services.sessions.updates.hub import Hub
from teahouse.v1 import sessions_pb2 as pb


class Seating:
    """Owns who may sit down, stand up or be seated at an open table."""

    def __init__(
        self,
        store: TableStore,
        accounts: Accounts,
        outside_bots: OutsideBots,
        rules: RulesClient,
        writer: TableWriter,
        hub: Hub,
    ) -> None:
        self.store, self.accounts, self.outside_bots = store, accounts, outside_bots
        self.rules, self.writer, self.hub = rules, writer, hub

    async def take_seat(self, request: pb.TakeSeatRequest) -> pb.Table:
        player = await self.accounts.player(request.caller)

        def edit(table: pb.Table) -> Event:
            if seat_of(table, player.id) is not None:
                raise conflict("ALREADY_SEATED", "you sit at this table already")
            check_unrated(table, player)
            free = [
                number
                for number, seat in enumerate(table.seats)
                if seat.kind == "open" and seat.invited.id in ("", player.id)
            ]
            kept = kept_seat(table, player.id)
            first = next(iter(free), -1) if kept is None else kept
            number = request.seat if request.HasField("seat") else first
            check_seat_number(table, number if request.HasField("seat") else 0)
            if number not in free:
                raise conflict("SEAT_TAKEN", f"free seats: {free or 'none'}")
            if kept is not None:
                table.seats[kept].ClearField("invited")
            table.seats[number].CopyFrom(pb.Seat(kind="player", player=player))
            return {"seat_taken": {"seat": number, "player": player_json(player)}}

        def rights(table: pb.Table) -> None:
            check_access(table, player.id, request.join_code)

        return shown(await self.writer.edit_open(request.table, rights, edit, player.id), player.id)

    async def set_seat(self, request: pb.SetSeatRequest) -> pb.Table:
        table = (await self.store.load(request.table)).table
        info = await self.rules.info(table.game)
        # The bot account that is to sit there.
        account = None
        if request.wanted.kind == "player":
            check_host(table, request.caller)
            account = await self.outside_bots.seatable(request.wanted.player.id, table.game)

        def rights(table: pb.Table) -> None:
            check_host(table, request.caller)

        def edit(table: pb.Table) -> Event:
            check_seat_number(table, request.seat)
            if table.seats[request.seat].kind == "player":
                raise conflict("SEAT_TAKEN", f"a player sits on seat {request.seat}")
            if account:
                return seat_bot_account(table, request.seat, account, request.caller)
            if request.wanted.kind not in ("open", "bot", "automa"):
                raise invalid("BAD_SEATS", 'kind is "open", "bot", "automa" or "player"', field="kind")
            seat = wanted_seat(info, request.wanted, pb.Player())
            table.seats[request.seat].CopyFrom(seat)
            check_rated(table)
            return {"seat_set": {"seat": request.seat, "kind": seat.kind, "bot": seat.bot}}

        table = await self.writer.edit_open(request.table, rights, edit, account.id if account else "")
        if account:
            await self.hub.tell(account.id)
        return shown(table, request.caller)

    async def stand_up(self, request: pb.LeaveSeatRequest) -> pb.Table:
        """The seat is free again. The table closes with its last player."""

        def rights(table: pb.Table) -> None:
            if request.caller != table.host and seat_of(table, request.caller) is None:
                raise denied("NOT_SEATED", "you do not sit at this table")

        def edit(table: pb.Table) -> Event:
            check_seat_number(table, request.seat)
            seat = table.seats[request.seat]
            if seat.kind != "player" and request.caller == table.host:
                raise denied("NOT_SEATED", "no player sits there; PUT …/seats/{seat} seats a bot or opens the seat")
            if seat.kind != "player" or request.caller not in (seat.player.id, table.host):
                raise denied("NOT_SEATED", "only whoever sits there, or the host, can free the seat")
            left = player_json(seat.player)
            table.seats[request.seat].CopyFrom(pb.Seat(kind="open"))
            others = [other.player.id for other in table.seats if other.kind == "player"]
            if left["id"] == table.host:
                table.host = others[0] if others else table.host
                table.status = table.status if others else "closed"
            return {"seat_left": {"seat": request.seat, "player": left}}

        return shown(await self.writer.edit_open(request.table, rights, edit), request.caller)
