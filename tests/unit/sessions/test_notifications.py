"""Who is told what of a change at a table."""

from typing import get_args

import pytest

from gateway.routes.people.webhooks import EventType
from services.sessions.webhooks.notifications import TYPES, notifications
from teahouse.v1 import sessions_pb2 as pb

SEATS = [
    pb.Seat(kind="player", player=pb.Player(id="p_ada")),
    pb.Seat(kind="bot", bot="greedy"),
    pb.Seat(kind="player", player=pb.Player(id="p_bob")),
    pb.Seat(kind="player", player=pb.Player(id="p_cyd"), stand_in="greedy"),
]
SEATED = b'[{"seat_taken": {"seat": 2, "player": {"id": "p_bob", "name": "Bob"}, "by": "p_ada"}}]'
TOOK = b'[{"seat_taken": {"seat": 2, "player": {"id": "p_bob", "name": "Bob"}}}]'


@pytest.mark.parametrize(
    ("status", "before", "actor", "table_events", "told"),
    [
        ("playing", 0, 2, b"", ["your_turn p_bob"]),
        ("playing", 1, 0, b"", ["your_turn p_ada"]),
        ("playing", 0, 0, b"", []),
        ("playing", 0, 1, b"", []),
        ("playing", 0, 3, b"", []),
        (
            "playing",
            None,
            0,
            b'[{"started": {"seed_hash": "x"}}]',
            ["started p_ada", "started p_bob", "started p_cyd", "your_turn p_ada"],
        ),
        ("finished", 0, None, b'[{"finished": {}}]', ["finished p_ada", "finished p_bob", "finished p_cyd"]),
        ("closed", 0, None, b'[{"closed": {}}]', ["closed p_ada", "closed p_bob", "closed p_cyd"]),
        ("finished", None, None, b'[{"rematch": {"table": "t_x"}}]', []),
        ("open", None, None, SEATED, ["seated p_bob"]),
        ("open", None, None, TOOK, []),
        ("open", None, None, b'[{"invited": {"seat": 1, "player": {"id": "p_eve"}}}]', ["invited p_eve"]),
        ("open", None, None, b'[{"opened": {"host": {}}}]', []),
    ],
)
def test_who_is_told_what(
    status: str, before: int | None, actor: int | None, table_events: bytes, told: list[str]
) -> None:
    table = pb.Table(game="chess", status=status, seats=SEATS, actor=actor)
    lines = notifications(table, pb.LogEntry(at=1700000000000, table_events=table_events), before)
    assert lines.splitlines() == [f"{each} 1700000000000 chess" for each in told]


def test_the_gateway_offers_what_there_is() -> None:
    assert get_args(EventType) == TYPES
