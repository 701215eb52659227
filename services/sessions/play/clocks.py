"""The clocks of a table: how long a seat may think, as sessions.proto says. Nothing here looks at the time itself."""

from services.platform.errors import Refusal, conflict, invalid
from services.sessions.tables.seats import bot_level
from teahouse.v1 import sessions_pb2 as pb

LONGEST = 366 * 86400
# Milliseconds for whoever returns when all time was used up.
AFTER_RETURN = 30_000


def checked(clock: pb.Clock) -> pb.Clock | None:
    """The clock with its defaults, or None for a game without one; refuses what makes no sense."""
    if clock.kind in ("", "none"):
        if clock.seconds or clock.increment:
            raise bad_clock('a clock with seconds or increment has the kind "move" or "bank"', "kind")
        return None
    if clock.kind not in ("move", "bank"):
        raise bad_clock(f'kind is "none", "move" or "bank", not {clock.kind[:40]!r}', "kind")
    if not 1 <= clock.seconds <= LONGEST:
        raise bad_clock(f"seconds is 1 to {LONGEST} (a year), not {clock.seconds}", "seconds")
    if not 0 <= clock.increment <= LONGEST:
        raise bad_clock(f"increment is 0 to {LONGEST} (a year), not {clock.increment}", "increment")
    if clock.increment and clock.kind == "move":
        raise bad_clock('only a "bank" has an increment', "increment")
    if clock.on_timeout not in ("", "bot", "resign"):
        raise bad_clock(f'on_timeout is "bot" or "resign", not {clock.on_timeout[:40]!r}', "on_timeout")
    return pb.Clock(
        kind=clock.kind, seconds=clock.seconds, increment=clock.increment, on_timeout=clock.on_timeout or "bot"
    )


def bad_clock(text: str, field: str) -> Refusal:
    return invalid("BAD_CLOCK", text, field=f"clock.{field}")


def fill_banks(table: pb.Table) -> None:
    if table.clock.kind == "bank":
        table.banks[:] = [table.clock.seconds * 1000] * len(table.seats)


def running(table: pb.Table) -> int | None:
    """The seat whose clock runs."""
    return table.actor if table.HasField("deadline") else None


def wind(table: pb.Table, before: int | None, entry: pb.LogEntry) -> None:
    """Sets deadline and banks after a change; `before` is the seat whose clock ran until now."""
    clock = table.clock
    after = None
    if table.HasField("actor") and bot_level(table.seats[table.actor]) is None:
        after = table.actor
    acted = bool(entry.action) and entry.seat == before
    if clock.kind == "bank" and before is not None and before != after:
        left = max(0, table.deadline - entry.at)
        table.banks[before] = left + (clock.increment * 1000 if acted else 0)
    if entry.action:
        table.ClearField("time_left")
    elif clock.kind == "move" and before is not None and before != after:
        table.time_left = max(0, table.deadline - entry.at)
    if after is None:
        table.ClearField("deadline")
    elif after != before or (clock.kind == "move" and acted and not entry.undoable):
        table.deadline = entry.at + (table.banks[after] if clock.kind == "bank" else for_move(table))


def for_move(table: pb.Table) -> int:
    """Milliseconds for the decision. Who left in the middle of it and returns has what was left, not all again."""
    whole = table.clock.seconds * 1000
    return min(whole, table.time_left or AFTER_RETURN) if table.HasField("time_left") else whole


def help_back(table: pb.Table, seat: int) -> None:
    """Gives a player who returns after his bank was used up a little time."""
    if table.clock.kind == "bank" and not table.banks[seat]:
        table.banks[seat] = min(table.clock.seconds * 1000, AFTER_RETURN)


def check_in_time(table: pb.Table, seat: int, now: int) -> None:
    if table.HasField("deadline") and table.actor == seat and now > table.deadline:
        rule = "a bot plays on for you" if table.clock.on_timeout == "bot" else "your seat resigns"
        late = now - table.deadline
        raise conflict("TIME_UP", f"your time was used up {late} ms ago: by the rule of this table {rule}")
