"""The shapes of version 1: what requests must look like and what answers are made of.

Payloads of a game (options, view, actions, events, outcome) are `Raw`: JSON that passes through unread.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

INT64 = 2**63 - 1
LONG = {"format": "int64"}
Version = Annotated[
    int, Meta(ge=0, le=INT64, description="Number of entries in the table's log.", extra_json_schema=LONG)
]
SeatNumber = Annotated[int, Meta(ge=0, le=99, description="Seats count from 0.")]
Time = Annotated[
    str,
    Meta(description="RFC 3339, UTC.", examples=["2026-03-01T18:30:00Z"], extra_json_schema={"format": "date-time"}),
]
Status = Annotated[str, Meta(extra_json_schema={"enum": ["open", "playing", "finished", "closed"]})]
Visibility = Annotated[str, Meta(extra_json_schema={"enum": ["public", "private"]})]
JsonSchema = Annotated[Raw, Meta(description="A JSON Schema.", extra_json_schema={"type": "object"})]
JoinCode = Annotated[str, Meta(max_length=100)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


class Request(Struct, forbid_unknown_fields=True):
    """A body that a client sends; fields we do not know are refused."""


# Requests.


class NewPlayer(Request):
    """A guest."""

    name: Annotated[str, Meta(description="1 to 40 characters, shown to others.", examples=["Ada"])]
    bot: Annotated[bool, Meta(description="A program plays under this account; hosts may seat it by its name.")] = False


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


class Clock(Request):
    """How long a seat may think. Bots have no clock."""

    kind: Annotated[
        Literal["none", "move", "bank"],
        Meta(description="`move`: seconds for each move; `bank`: seconds for the game, and increment after each turn."),
    ]
    seconds: Annotated[int, Meta(ge=0, le=INT64, description="1 second to a year.", examples=[60])] = 0
    increment: Annotated[int, Meta(ge=0, le=INT64, description="Seconds; only of a `bank`.", examples=[0])] = 0
    on_timeout: Annotated[
        Literal["bot", "resign"], Meta(description="A bot plays on until the player returns, or the seat resigns.")
    ] = "bot"


class BotAccount(Request, tag_field="kind", tag="player"):
    """A bot account that has offered itself."""

    player: Annotated[str, Meta(min_length=1, max_length=100, description="Its id or its name.", examples=["Marvin"])]


class NewTable(Request):
    """A table to open."""

    game: Name
    seats: Annotated[list[Me | Open | Bot | Automa], Meta(min_length=1, max_length=100, description="In seat order.")]
    options: Annotated[
        Raw | UnsetType, Meta(description="By the game's options schema; what is left out has its default.")
    ] = UNSET
    visibility: Literal["public", "private"] = "public"
    clock: Annotated[Clock | None, Meta(description="Left out: no clock.")] = None
    rated: Annotated[bool, Meta(description="Its result changes the players' ratings. Not with bots.")] = False


class SeatWish(Request):
    """Which seat to take; without a number the first open one."""

    seat: SeatNumber | None = None
    join_code: JoinCode | None = None


class Move(Request):
    """An action, and the version of the table that it answers."""

    version: Version
    action: Annotated[Raw, Meta(description="One of `legal`, by the game's action schema.")]


class TakeBack(Request):
    """The version of the table that the caller saw."""

    version: Version


class AbsentSeat(Request):
    """Who is absent."""

    seat: SeatNumber


# Answers.


class Player(Struct):
    """A player, as everybody may see it."""

    id: str
    name: str
    created_at: Time
    bot_account: Annotated[bool, Meta(description="A program plays under this account.")] = False


class OwnPlayer(Struct):
    """A player with a token: whoever has the token is the player."""

    id: str
    name: str
    created_at: Time
    token: str
    expires_at: Time
    bot_account: bool = False


class Seats(Struct):
    """How many may play."""

    min: int
    max: int


class GameSummary(Struct):
    """A game as the list shows it."""

    id: str
    title: Annotated[dict[str, str], Meta(description="By language code.")]
    seats: Seats
    options: Annotated[JsonSchema, Meta(description="JSON Schema with defaults.")]
    bots: Annotated[list[str], Meta(description="Weakest first.")]
    automas: list[str]
    rules_version: Annotated[str, Meta(description="Changes with the rules and their data.")]


class GameList(Struct):
    """All games of this server."""

    games: list[GameSummary]


class GameSchemas(Struct):
    """JSON Schemas of what passes through `action`, `events` and `view`."""

    action: JsonSchema
    event: JsonSchema
    view: JsonSchema


class Game(GameSummary):
    """A game with everything that a client needs to show it."""

    schemas: GameSchemas
    texts: Annotated[
        Raw,
        Meta(
            description='By language: {"en": {"action.<kind>": …}, …}.',
            extra_json_schema={
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        ),
    ]


class Components(Struct):
    """The contents of the box; every game has its own lists."""


class SeatedPlayer(Struct):
    """Who sits there."""

    id: str
    name: str
    bot_account: Annotated[bool | UnsetType, Meta(description="Only of bot accounts.")] = UNSET


class Seat(Struct, omit_defaults=True):
    """One seat of a table."""

    seat: int
    kind: Literal["open", "player", "bot", "automa"]
    player: SeatedPlayer | UnsetType = UNSET
    bot: str | UnsetType = UNSET
    automa: str | UnsetType = UNSET
    stand_in: Annotated[str | UnsetType, Meta(description="The bot that plays while the player is away.")] = UNSET
    resigned: Annotated[bool | UnsetType, Meta(description="Has given the game up and comes last.")] = UNSET
    absent_votes: Annotated[list[int] | UnsetType, Meta(description="Seats that have voted it absent.")] = UNSET
    invited: Annotated[SeatedPlayer | UnsetType, Meta(description="The open seat is kept for this player.")] = UNSET


class Table(Struct):
    """A table, from opening to the end of its game."""

    id: str
    game: str
    options: Raw
    status: Status
    visibility: Visibility
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
    clock: Clock | None
    deadline: Annotated[Time | None, Meta(description="When the time of the seat that has the decision is used up.")]
    banks: Annotated[
        list[float] | None,
        Meta(description="With a bank: seconds that each seat had left when the present turn began."),
    ]
    rated: Annotated[bool, Meta(description="Its result changes the players' ratings.")]
    rematch: Annotated[str | None, Meta(description="The table where those who sat here play again.")]
    closed: Annotated[str | None, Meta(description="Why the table was closed, if not because everybody left.")]


class TablePage(Struct):
    """Some tables, and where the next page starts."""

    tables: list[Table]
    next_cursor: Annotated[str | None, Meta(description="Null on the last page.")]


class Position(Struct):
    """What one onlooker sees of a table."""

    table: str
    status: Status
    version: Version
    seat: Annotated[int | None, Meta(description="The caller's seat; null for a spectator.")]
    actor: Annotated[int | None, Meta(description="The seat that has the decision.")]
    view: Annotated[Raw | None, Meta(description="By the game's view schema; null before the start.")]
    legal: Annotated[Raw, Meta(description="The caller's legal actions; empty when another seat has the decision.")]
    outcome: Annotated[Raw | None, Meta(description="Places, scores and their breakdown once the game is finished.")]
    can_undo: Annotated[bool, Meta(description="The caller may take the last step back.")]
    deadline: Annotated[Time | None, Meta(description="When the time of the seat that has the decision is used up.")]


class Update(Position):
    """What happened since the last update, and the position now."""

    events: Annotated[Raw, Meta(description="Game events in order, by the game's event schema.")]
    table_events: Annotated[Raw, Meta(description="What happened to the table itself.")]


class ChatLine(Struct):
    """Something said at a table."""

    id: Annotated[str, Meta(description="Grows from line to line.")]
    at: Time
    player: SeatedPlayer
    text: str


class SeatPresence(Struct):
    """Whether whoever sits there is connected; bots always are."""

    seat: int
    connected: bool


class Presence(Struct):
    """Who is at a table: those who have a stream of it open."""

    seats: list[SeatPresence]
    spectators: Annotated[int, Meta(description="Those who watch without a seat.")]


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
    actions: Annotated[list[ReplayedAction], Meta(description="Without those that were taken back.")]
    outcome: Raw
    players: list[Seat]
    resigned: Annotated[list[int], Meta(description="Seats that gave up; they come last, or the game ended by it.")]


class ScoreLine(Struct):
    """Where points came from."""

    label: Annotated[str, Meta(description="The game's texts have `score.<label>`.")]
    points: int


class Outcome(Struct):
    """How a game ended, in seat order. Equal places are shared."""

    places: list[int]
    scores: list[int]
    breakdown: list[list[ScoreLine]]
    reason: Annotated[str, Meta(description="Why it ended like this; the game's texts have `reason.<reason>`.")]


class FieldError(Struct):
    """Where a request has the wrong shape."""

    field: str
    message: str


class ProblemDocument(Struct):
    """An RFC 9457 problem document."""

    type: Annotated[str, Meta(description="Stable. GET it to read more.", examples=["/problems/stale-version"])]
    title: str
    status: int
    detail: Annotated[str, Meta(description="What was wrong, and what to do.")]
    instance: str
    reason: Annotated[str, Meta(description="The same as `type`, for programs.", examples=["STALE_VERSION"])]
    request_id: Annotated[
        str | UnsetType, Meta(description="What the server's log knows this request by; also in `X-Request-Id`.")
    ] = UNSET
    current_version: Annotated[int | UnsetType, Meta(description="Of STALE_VERSION.")] = UNSET
    errors: Annotated[list[FieldError] | UnsetType, Meta(description="Of problems with what was sent.")] = UNSET


class ProblemType(Struct):
    """What all problems of one type have in common."""

    type: str
    reason: str
    title: str
    status: int
    explanation: Annotated[str, Meta(description="When it happens, and what to do.")]


class Health(Struct):
    """Well."""

    status: Literal["ok"] = "ok"
