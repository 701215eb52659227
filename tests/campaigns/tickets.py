"""Thousands of tickets against several copies of the session service, one of which is killed half way (`make soak`).

    python -m tests.campaigns.tickets --tickets 2000

Everyone must be matched or still wait, nobody may sit twice, and no table may have a wrong number of seats.
"""

import argparse
import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
import redis.asyncio

from deploy.stack import Stack
from services.platform.errors import Refusal, from_rpc
from services.sessions.store.keys import PROPOSALS
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import matchmaking_pb2_grpc, sessions_pb2_grpc
from teahouse.v1 import sessions_pb2 as pb
from tests.support.processes import own_stack

DUEL, LARGER = "geishas_road", "thurn_and_taxis"
PATIENCE = 300.0
AT_A_TIME = 40
# The rest of the tickets must fit nowhere for so long before we believe it.
QUIET = 5.0


@dataclass
class Party:
    """One ticket to be, and what became of it."""

    players: list[str]
    wishes: list[mm.Wish]
    bots_after: int | None
    ticket: str = ""
    table: str = ""
    status: str = ""
    counts: set[tuple[str, int]] = field(default_factory=set)


class Copies:
    """The copies of the service, as a careful client uses them: what one does not answer is asked of the next."""

    def __init__(self, stack: Stack) -> None:
        names = [name for name in stack.processes if name.startswith("sessions")]
        self.channels = [grpc.aio.insecure_channel(stack.address(name)) for name in names]
        stubs: list[tuple[Any, Any]] = [
            (sessions_pb2_grpc.SessionsStub(channel), matchmaking_pb2_grpc.MatchmakingStub(channel))
            for channel in self.channels
        ]
        self.stubs = stubs

    async def once(self, method: str, request: Any) -> Any:
        # By chance: taken in turns, the same question could meet the dead copy again and again.
        for stub in random.choice(self.stubs):
            if hasattr(stub, method):
                try:
                    return await getattr(stub, method)(request, timeout=20)
                except grpc.aio.AioRpcError as error:
                    raise from_rpc(error) from None
        raise AssertionError(method)

    async def ask(self, method: str, request: Any) -> Any:
        """For what may be repeated."""
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                return await self.once(method, request)
            except Refusal as refusal:
                if not lost(refusal) or time.monotonic() > limit:
                    raise
                await asyncio.sleep(0.05)


def lost(refusal: Refusal) -> bool:
    return refusal.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


def invent(number: int, dice: random.Random) -> Party:
    duel = mm.Wish(game=DUEL, seats=[2])
    larger = mm.Wish(game=LARGER, seats=dice.sample([2, 3, 4], dice.randint(1, 3)))
    wishes = dice.choice([[duel], [duel], [larger], [larger], [duel, larger], [larger, duel]])
    size = 1
    if number % 10 == 0:
        size, wishes = 2, [mm.Wish(game=LARGER, seats=dice.choice([[3], [4], [4, 3]]))]
    party = Party([""] * size, wishes, 5 if number % 7 == 0 else None)
    party.counts = {(wish.game, count) for wish in wishes for count in wish.seats}
    return party


async def wait_in_line(copies: Copies, party: Party) -> None:
    """Makes the players and their ticket. What was not answered is repeated."""
    for number in range(len(party.players)):
        made = await copies.ask("CreatePlayer", pb.CreatePlayerRequest(name=f"player {number}"))
        party.players[number] = made.player.id
    maker, *friends = party.players
    request = mm.CreateTicketRequest(caller=maker, wishes=party.wishes, party=friends, bots_after=party.bots_after)
    request.idempotency_key = "k"
    party.ticket = (await copies.ask("CreateTicket", request)).id
    for friend in friends:
        await copies.ask("JoinTicket", mm.TicketRequest(caller=friend, ticket=party.ticket))


async def look(copies: Copies, parties: list[Party]) -> list[str]:
    """Where each party sits, as its ticket says."""
    for party in parties:
        if party.ticket and party.status != "matched":
            found = await copies.ask("GetTicket", mm.TicketRequest(caller=party.players[0], ticket=party.ticket))
            party.status, party.table = found.status, found.table
    return [party.table for party in parties]


