"""Who may see a table and who may do something there."""

import secrets

from services.platform.errors import conflict, denied
from services.sessions.tables.seats import kept_seat, seat_of
from teahouse.v1 import sessions_pb2 as pb


def shown(table: pb.Table, caller: str) -> pb.Table:
    """The table as that caller may see it: the join code is for those who sit there."""
    if table.join_code and not (caller and (caller == table.host or seat_of(table, caller) is not None)):
        table.join_code = ""
    return table


def check_access(table: pb.Table, caller: str, code: str) -> None:
    if table.visibility != "private" or (caller and caller == table.host) or seat_of(table, caller) is not None:
        return
    if kept_seat(table, caller) is not None:
        return
    if not secrets.compare_digest(code.strip().lower().encode(), table.join_code.encode()):
        raise denied("WRONG_CODE", "this table is private: pass its join_code")


def check_host(table: pb.Table, caller: str) -> None:
    if not caller or caller != table.host:
        raise denied("NOT_HOST", "only the host of the table can do this")


def check_open(table: pb.Table) -> None:
    if table.status != "open":
        raise conflict("NOT_OPEN", f"the table is {table.status}; this can be done only before the game starts")


def check_playing(table: pb.Table) -> None:
    if table.status != "playing":
        raise conflict("NOT_PLAYING", f"the table is {table.status}{f': {table.closed}' if table.closed else ''}")
