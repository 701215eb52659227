"""Seats that a host keeps for somebody."""

from services.platform.errors import conflict
from services.sessions.people.accounts import Accounts
from services.sessions.tables.access import check_host, shown
from services.sessions.tables.seats import check_seat_number, kept_seat, player_json, seat_of
from services.sessions.tables.writer import Event, TableWriter
from services.sessions.updates.hub import Hub
from teahouse.v1 import invitations_pb2 as iv
from teahouse.v1 import sessions_pb2 as pb


class Invitations:
    """Owns the keeping of seats at open tables."""

    def __init__(self, accounts: Accounts, writer: TableWriter, hub: Hub) -> None:
        self.accounts, self.writer, self.hub = accounts, writer, hub

    async def invite(self, request: iv.InviteRequest) -> pb.Table:
        guest = await self.accounts.player(request.player)

        def rights(table: pb.Table) -> None:
            check_host(table, request.caller)

        def edit(table: pb.Table) -> Event | None:
            if seat_of(table, guest.id) is not None:
                raise conflict("ALREADY_SEATED", f"{guest.name} sits at this table already")
            before = kept_seat(table, guest.id)
            if before is not None:
                if not request.HasField("seat") or request.seat == before:
                    return None
                table.seats[before].ClearField("invited")
            free = [n for n, seat in enumerate(table.seats) if seat.kind == "open" and not seat.HasField("invited")]
            number = request.seat if request.HasField("seat") else next(iter(free), -1)
            check_seat_number(table, number if request.HasField("seat") else 0)
            if number not in free:
                raise conflict("SEAT_TAKEN", f"free seats that are kept for nobody: {free or 'none'}")
            table.seats[number].invited.CopyFrom(guest)
            return {"invited": {"seat": number, "player": player_json(guest)}}

        table = await self.writer.edit_open(request.table, rights, edit, guest.id)
        await self.hub.tell(guest.id)
        return shown(table, request.caller)
