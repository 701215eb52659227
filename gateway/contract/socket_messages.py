"""What goes over a socket, both ways."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from gateway.contract.schemas import INT64, ChatLine, Position, Presence, Request, Update, Version

# Chosen by the client; the answer carries it.
MessageId = Annotated[str, Meta(max_length=100)] | Annotated[int, Meta(ge=-INT64, le=INT64)]


class SocketMove(Request):
    """An action sent through the socket."""

    version: Version
    action: Raw
    id: MessageId | None = None


class SocketLine(Request):
    """A line of chat sent through the socket."""

    text: Annotated[str, Meta(max_length=2000)]
    id: MessageId | None = None


class SocketMessage(Request):
    """What a client may send through the socket: one of these."""

    act: SocketMove | UnsetType = UNSET
    say: SocketLine | UnsetType = UNSET


class Snapshot(Struct):
    """First message of a socket."""

    snapshot: Position


class Change(Struct):
    """A socket's message for every change."""

    update: Update


class Ack(Struct):
    """The action was carried out; the update comes as its own message."""

    id: str | int | None
    version: int


class Acked(Struct):
    """A socket's answer to an action."""

    ack: Ack


class LineAck(Struct):
    """The line was said; it comes as its own message, to everybody."""

    id: str | int | None
    line: Annotated[str, Meta(description="Its id.")]


class LineAcked(Struct):
    """A socket's answer to a line."""

    ack: LineAck


class SaidLine(Struct):
    """A socket's message for every line of chat."""

    chat: ChatLine


class PresenceNews(Struct):
    """A socket's message when somebody comes or goes."""

    presence: Presence


class Refused(Struct):
    """A socket's answer to what it cannot do: a problem document with the id of the message."""

    error: dict[str, Any]


# What the server says through the socket.
Told = Snapshot | Change | Acked | LineAcked | SaidLine | PresenceNews | Refused
