"""Who is there, put together from what all copies have noted."""

from services.sessions.people import presence
from teahouse.v1 import sessions_pb2 as pb


def test_a_player_with_many_streams_is_there_once() -> None:
    ada, bo = pb.Player(id="p_ada"), pb.Player(id="p_bo")
    seats = [pb.Seat(kind="player", player=ada), pb.Seat(kind="open", invited=bo), pb.Seat(kind="bot", bot="greedy")]
    copies = [pb.Connected(players=["p_ada", "p_bo"], guests=1), pb.Connected(players=["p_bo", "p_eve"], guests=2)]
    told = presence.presence(pb.Table(seats=seats), copies)
    assert list(told.connected) == [True, False, True]
    assert told.spectators == 5  # Bo, Eve and three guests
