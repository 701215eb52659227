"""Tables before the game, against the running session service."""

import json

import grpc
import pytest

from teahouse.v1 import sessions_pb2 as pb
from tests.support.session_client import GAME, ME, OPEN, SessionClient, bot


def test_options_come_back_with_their_defaults(house: SessionClient) -> None:
    table = house.open(house.player(), ME, OPEN, options={"mode": "harder"})
    options = json.loads(table.options)
    assert options["mode"] == "harder"
    assert options["destiny"] is False


@pytest.mark.parametrize(
    ("seats", "options", "reason"),
    [
        ([ME], {}, "BAD_SEATS"),
        ([ME, OPEN, OPEN], {}, "BAD_SEATS"),
        ([ME, ME], {}, "BAD_SEATS"),
        ([ME, pb.Seat(kind="cat")], {}, "BAD_SEATS"),
        ([ME, bot("grandmaster")], {}, "BAD_BOT"),
        ([ME, pb.Seat(kind="automa", bot="nobody")], {}, "BAD_BOT"),
        ([ME, OPEN], {"mode": "impossible"}, "BAD_OPTIONS"),
        ([ME, OPEN], {"colour": "red"}, "BAD_OPTIONS"),
    ],
)
def test_a_table_that_cannot_be_played_is_not_opened(
    house: SessionClient, seats: list[pb.Seat], options: dict[str, object], reason: str
) -> None:
    request = pb.OpenTableRequest(caller=house.player(), game=GAME, seats=seats, options=json.dumps(options).encode())
    refusal = house.refused("OpenTable", request)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)


def test_unknown_games_tables_and_players(house: SessionClient) -> None:
    player = house.player()
    assert house.refused("OpenTable", pb.OpenTableRequest(caller=player, game="chess")).reason == "UNKNOWN_GAME"
    assert house.refused("GetTable", pb.TableRequest(table="t_none")).reason == "UNKNOWN_TABLE"
    assert house.refused("GetPlayer", pb.GetPlayerRequest(player="p_none")).reason == "UNKNOWN_PLAYER"


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b"])
def test_bad_names(house: SessionClient, name: str) -> None:
    assert house.refused("CreatePlayer", pb.CreatePlayerRequest(name=name)).reason == "BAD_NAME"


def test_tokens_are_checked(house: SessionClient) -> None:
    created = house.call("CreatePlayer", pb.CreatePlayerRequest(name=" Ada  Lovelace "))
    assert created.player.name == "Ada Lovelace"
    assert house.call("Authenticate", pb.AuthenticateRequest(token=created.token)).id == created.player.id
    player, expires, generation, signature = created.token.split(".")
    forged = [
        "",
        "x",
        f"{player}.{int(expires) + 1}.{generation}.{signature}",
        f"{player}.{expires}.1.{signature}",
        f"{player}.{expires}.{signature}",
        f"p_other.{expires}.{generation}.{signature}",
        created.token + "A",
        f"{player}.1.{generation}.{signature}",
        f"{player}.٣.{generation}.{signature}",
    ]
    for token in forged:
        assert house.refused("Authenticate", pb.AuthenticateRequest(token=token)).reason == "BAD_TOKEN"


