"""What is read from Redis and written there, as the parts of the service pass it on."""

from dataclasses import dataclass

from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


@dataclass(slots=True)
class Loaded:
    """A table as read from Redis."""

    record: pb.TableRecord
    version: int
    state: bytes

    @property
    def table(self) -> pb.Table:
        return self.record.table


@dataclass(slots=True)
class Change:
    """What those who watch need to know of one change. Nothing in it is altered later."""

    version: int
    entry: pb.LogEntry
    position: rules_pb2.Position | None
    table: pb.Table

    def encode(self) -> bytes:
        return pb.Change(
            version=self.version, entry=self.entry, position=self.position, table=self.table
        ).SerializeToString()

    @staticmethod
    def decode(data: bytes) -> "Change":
        change = pb.Change.FromString(data)
        return Change(
            change.version, change.entry, change.position if change.HasField("position") else None, change.table
        )


@dataclass(slots=True)
class Commit:
    """What a change writes beside the record. Times are milliseconds since 1970; None: as it was."""

    entry: pb.LogEntry
    state: bytes = b""
    # When the turn of the bot that has the decision is handed out again; None: no bot has it.
    bot_due: int | None = None
    # The list where the table stands: "open", "playing" or "" (none). None: the table's status is as it was, too.
    listed: str | None = None
    once_key: str = ""
    once_answer: bytes = b""
    # When the time of the seat that has the decision is up; 0: no clock runs.
    deadline: int | None = None
    expires: int | None = None
    # The game is over: the table is to be counted for its players.
    finished: bool = False
    # Who is told what if they have webhooks; see webhooks/notifications.py.
    notifications: str = ""


class Stale(Exception):
    """Somebody else changed the table first."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the table is at version {version}")
        self.version = version


class Again(Exception):
    """The same request was answered before."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("answered before")
        self.answer = answer
