"""Bots that play a player's seat: from when on, until when, and what it means for the game."""

import json

from services.engine.resigning import ends_it, given_up
from services.platform.errors import conflict
from services.sessions.play.clocks import help_back
from services.sessions.tables.seats import resigned_seats
from services.sessions.tables.writer import Event
from teahouse.v1 import rules_pb2
from teahouse.v1 import sessions_pb2 as pb


def stand_in_level(info: rules_pb2.GameInfo) -> str:
    """The best bot that answers at once."""
    return "greedy" if "greedy" in info.bots else info.bots[0]


def replace(table: pb.Table, number: int, level: str, why: str) -> Event:
    """A bot plays the seat from now on."""
    table.seats[number].stand_in = level
    table.seats[number].ClearField("absent_votes")
    return {"stand_in": {"seat": number, "bot": level, "why": why}}


def come_back(table: pb.Table, seat: int) -> Event:
    """The player takes the seat back."""
    if table.seats[seat].resigned:
        raise conflict("RESIGNED", "you have resigned; a bot plays your seat to the end")
    table.seats[seat].stand_in = ""
    help_back(table, seat)
    return {"returned": {"seat": seat}}


def resign(table: pb.Table, number: int, level: str, why: str) -> list[Event]:
    """The seat gives up; whether that ends the game does not depend on which game it is."""
    seat = table.seats[number]
    seat.resigned, seat.stand_in = True, level
    seat.ClearField("absent_votes")
    events: list[Event] = [{"resigned": {"seat": number, "why": why}}]
    resigned = resigned_seats(table)
    if ends_it([one.kind for one in table.seats], resigned):
        table.status = "finished"
        table.outcome = json.dumps(given_up(len(table.seats), resigned)).encode()
        events.append({"finished": {}})
    return events
