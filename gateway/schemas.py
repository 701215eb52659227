"""The shapes of version 1: what requests must look like and what answers are made of.

Payloads of a game (options, view, actions, events, outcome) are `Raw`: JSON that passes through unread.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

INT64 = 2**63 - 1
Version = Annotated[int, Meta(ge=0, le=INT64, description="Number of entries in the table's log.")]
SeatNumber = Annotated[int, Meta(ge=0, le=99, description="Seats count from 0.")]
Time = Annotated[str, Meta(description="RFC 3339, UTC.", examples=["2026-03-01T18:30:00Z"])]
JoinCode = Annotated[str, Meta(max_length=100)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


class Request(Struct, forbid_unknown_fields=True):
    """A body that a client sends; fields we do not know are refused."""


# Requests.


class NewPlayer(Request):
    """A guest."""

    name: Annotated[str, Meta(description="1 to 40 characters, shown to others.", examples=["Ada"])]


class Me(Request, tag_field="kind", tag="me"):
    """The caller's own seat."""


class Open(Request, tag_field="kind", tag="open"):
    """Free for whoever comes."""


class Bot(Request, tag_field="kind", tag="bot"):
    """A bot plays here."""

    bot: Annotated[str, Meta(max_length=100, description="One of the game's `bots`.", examples=["greedy"])]


class Automa(Request, tag_field="kind", tag="automa"):
    """A seat that the rules themselves drive."""

    automa: Annotated[str, Meta(max_length=100, description="One of the game's `automas`.")]


class NewTable(Request):
    """A table to open."""

    game: Name
    seats: Annotated[list[Me | Open | Bot | Automa], Meta(min_length=1, max_length=100, description="In seat order.")]
    options: Annotated[
        Raw | UnsetType, Meta(description="By the game's options schema; what is left out has its default.")
    ] = UNSET
    visibility: Literal["public", "private"] = "public"


class SeatWish(Request):
    """Which seat to take; without a number the first open one."""

    seat: SeatNumber | None = None
    join_code: JoinCode | None = None


class Move(Request):
    """An action, and the version of the table that it answers."""

    version: Version
    action: Annotated[Raw, Meta(description="One of `legal`, by the game's action schema.")]


class SocketMove(Request):
    """An action sent through the socket."""

    version: Version
    action: Raw
    id: Annotated[str, Meta(max_length=100)] | Annotated[int, Meta(ge=-INT64, le=INT64)] | None = None


class SocketMessage(Request):
    """What a client may send through the socket."""

    act: SocketMove


# Answers.


class Player(Struct):
    """A player, as everybody may see it."""

    id: str
    name: str
    created_at: Time


class OwnPlayer(Struct):
    """A new player with its token: whoever has the token is the player."""

    id: str
    name: str
    created_at: Time
    token: str
    expires_at: Time


class Seats(Struct):
    """How many may play."""

    min: int
    max: int


class GameSummary(Struct):
    """A game as the list shows it."""

    id: str
    title: Annotated[dict[str, str], Meta(description="By language code.")]
    seats: Seats
    options: Annotated[Raw, Meta(description="JSON Schema with defaults.")]
    bots: Annotated[list[str], Meta(description="Weakest first.")]
    automas: list[str]
    rules_version: Annotated[str, Meta(description="Changes with the rules and their data.")]


class GameList(Struct):
    """All games of this server."""

    games: list[GameSummary]


class GameSchemas(Struct):
    """JSON Schemas of what passes through `action`, `events` and `view`."""

    action: Raw
    event: Raw
    view: Raw


class Game(GameSummary):
    """A game with everything that a client needs to show it."""

    schemas: GameSchemas
    texts: Annotated[Raw, Meta(description='By language: {"en": {"action.<kind>": …}, …}.')]


class Components(Struct):
    """The contents of the box; every game has its own lists."""


class SeatedPlayer(Struct):
    """Who sits there."""

    id: str
    name: str


