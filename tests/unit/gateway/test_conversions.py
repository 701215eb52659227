"""The session service's messages in the shapes of the API; payloads are not touched."""

import msgspec

from gateway.contract import conversions, schemas
from teahouse.v1 import rules_pb2, sessions_pb2

ODD = b'{ "b":1,"a" : 2.50 }'


def shape(value: object) -> object:
    return msgspec.json.decode(conversions.encode(value))


def test_a_position_before_the_start_has_nulls() -> None:
    message = sessions_pb2.TablePosition(table="t_1", status="open", version=3)
    assert shape(conversions.position(message)) == {
        "table": "t_1",
        "status": "open",
        "version": 3,
        "seat": None,
        "actor": None,
        "view": None,
        "legal": [],
        "outcome": None,
        "can_undo": False,
        "deadline": None,
    }


def test_seat_and_actor_0_are_not_null() -> None:
    message = sessions_pb2.TablePosition(seat=0, actor=0)
    position = conversions.position(message)
    assert (position.seat, position.actor) == (0, 0)


def test_titles_are_in_one_order_in_every_process() -> None:
    languages = ["cs", "de", "en", "es", "fr", "it", "ja", "ko", "pl", "uk"]
    info = rules_pb2.GameInfo(title=dict.fromkeys(reversed(languages), "Tea"))
    assert list(conversions.game_summary(info).title) == languages


def test_payloads_pass_through_byte_by_byte() -> None:
    message = sessions_pb2.Update(position=sessions_pb2.TablePosition(view=ODD), events=b"[%b]" % ODD)
    body = conversions.encode(conversions.update(message))
    assert b'"view":' + ODD in body
    assert b'"events":[' + ODD + b"]" in body
    assert b'"table_events":[]' in body


def test_an_update_is_a_position_with_events() -> None:
    message = sessions_pb2.Update(position=sessions_pb2.TablePosition(table="t", version=7, seat=1, actor=0))
    update, position = conversions.update(message), conversions.position(message.position)
    assert {field: getattr(update, field) for field in position.__struct_fields__} == msgspec.structs.asdict(position)


def test_seats_tell_who_sits_there() -> None:
    ada = sessions_pb2.Player(id="p_1", name="Ada", created_at=5)
    seats = [
        sessions_pb2.Seat(kind="player", player=ada),
        sessions_pb2.Seat(kind="bot", bot="greedy"),
        sessions_pb2.Seat(kind="automa", bot="lu"),
        sessions_pb2.Seat(kind="open"),
    ]
    table = conversions.table(sessions_pb2.Table(id="t_1", seats=seats, created_at=1000, updated_at=61_500))
    assert shape(table.seats) == [
        {"seat": 0, "kind": "player", "player": {"id": "p_1", "name": "Ada"}},
        {"seat": 1, "kind": "bot", "bot": "greedy"},
        {"seat": 2, "kind": "automa", "automa": "lu"},
        {"seat": 3, "kind": "open"},
    ]
    assert (table.created_at, table.updated_at) == ("1970-01-01T00:00:01.000Z", "1970-01-01T00:01:01.500Z")
    assert (table.join_code, table.seed_hash, table.actor, table.outcome) == (None, None, None, None)


def test_a_wish_for_an_automa_names_it() -> None:
    assert conversions.wanted(schemas.Automa("lu")) == sessions_pb2.Seat(kind="automa", bot="lu")
    assert conversions.wanted(schemas.Me()) == sessions_pb2.Seat(kind="me")


def test_a_game_is_its_summary_and_more() -> None:
    info = rules_pb2.GameInfo(id="g", title={"en": "G"}, min_seats=1, max_seats=4, automas=["lu"])
    info.options_schema = info.action_schema = info.event_schema = info.view_schema = b"{}"
    summary, game = shape(conversions.game_summary(info)), shape(conversions.game(info))
    assert isinstance(summary, dict)
    assert isinstance(game, dict)
    assert summary.items() <= game.items()
    assert game["schemas"] == {"action": {}, "event": {}, "view": {}}