def test_sit_leave_and_start(house: SessionClient) -> None:
    ada, bo, cy = (house.player(name) for name in ("Ada", "Bo", "Cy"))
    table = house.open(ada, ME, OPEN).id
    start = pb.TableRequest(caller=ada, table=table)
    assert house.refused("StartTable", start).reason == "SEATS_OPEN"
    assert house.refused("TakeSeat", pb.TakeSeatRequest(caller=ada, table=table)).reason == "ALREADY_SEATED"
    assert house.refused("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table, seat=0)).reason == "SEAT_TAKEN"
    assert house.refused("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table, seat=7)).reason == "BAD_SEATS"
    house.call("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table, seat=1))
    assert house.refused("TakeSeat", pb.TakeSeatRequest(caller=cy, table=table)).reason == "SEAT_TAKEN"
    assert house.refused("LeaveSeat", pb.LeaveSeatRequest(caller=cy, table=table, seat=1)).reason == "NOT_SEATED"
    left = house.call("LeaveSeat", pb.LeaveSeatRequest(caller=bo, table=table, seat=1))
    assert left.seats[1].kind == "open"
    assert house.refused("StartTable", pb.TableRequest(caller=bo, table=table)).reason == "NOT_HOST"
    set_bot = pb.SetSeatRequest(caller=ada, table=table, seat=1, wanted=bot("random"))
    assert house.call("SetSeat", set_bot).seats[1].bot == "random"
    started = house.call("StartTable", start)
    assert started.status == "playing"
    assert len(started.seed_hash) == 64
    for method, request in (
        ("StartTable", start),
        ("SetSeat", set_bot),
        ("TakeSeat", pb.TakeSeatRequest(caller=cy, table=table)),
    ):
        assert house.refused(method, request).reason == "NOT_OPEN"


def test_the_host_who_leaves_hands_over_and_the_last_one_closes(house: SessionClient) -> None:
    ada, bo = house.player("Ada"), house.player("Bo")
    table = house.open(ada, ME, OPEN).id
    house.call("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table))
    assert house.call("LeaveSeat", pb.LeaveSeatRequest(caller=ada, table=table, seat=0)).host == bo
    closed = house.call("LeaveSeat", pb.LeaveSeatRequest(caller=bo, table=table, seat=1))
    assert closed.status == "closed"
    listed = house.call("ListTables", pb.ListTablesRequest(status="open", limit=100)).tables
    assert table not in [one.id for one in listed]


def test_a_private_table_needs_its_code(house: SessionClient) -> None:
    ada, bo = house.player("Ada"), house.player("Bo")
    table = house.open(ada, ME, OPEN, visibility="private")
    assert len(table.join_code) == 6
    for method in ("GetTable", "Look", "GetLog", "GetReplay"):
        request = (
            pb.LogRequest(caller=bo, table=table.id)
            if method == "GetLog"
            else pb.TableRequest(caller=bo, table=table.id, join_code="wrong")
        )
        assert house.refused(method, request).reason == "WRONG_CODE"
    assert house.refused("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table.id)).reason == "WRONG_CODE"
    seen = house.call("GetTable", pb.TableRequest(caller=bo, table=table.id, join_code=table.join_code))
    assert seen.join_code == "", "the code is for those who sit there"
    seated = house.call("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table.id, join_code=table.join_code))
    assert seated.join_code == table.join_code
    listed = house.call("ListTables", pb.ListTablesRequest(limit=100)).tables
    assert table.id not in [one.id for one in listed]


def test_pages_list_every_table_once(house: SessionClient) -> None:
    ada = house.player()
    opened = {house.open(ada, ME, OPEN).id for _ in range(7)}
    found: list[str] = []
    cursor = ""
    while True:
        page = house.call("ListTables", pb.ListTablesRequest(caller=ada, mine=True, limit=3, cursor=cursor))
        found += [table.id for table in page.tables]
        cursor = page.next_cursor
        if not cursor:
            break
    assert len(found) == len(opened)
    assert set(found) == opened
    assert house.refused("ListTables", pb.ListTablesRequest(cursor="soup")).reason == "BAD_PAGE"
    assert house.refused("ListTables", pb.ListTablesRequest(status="eaten")).reason == "BAD_PAGE"


def test_one_seat_forty_hopefuls(house: SessionClient) -> None:
    """Many players reach for the last seat at once: one gets it."""
    table = house.open(house.player(), ME, OPEN).id
    players = [house.player() for _ in range(40)]
    calls = [house.stub.TakeSeat.future(pb.TakeSeatRequest(caller=player, table=table)) for player in players]
    assert sum(call.exception() is None for call in calls) == 1


def test_who_was_sent_away_no_longer_lists_a_private_table(house: SessionClient) -> None:
    ada, bo = house.player("Ada"), house.player("Bo")
    table = house.open(ada, ME, OPEN, visibility="private")
    house.call("TakeSeat", pb.TakeSeatRequest(caller=bo, table=table.id, join_code=table.join_code))
    mine = pb.ListTablesRequest(caller=bo, mine=True)
    assert [one.id for one in house.call("ListTables", mine).tables] == [table.id]
    house.call("LeaveSeat", pb.LeaveSeatRequest(caller=ada, table=table.id, seat=1))
    assert not house.call("ListTables", mine).tables
    for method, request in (
        ("LeaveSeat", pb.LeaveSeatRequest(caller=bo, table=table.id, seat=77)),
        ("SetSeat", pb.SetSeatRequest(caller=bo, table=table.id, seat=77, wanted=OPEN)),
    ):
        assert house.refused(method, request).code is grpc.StatusCode.PERMISSION_DENIED
