"""What those who have webhooks are told of a change. commit.lua keeps it only for players who have one."""

import json
from collections.abc import Iterator
from typing import Any

from teahouse.v1 import sessions_pb2 as pb

# Everything that a webhook can ask to hear of.
TYPES = ("your_turn", "started", "finished", "closed", "seated", "invited")


def notifications(table: pb.Table, entry: pb.LogEntry, before: int | None) -> str:
    """Lines for commit.lua; `before` is the seat that had the decision before the change."""
    told = []
    if table.HasField("actor") and table.actor != before and table.status == "playing":
        seat = table.seats[table.actor]
        if seat.kind == "player" and not seat.stand_in:
            told.append(("your_turn", seat.player.id))
    if entry.table_events:
        told = [*of_table_events(table, json.loads(entry.table_events)), *told]
    return "\n".join([f"{kind} {player} {entry.at} {table.game}" for kind, player in told]) if told else ""


def of_table_events(table: pb.Table, happened: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for event in happened:
        for kind, what in event.items():
            if kind in ("started", "finished", "closed"):
                yield from ((kind, seat.player.id) for seat in table.seats if seat.kind == "player")
            elif kind == "opened":
                yield from (("invited", seat.invited.id) for seat in table.seats if seat.HasField("invited"))
            elif kind == "invited":
                yield kind, what["player"]["id"]
            elif kind == "seat_taken" and "by" in what:
                yield "seated", what["player"]["id"]
