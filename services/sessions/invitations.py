"""Seats that a host keeps for somebody."""

from typing import Any

from services.platform.errors import answers, conflict
from services.sessions.core import kept_seat, seat_of
from services.sessions.tables import Tables, check_seat_number, player_json, shown
from teahouse.v1 import invitations_pb2 as iv
from teahouse.v1 import sessions_pb2 as pb


class Invitations(Tables):
    @answers
    async def Invite(self, request: iv.InviteRequest) -> pb.Table:
        guest = await self.player(request.player)

        def rights(table: pb.Table) -> None:
            self.check_host(table, request.caller)

        def change(table: pb.Table) -> dict[str, Any] | None:
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

        table = await self.change(request.table, rights, change, guest.id)
        await self.tell(guest.id)
        return shown(table, request.caller)