async def until_quiet(store: Any, copies: Copies, parties: list[Party], quiet: float) -> None:
    """Until nothing is being made and nobody has been matched for some seconds."""
    limit, since, waiting = time.monotonic() + PATIENCE, time.monotonic(), -1
    while time.monotonic() - since < quiet:
        assert time.monotonic() < limit, f"{waiting} still wait, and the matchmaker is still busy"
        left = (await look(copies, parties)).count("")
        if left != waiting or await store.zcard(PROPOSALS):
            since, waiting = time.monotonic(), left
        await asyncio.sleep(0.3)


async def tables_of(store: Any, players: set[str]) -> dict[str, pb.Table]:
    """Every table in Redis where one of these sits, whoever made it."""
    found = {}
    async for key in store.scan_iter(match="{t:*}:t_*", count=1000, _type="hash"):
        data = await store.hget(key, "record")
        table = pb.TableRecord.FromString(data).table if data else pb.Table()
        if any(seat.player.id in players for seat in table.seats):
            found[table.id] = table
    return found


def check(parties: list[Party], tables: dict[str, pb.Table]) -> str:
    """Raises AssertionError, else tells the story."""
    assert all(party.status in ("waiting", "matched", "") for party in parties)
    matched = [party for party in parties if party.table]
    assert {party.table for party in matched} == tables.keys(), "a table that no ticket knows, or no table"
    seats = Counter(seat.player.id for table in tables.values() for seat in table.seats if seat.kind == "player")
    assert max(seats.values()) == 1, "somebody sits twice"
    assert seats.keys() == {player for party in matched for player in party.players}
    for name, table in tables.items():
        there = [party for party in matched if party.table == name]
        people = {player for party in there for player in party.players}
        assert {seat.player.id for seat in table.seats if seat.kind == "player"} == people
        assert all((table.game, len(table.seats)) in party.counts for party in there), f"{name}: a wrong seat count"
        assert table.status == "playing"
        bots = sum(seat.kind == "bot" for seat in table.seats)
        assert len(people) + bots == len(table.seats)
        assert not bots or all(party.bots_after is not None for party in there)
    waiting = sum(party.status == "waiting" for party in parties)
    lost = len(parties) - len(matched) - waiting
    assert not lost, f"{lost} tickets are lost"
    return (
        f"{len(matched)} matched at {len(tables)} tables, {waiting} still waiting, {lost} lost, "
        f"nobody sits at more than {max(seats.values())} table"
    )


async def run(stack: Stack, tickets: int, victim: str, quiet: float) -> str:
    dice = random.Random(tickets)
    parties = [invent(number, dice) for number in range(tickets)]
    copies, gate = Copies(stack), asyncio.Semaphore(AT_A_TIME)
    store: Any = redis.asyncio.Redis.from_url(stack.redis_url)
    done = 0

    async def one(party: Party) -> None:
        nonlocal done
        async with gate:
            await wait_in_line(copies, party)
        done += 1
        if done == tickets // 2:
            stack.kill(victim)

    began = time.monotonic()
    await asyncio.gather(*map(one, parties))
    accepted = time.monotonic() - began
    people = {player for party in parties for player in party.players}
    while True:
        await until_quiet(store, copies, parties, quiet)
        before = await look(copies, parties)
        tables = await tables_of(store, people)
        if not await store.zcard(PROPOSALS) and await look(copies, parties) == before:
            break
    told = check(parties, tables)
    for party in parties:
        if party.status == "waiting":
            await copies.ask("CancelTicket", mm.TicketRequest(caller=party.players[0], ticket=party.ticket))
    await store.aclose()
    await asyncio.gather(*(channel.close() for channel in copies.channels))
    return f"{tickets} tickets of {len(people)} players in {accepted:.0f} s, {victim} killed half way: {told}"


def campaign(stack: Stack, tickets: int, victim: str, quiet: float = QUIET) -> str:
    return asyncio.run(run(stack, tickets, victim, quiet))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tickets", type=int, default=2000)
    tickets = parser.parse_args().tickets
    with own_stack(sessions=3) as stack:
        print(f"tickets: three copies of sessions, {campaign(stack, tickets, 'sessions-2')}")


if __name__ == "__main__":
    main()