class Seat(Struct, omit_defaults=True):
    """One seat of a table."""

    seat: int
    kind: Literal["open", "player", "bot", "automa"]
    player: SeatedPlayer | UnsetType = UNSET
    bot: str | UnsetType = UNSET
    automa: str | UnsetType = UNSET


class Table(Struct):
    """A table, from opening to the end of its game."""

    id: str
    game: str
    options: Raw
    status: Annotated[str, Meta(description='"open", "playing", "finished" or "closed".')]
    visibility: Annotated[str, Meta(description='"public" or "private".')]
    join_code: Annotated[str | None, Meta(description="Only those who sit there see it.")]
    seats: list[Seat]
    host: Annotated[str, Meta(description="Player id of whoever opened it.")]
    version: Version
    created_at: Time
    updated_at: Time
    seed_hash: Annotated[str | None, Meta(description="SHA-256 of the seed; set when the game starts.")]
    rules_version: str | None
    actor: Annotated[int | None, Meta(description="The seat that has the decision.")]
    outcome: Raw | None


class TablePage(Struct):
    """Some tables, and where the next page starts."""

    tables: list[Table]
    next_cursor: Annotated[str | None, Meta(description="Null on the last page.")]


class Position(Struct):
    """What one onlooker sees of a table."""

    table: str
    status: str
    version: Version
    seat: Annotated[int | None, Meta(description="The caller's seat; null for a spectator.")]
    actor: Annotated[int | None, Meta(description="The seat that has the decision.")]
    view: Annotated[Raw | None, Meta(description="By the game's view schema; null before the start.")]
    legal: Annotated[Raw, Meta(description="The caller's legal actions; empty when another seat has the decision.")]
    outcome: Annotated[Raw | None, Meta(description="Places, scores and their breakdown once the game is finished.")]


class Update(Position):
    """What happened since the last update, and the position now."""

    events: Annotated[Raw, Meta(description="Game events in order, by the game's event schema.")]
    table_events: Annotated[Raw, Meta(description="What happened to the table itself.")]


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


class Refused(Struct):
    """A socket's answer to what it cannot do: a problem document with the id of the message."""

    error: dict[str, Any]


# What the server says through the socket.
Told = Snapshot | Change | Acked | Refused


class LogLine(Struct):
    """One entry of a table's log."""

    version: Version
    at: Time
    seat: int | None
    events: Raw
    table_events: Raw


class Log(Struct):
    """A stretch of a table's log."""

    lines: list[LogLine]
    version: Annotated[int, Meta(description="The table's version now; ask again with `after` until you have it.")]


class ReplayedAction(Struct):
    """An action in a replay."""

    seat: int
    action: Raw


class Replay(Struct):
    """All that is needed to play a finished game again and check it."""

    game: str
    rules_version: str
    options: Raw
    seats: Annotated[list[str], Meta(description='"player" or the id of an automa.')]
    seed: Annotated[str, Meta(description="Hexadecimal.")]
    seed_hash: Annotated[str, Meta(description="SHA-256 of the seed's bytes, as published at the start.")]
    actions: list[ReplayedAction]
    outcome: Raw
    players: list[Seat]


class FieldError(Struct):
    """Where a request has the wrong shape."""

    field: str
    message: str


class ProblemDocument(Struct):
    """An RFC 9457 problem document."""

    type: Annotated[str, Meta(description="Stable; see docs/errors.md.", examples=["/problems/stale-version"])]
    title: str
    status: int
    detail: Annotated[str, Meta(description="What was wrong, and what to do.")]
    instance: str
    reason: Annotated[str, Meta(description="The same as `type`, for programs.", examples=["STALE_VERSION"])]
    current_version: Annotated[int | UnsetType, Meta(description="Of STALE_VERSION.")] = UNSET
    errors: Annotated[list[FieldError] | UnsetType, Meta(description="Of INVALID_REQUEST.")] = UNSET


class Health(Struct):
    """Well."""

    status: Literal["ok"] = "ok"
