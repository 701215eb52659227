"""Who sits where at a table, and what may be seated there."""

from typing import Any

from services.platform.errors import conflict, denied, invalid
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


def seat_of(table: pb.Table, player: str) -> int | None:
    if not player:
        return None
    for number, seat in enumerate(table.seats):
        if seat.kind == "player" and seat.player.id == player:
            return number
    return None


def own_seat(table: pb.Table, caller: str, refusal: str = "you do not sit at this table") -> int:
    number = seat_of(table, caller)
    if number is None:
        raise denied("NOT_SEATED", refusal)
    return number


def kept_seat(table: pb.Table, player: str) -> int | None:
    """The open seat that is kept for that player, if there is one."""
    for number, seat in enumerate(table.seats):
        if player and seat.kind == "open" and seat.invited.id == player:
            return number
    return None


def bot_level(seat: pb.Seat) -> str | None:
    """The level of the bot that plays the seat, for itself or for a player who is away; None for a person."""
    if seat.kind == "automa":
        return "automa"
    return (seat.bot if seat.kind == "bot" else seat.stand_in) or None


def bot_seat(table: pb.Table) -> int | None:
    """The bot's seat that has the decision, if one has."""
    if table.status != "playing" or not table.HasField("actor") or bot_level(table.seats[table.actor]) is None:
        return None
    return table.actor


def person_waits(table: pb.Table) -> bool:
    """Tables where only bots play, outside bots among them, can wait for the others."""
    return any(seat.kind == "player" and not seat.player.bot and not seat.stand_in for seat in table.seats)


def resigned_seats(table: pb.Table) -> list[int]:
    return [number for number, seat in enumerate(table.seats) if seat.resigned]


def rules_seats(table: pb.Table) -> list[str]:
    """The seats as a rules service needs them; who sits there is not its business."""
    return [seat.bot if seat.kind == "automa" else "player" for seat in table.seats]


def player_json(player: pb.Player) -> dict[str, str]:
    return {"id": player.id, "name": player.name}


def check_seat_number(table: pb.Table, seat: int) -> None:
    if not 0 <= seat < len(table.seats):
        raise invalid("BAD_SEATS", f"there is no seat {seat}; seats are 0 to {len(table.seats) - 1}", field="seat")


def check_rated(table: pb.Table) -> None:
    if table.rated and (len(table.seats) < 2 or any(seat.kind in ("bot", "automa") for seat in table.seats)):
        raise invalid("BAD_SEATS", "a rated table has two seats or more and no bots or automas", field="seats")


def check_unrated(table: pb.Table, player: pb.Player) -> None:
    """Bot accounts never count for ratings."""
    if table.rated and player.bot:
        raise denied("RATED_TABLE", "bot accounts do not sit at rated tables; open one that is not rated")


def wanted_seat(info: rules_pb2.GameInfo, seat: pb.Seat, me: pb.Player) -> pb.Seat:
    if seat.kind == "me":
        return pb.Seat(kind="player", player=me)
    if seat.kind == "open":
        return pb.Seat(kind="open")
    if seat.kind in ("bot", "automa"):
        known = info.bots if seat.kind == "bot" else info.automas
        if seat.bot not in known:
            text = f"{info.id} has no {seat.kind} {seat.bot[:40]!r}; it has {', '.join(known) or 'none'}"
            raise invalid("BAD_BOT", text, field="seats")
        return pb.Seat(kind=seat.kind, bot=seat.bot)
    raise invalid("BAD_SEATS", 'a seat is "me", "open", "bot" or "automa"', field="seats")


def seat_bot_account(table: pb.Table, number: int, account: pb.Player, host: str) -> dict[str, Any]:
    """A bot account accepts by having offered itself."""
    if seat_of(table, account.id) is not None:
        raise conflict("ALREADY_SEATED", f"{account.name} sits at this table already")
    check_unrated(table, account)
    table.seats[number].CopyFrom(pb.Seat(kind="player", player=account))
    return {"seat_taken": {"seat": number, "player": player_json(account), "by": host}}
