"""Small parts of the session service that need no other process."""

import doctest
from types import ModuleType

import pytest

from services.platform.settings import Settings
from services.sessions.people import chat, chat_lines, presence
from services.sessions.store import connection
from services.sessions.tables import rematches
from teahouse.v1 import sessions_pb2 as pb


@pytest.mark.parametrize("module", [chat, chat_lines, connection, rematches])
def test_examples(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed


def test_a_player_with_many_streams_is_there_once() -> None:
    ada, bo = pb.Player(id="p_ada"), pb.Player(id="p_bo")
    seats = [pb.Seat(kind="player", player=ada), pb.Seat(kind="open", invited=bo), pb.Seat(kind="bot", bot="greedy")]
    copies = [pb.Connected(players=["p_ada", "p_bo"], guests=1), pb.Connected(players=["p_bo", "p_eve"], guests=2)]
    told = presence.presence(pb.Table(seats=seats), copies)
    assert list(told.connected) == [True, False, True]
    assert told.spectators == 5  # Bo, Eve and three guests


def test_a_cluster_needs_a_broker_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAHOUSE_BROKER_URL", raising=False)
    monkeypatch.setenv("TEAHOUSE_REDIS_URL", "redis://a:6379,b:6379")
    with pytest.raises(SystemExit, match="TEAHOUSE_BROKER_URL"):
        Settings()
    monkeypatch.setenv("TEAHOUSE_BROKER_URL", "redis://c:6379/0")
    assert Settings().broker_url == "redis://c:6379/0"


def test_a_rematch_has_the_same_seats_and_nothing_of_the_old_game() -> None:
    ada, bo = pb.Player(id="p_ada", name="Ada"), pb.Player(id="p_bo", name="Bo")
    old = pb.Table(
        id="t_abcdefghjkmnpq",
        game="example",
        options=b'{"mode":"hard"}',
        status="finished",
        visibility="private",
        join_code="abc234",
        seats=[
            pb.Seat(kind="player", player=ada, resigned=True, stand_in="greedy"),
            pb.Seat(kind="bot", bot="greedy"),
            pb.Seat(kind="player", player=bo),
        ],
        host="p_bo",
        version=80,
        seed_hash="ff",
        outcome=b"{}",
        clock=pb.Clock(kind="move", seconds=60, on_timeout="bot"),
        banks=[1, 2, 3],
        rated=True,
    )
    new = rematches.same_again(old, "p_ada")
    assert list(new.seats) == [
        pb.Seat(kind="player", player=ada),
        pb.Seat(kind="bot", bot="greedy"),
        pb.Seat(kind="open", invited=bo),
    ]
    assert (new.host, new.status, new.options, new.visibility) == ("p_ada", "open", old.options, "private")
    assert (new.clock, new.rated) == (old.clock, True)
    assert new.join_code not in ("", old.join_code)
    assert not (new.version or new.seed_hash or new.outcome or new.banks)
