"""From the session service's messages to the shapes of the API. Game payloads are put in place unread."""

from datetime import UTC, datetime

import msgspec
from msgspec import UNSET, Raw

from gateway.contract import schemas
from teahouse.v1 import rules_pb2, sessions_pb2

encode = msgspec.json.Encoder().encode
NOTHING = Raw(b"[]")


def moment(seconds: float) -> str:
    """
    >>> moment(0)
    '1970-01-01T00:00:00.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def raw(payload: bytes) -> Raw | None:
    return Raw(payload) if payload else None


def array(payload: bytes) -> Raw:
    return Raw(payload) if payload else NOTHING


def player(message: sessions_pb2.Player) -> schemas.Player:
    return schemas.Player(message.id, message.name, moment(message.created_at), bot_account=message.bot)


def game_summary(info: rules_pb2.GameInfo) -> schemas.GameSummary:
    return schemas.GameSummary(
        id=info.id,
        title=dict(sorted(info.title.items())),  # a map has another order in each process
        seats=schemas.Seats(info.min_seats, info.max_seats),
        options=Raw(info.options_schema or b"{}"),
        bots=list(info.bots),
        automas=list(info.automas),
        rules_version=info.rules_version,
    )


def game(info: rules_pb2.GameInfo) -> schemas.Game:
    summary = game_summary(info)
    return schemas.Game(
        **{field: getattr(summary, field) for field in summary.__struct_fields__},
        schemas=schemas.GameSchemas(Raw(info.action_schema), Raw(info.event_schema), Raw(info.view_schema)),
        texts=Raw(info.texts or b"{}"),
    )


def seat(number: int, message: sessions_pb2.Seat) -> schemas.Seat:
    match message.kind:
        case "player":
            person = schemas.SeatedPlayer(message.player.id, message.player.name, message.player.bot or UNSET)
            return schemas.Seat(
                number,
                "player",
                player=person,
                stand_in=message.stand_in or UNSET,
                resigned=message.resigned or UNSET,
                absent_votes=list(message.absent_votes) or UNSET,
            )
        case "bot":
            return schemas.Seat(number, "bot", bot=message.bot)
        case "automa":
            return schemas.Seat(number, "automa", automa=message.bot)
    if message.HasField("invited"):
        return schemas.Seat(number, "open", invited=schemas.SeatedPlayer(message.invited.id, message.invited.name))
    return schemas.Seat(number, "open")


def wanted(
    seat: schemas.Me | schemas.Open | schemas.Bot | schemas.Automa | schemas.BotAccount,
) -> sessions_pb2.Seat:
    """The session service keeps a bot's level and an automa's id in one field."""
    match seat:
        case schemas.Me():
            return sessions_pb2.Seat(kind="me")
        case schemas.Open():
            return sessions_pb2.Seat(kind="open")
        case schemas.Bot(bot):
            return sessions_pb2.Seat(kind="bot", bot=bot)
        case schemas.Automa(automa):
            return sessions_pb2.Seat(kind="automa", bot=automa)
        case schemas.BotAccount(player):
            return sessions_pb2.Seat(kind="player", player=sessions_pb2.Player(id=player))


def table(message: sessions_pb2.Table) -> schemas.Table:
    return schemas.Table(
        id=message.id,
        game=message.game,
        options=Raw(message.options or b"{}"),
        status=message.status,
        visibility=message.visibility,
        join_code=message.join_code or None,
        seats=[seat(number, each) for number, each in enumerate(message.seats)],
        host=message.host,
        version=message.version,
        created_at=moment(message.created_at / 1000),
        updated_at=moment(message.updated_at / 1000),
        seed_hash=message.seed_hash or None,
        rules_version=message.rules_version or None,
        actor=message.actor if message.HasField("actor") else None,
        outcome=raw(message.outcome),
        rated=message.rated,
        clock=clock(message.clock) if message.HasField("clock") else None,
        deadline=deadline(message),
        banks=[left / 1000 for left in message.banks] or None,
        rematch=message.rematch or None,
        closed=message.closed or None,
    )


def clock(message: sessions_pb2.Clock) -> schemas.Clock:
    return schemas.Clock(message.kind, message.seconds, message.increment, message.on_timeout)  # type: ignore[arg-type]


def wanted_clock(wish: schemas.Clock | None) -> sessions_pb2.Clock | None:
    if wish is None:
        return None
    return sessions_pb2.Clock(
        kind=wish.kind, seconds=wish.seconds, increment=wish.increment, on_timeout=wish.on_timeout
    )


def deadline(message: sessions_pb2.Table | sessions_pb2.TablePosition) -> str | None:
    return moment(message.deadline / 1000) if message.HasField("deadline") else None


def line(message: sessions_pb2.ChatLine) -> schemas.ChatLine:
    player = schemas.SeatedPlayer(message.player.id, message.player.name)
    return schemas.ChatLine(message.id, moment(message.at / 1000), player, message.text)


def presence(message: sessions_pb2.Presence) -> schemas.Presence:
    seats = [schemas.SeatPresence(number, there) for number, there in enumerate(message.connected)]
    return schemas.Presence(seats, message.spectators)


def position(message: sessions_pb2.TablePosition) -> schemas.Position:
    return schemas.Position(
        message.table,
        message.status,
        message.version,
        message.seat if message.HasField("seat") else None,
        message.actor if message.HasField("actor") else None,
        raw(message.view),
        array(message.legal),
        raw(message.outcome),
        message.can_undo,
        deadline(message),
    )


def update(message: sessions_pb2.Update) -> schemas.Update:
    now = message.position
    return schemas.Update(
        now.table,
        now.status,
        now.version,
        now.seat if now.HasField("seat") else None,
        now.actor if now.HasField("actor") else None,
        raw(now.view),
        array(now.legal),
        raw(now.outcome),
        now.can_undo,
        deadline(now),
        array(message.events),
        array(message.table_events),
    )


def log(message: sessions_pb2.LogResponse) -> schemas.Log:
    lines = [
        schemas.LogLine(
            line.version,
            moment(line.at / 1000),
            line.seat if line.HasField("seat") else None,
            array(line.events),
            array(line.table_events),
        )
        for line in message.lines
    ]
    return schemas.Log(lines, message.version)


def replay(message: sessions_pb2.Replay) -> schemas.Replay:
    return schemas.Replay(
        game=message.game,
        rules_version=message.rules_version,
        options=Raw(message.options or b"{}"),
        seats=list(message.seats),
        seed=message.seed,
        seed_hash=message.seed_hash,
        actions=[schemas.ReplayedAction(each.seat, Raw(each.action)) for each in message.actions],
        outcome=Raw(message.outcome or b"null"),
        players=[seat(number, each) for number, each in enumerate(message.seated)],
        resigned=list(message.resigned),
    )
