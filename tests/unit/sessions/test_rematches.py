"""What a rematch keeps of the table that was finished."""

from services.sessions.tables import rematches
from teahouse.v1 import sessions_pb2 as pb


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
