"""The contracts that the session service answers, for itself and for those who call it; and the operator's."""

from typing import Any

from teahouse.v1 import (
    accounts_pb2,
    company_pb2,
    invitations_pb2,
    matchmaking_pb2,
    operators_pb2,
    outside_pb2,
    player_events_pb2,
    ratings_pb2,
    replays_pb2,
    sessions_pb2,
    webhooks_pb2,
)

FILES: tuple[Any, ...] = (
    sessions_pb2,
    accounts_pb2,
    company_pb2,
    invitations_pb2,
    matchmaking_pb2,
    outside_pb2,
    player_events_pb2,
    ratings_pb2,
    replays_pb2,
    webhooks_pb2,
)
CONTRACTS: tuple[Any, ...] = tuple(service for file in FILES for service in file.DESCRIPTOR.services_by_name.values())
# Not for the gateway.
OPERATORS: Any = operators_pb2.DESCRIPTOR.services_by_name["Operators"]
SCOPES = {
    "read": "look at what everybody may see, and at what its own players may see",
    "players": "make players, and give out tokens for its own",
    "play": "do for its own players whatever a player may do",
}
