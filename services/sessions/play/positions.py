"""What an onlooker sees of a table in play: the view of the seat, its legal actions, what happened."""

from services.sessions.rules.renewal import Renewal
from services.sessions.store.records import Change
from services.sessions.store.tables import TableStore
from services.sessions.tables.access import check_access
from services.sessions.tables.seats import seat_of
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


class Positions:
    """Owns the look at a table. What each seat may see is decided by the game."""

    def __init__(self, store: TableStore, renewal: Renewal) -> None:
        self.store, self.renewal = store, renewal

    async def look(self, request: pb.TableRequest) -> pb.TablePosition:
        loaded = await self.store.load(request.table)
        check_access(loaded.table, request.caller, request.join_code)
        position = await self.renewal.look(loaded)
        shown = pb.TablePosition()
        show(shown, loaded.table, position, seat_of(loaded.table, request.caller))
        return shown


def events_for(entries: list[pb.LogEntry], seat: int | None) -> bytes:
    """The game events of these entries as that onlooker may know them: one JSON array."""
    parts = []
    for entry in entries:
        told = entry.events.by_seat
        if not told:
            continue
        own = told[seat] if seat is not None else b""
        inner = (own or told[-1])[1:-1]
        if inner:
            parts.append(inner)
    return b"[%s]" % b",".join(parts)


def shows(change: Change, seat: int | None) -> bool:
    """Whether the change brings the onlooker's view along; one that nobody here wanted when it was made does not."""
    if change.position is None:
        return not change.table.seed_hash
    return bool(change.position.views[-1 if seat is None else seat])


def update_of(changes: list[Change], seat: int | None) -> pb.Update:
    last = changes[-1]
    return update_for(last.table, last.position, seat, [change.entry for change in changes])


def show(shown: pb.TablePosition, table: pb.Table, position: rules_pb2.Position | None, seat: int | None) -> None:
    """Fills in what that onlooker sees."""
    status = table.status
    shown.table, shown.status, shown.version, shown.legal = table.id, status, table.version, b"[]"
    if seat is not None:
        shown.seat = seat
    shown.outcome = table.outcome
    if position is not None:
        shown.view = position.views[-1 if seat is None else seat]
        if status == "playing":
            shown.actor = actor = position.actor
            if actor == seat:
                shown.legal = position.legal
                shown.can_undo = bool(table.undoable)
            if table.HasField("deadline"):
                shown.deadline = table.deadline


def update_for(
    table: pb.Table, position: rules_pb2.Position | None, seat: int | None, entries: list[pb.LogEntry]
) -> pb.Update:
    happened = b",".join([entry.table_events[1:-1] for entry in entries if entry.table_events])
    update = pb.Update(events=events_for(entries, seat), table_events=b"[%s]" % happened)
    show(update.position, table, position, seat)
    return update


def log_line(version: int, entry: pb.LogEntry, seat: int | None) -> pb.LogLine:
    """An entry of the log as that onlooker may know it."""
    return pb.LogLine(
        version=version,
        at=entry.at,
        seat=entry.seat if entry.HasField("seat") else None,
        events=events_for([entry], seat),
        table_events=entry.table_events or b"[]",
    )
