"""Names of tickets."""

from services.sessions.matching.tickets import ticket_id
from services.sessions.store.ids import ID
from teahouse.v1 import matchmaking_pb2 as mm


def test_a_ticket_with_a_key_has_always_the_same_name() -> None:
    first, again, other = (
        ticket_id(mm.CreateTicketRequest(caller="p_ada", idempotency_key=key)) for key in ("x", "x", "y")
    )
    assert first == again != other


def test_all_names_are_as_long_as_notices_need_them() -> None:
    for key in ("", "x"):
        assert len(ticket_id(mm.CreateTicketRequest(caller="p_ada", idempotency_key=key))) == ID
