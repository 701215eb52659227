"""Every operation of the session service, ended with kill -9 between any two of its calls to Redis.

For each operation and each n: a copy of the service carries out n of its Redis commands and is killed; the client
repeats its request at another copy. Afterwards everything is as if the operation had been carried out once. A new
operation is one line of OPERATIONS. `make test` runs a sample, `python -m tests.campaigns.crash_points` (in
`make soak`) all of it.
"""

import argparse
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import redis

from deploy import probe
from deploy.stack import SESSIONS, Stack, free_port
from deploy.supervisor import Process
from services.platform.errors import Refusal
from services.sessions.store.keys import listed as list_key
from services.sessions.store.keys import outbox as outbox_key
from services.sessions.store.keys import shard
from teahouse.v1 import company_pb2 as company
from teahouse.v1 import invitations_pb2 as invitations
from teahouse.v1 import matchmaking_pb2 as matchmaking
from teahouse.v1 import sessions_pb2 as pb
from tests.support.processes import own_stack
from tests.support.redis_proxy import Proxy
from tests.support.session_client import ME, OPEN, SessionClient, bot
from tests.support.waiting import until

VICTIM = "victim"
# What an operation writes or reads for somebody names a table or a player; what the service does beside it does not.
OURS = rb"[tp]_[a-z0-9]{14}"
MOST_COMMANDS = 50


@dataclass
class Scene:
    """Where an operation takes place."""

    table: str = ""
    players: list[str] = field(default_factory=list)
    version: int = 0
    action: bytes = b""


@dataclass(frozen=True)
class Operation:
    name: str
    prepare: Callable[[SessionClient], Scene]
    method: str
    request: Callable[[Scene], Any]
    # Raises AssertionError unless the operation was carried out, once.
    check: Callable[[SessionClient, Scene], None]
    # Reasons with which a repeated request may be refused: they say that the first one was carried out.
    done: tuple[str, ...] = ()


# Scenes.


def alone(house: SessionClient) -> Scene:
    return Scene(players=[house.player()])


def waiting(house: SessionClient) -> Scene:
    """An open table with a free seat, and somebody who wants it."""
    ada, bo = house.player("Ada"), house.player("Bo")
    return Scene(house.open(ada, ME, OPEN).id, [ada, bo])


def complete(house: SessionClient) -> Scene:
    """An open table where everybody sits."""
    scene = waiting(house)
    house.call("TakeSeat", pb.TakeSeatRequest(caller=scene.players[1], table=scene.table))
    return scene


def against_bot(house: SessionClient) -> Scene:
    """An open table where a bot will have the first decision."""
    ada = house.player("Ada")
    return Scene(house.open(ada, ME, bot("random"), options={"starting_seat": 1}).id, [ada])


def playing(house: SessionClient) -> Scene:
    """A game; whoever has the decision is the first of the players."""
    table, players = house.duel()
    actor = house.look(table).actor
    position = house.look(table, players[actor])
    action = json.dumps(json.loads(position.legal)[0]).encode()
    return Scene(table, [players[actor], players[1 - actor]], position.version, action)


def after_a_step(house: SessionClient) -> Scene:
    """A game where the first of the players may take a step back."""
    scene = playing(house)
    update = house.act(scene.table, scene.players[0], scene.version, scene.action)
    while not update.position.can_undo:
        actor = update.position.actor
        scene.players.sort(key=lambda player: house.look(scene.table, player).seat != actor)
        position = house.look(scene.table, scene.players[0])
        update = house.act(scene.table, scene.players[0], position.version, json.loads(position.legal)[0])
    return Scene(scene.table, scene.players, update.position.version)


def finished(house: SessionClient) -> Scene:
    table, players = house.duel()
    rng = random.Random(table)
    while house.step(table, players, rng).position.status != "finished":
        pass
    return Scene(table, players)


def finished_against_bot(house: SessionClient) -> Scene:
    scene = against_bot(house)
    house.call("StartTable", pb.TableRequest(caller=scene.players[0], table=scene.table))
    limit = time.monotonic() + 60
    while (position := house.look(scene.table, scene.players[0])).status != "finished":
        assert time.monotonic() < limit, "the bot does not play"
        legal = json.loads(position.legal)
        if legal:
            house.act(scene.table, scene.players[0], position.version, legal[0])
    return scene


def asked_for_again(house: SessionClient) -> Scene:
    """Ada has asked for a rematch, Bo comes next."""
    scene = finished(house)
    house.call("Rematch", pb.TableRequest(caller=scene.players[0], table=scene.table))
    return Scene(scene.table, scene.players[::-1])


# What must hold.


def opened(house: SessionClient, scene: Scene) -> None:
    # A request that is repeated without knowing better may open a second table; each of them is whole.
    mine = house.call("ListTables", pb.ListTablesRequest(caller=scene.players[0], mine=True)).tables
    assert 1 <= len(mine) <= 2, mine
    assert all(table.status == "open" and table.seats[0].player.id == scene.players[0] for table in mine)


def seated(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).seats[1].player.id == scene.players[1]
    assert len(house.happened(scene.table, "seat_taken")) == 1


def left(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).seats[1].kind == "open"
    assert len(house.happened(scene.table, "seat_left")) == 1


def bot_seated(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).seats[1].bot == "greedy"


def started(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).status == "playing"
    assert len(house.happened(scene.table, "started")) == 1


def bot_plays(house: SessionClient, scene: Scene) -> None:
    started(house, scene)
    until(lambda: house.table(scene.table).actor == 0, "the bot's turn")


def moved(house: SessionClient, scene: Scene) -> None:
    assert house.look(scene.table).version == scene.version + 1


def undone(house: SessionClient, scene: Scene) -> None:
    assert len(house.happened(scene.table, "undone")) == 1


def resigned(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).status == "finished"
    assert len(house.happened(scene.table, "resigned")) == 1


def invited(house: SessionClient, scene: Scene) -> None:
    assert house.table(scene.table).seats[1].invited.id == scene.players[1]
    assert len(house.happened(scene.table, "invited")) == 1


def matched(house: SessionClient, scene: Scene) -> None:
    """The ticket waited for nobody: bots fill its table at once."""
    asks = pb.ListTablesRequest(caller=scene.players[0], mine=True)
    mine = until(lambda: house.call("ListTables", asks).tables, "a match")
    assert [len(table.seats) for table in mine] == [2]
    assert mine[0].status in ("playing", "finished")


def said(house: SessionClient, scene: Scene) -> None:
    lines = house.call("GetChat", company.ChatRequest(table=scene.table)).lines
    assert [line.text for line in lines] == ["Hello"]


def rematch_open(house: SessionClient, scene: Scene) -> None:
    new = rematch_of(house, scene)
    assert (new.status, new.host, new.version) == ("open", scene.players[0], 1)
    assert new.seats[1].invited.id == scene.players[1]


def rematch_begun(house: SessionClient, scene: Scene) -> None:
    new = rematch_of(house, scene)
    assert new.status == "playing"
    assert len(house.happened(new.id, "started")) == 1


def rematch_of(house: SessionClient, scene: Scene) -> pb.Table:
    assert len(house.happened(scene.table, "rematch")) == 1
    mine = house.call("ListTables", pb.ListTablesRequest(caller=scene.players[0], mine=True)).tables
    assert len(mine) == 2, "the old table and the new one"
    return house.table(house.table(scene.table).rematch)


def request_of(kind: Any, who: int = 0, **fields: Any) -> Callable[[Scene], Any]:
    """A request at the scene's table by one of its players."""
    return lambda scene: kind(caller=scene.players[who], table=scene.table, **fields)


def act(scene: Scene, key: str = "") -> pb.ActRequest:
    return pb.ActRequest(
        caller=scene.players[0], table=scene.table, version=scene.version, action=scene.action, idempotency_key=key
    )


def open_table(scene: Scene) -> pb.OpenTableRequest:
    return pb.OpenTableRequest(caller=scene.players[0], game="geishas_road", options=b"{}", seats=[ME, OPEN])


def undo(scene: Scene) -> pb.UndoRequest:
    return pb.UndoRequest(caller=scene.players[0], table=scene.table, version=scene.version)


def invite(scene: Scene) -> invitations.InviteRequest:
    return invitations.InviteRequest(caller=scene.players[0], table=scene.table, player=scene.players[1])


def ticket(scene: Scene) -> matchmaking.CreateTicketRequest:
    wish = matchmaking.Wish(game="geishas_road", options=b"{}", seats=[2])
    asks = matchmaking.CreateTicketRequest(caller=scene.players[0], wishes=[wish], bots_after=0, bot="random")
    asks.idempotency_key = "k"
    return asks


ASK = request_of(pb.TableRequest)
TAKE = request_of(pb.TakeSeatRequest, 1)
LEAVE = request_of(pb.LeaveSeatRequest, 1, seat=1)
SET = request_of(pb.SetSeatRequest, seat=1, wanted=bot("greedy"))
SAY = request_of(company.SayRequest, text="Hello", idempotency_key="k")
OPERATIONS = [
    Operation("open", alone, "OpenTable", open_table, opened),
    Operation("take a seat", waiting, "TakeSeat", TAKE, seated, ("ALREADY_SEATED",)),
    Operation("leave a seat", complete, "LeaveSeat", LEAVE, left, ("NOT_SEATED",)),
    Operation("seat a bot", waiting, "SetSeat", SET, bot_seated),
    Operation("start", complete, "StartTable", ASK, started, ("NOT_OPEN",)),
    Operation("start against a bot", against_bot, "StartTable", ASK, bot_plays, ("NOT_OPEN",)),
    Operation("act", playing, "Act", act, moved, ("STALE_VERSION",)),
    Operation("act with a key", playing, "Act", partial(act, key="k"), moved),
    Operation("undo", after_a_step, "Undo", undo, undone, ("STALE_VERSION",)),
    Operation("resign", playing, "Resign", ASK, resigned),
    Operation("invite", waiting, "Invite", invite, invited),
    Operation("a ticket", alone, "CreateTicket", ticket, matched),
    Operation("say", complete, "Say", SAY, said),
    Operation("ask for a rematch", finished, "Rematch", ASK, rematch_open),
    Operation("join a rematch", asked_for_again, "Rematch", ASK, rematch_begun),
    Operation("a rematch against a bot", finished_against_bot, "Rematch", ASK, rematch_begun),
]


# The kills.


class Arena:
    """A stack with one more copy of the session service, behind a proxy."""

    def __init__(self, stack: Stack, proxy: Proxy) -> None:
        self.stack, self.proxy = stack, proxy
        self.survivor = SessionClient(stack)
        self.revival = threading.Thread()

    def kill(self, operation: Operation, commands: int) -> bool:
        """Lets that many commands of the operation through; False if it needed no more."""
        scene = operation.prepare(self.survivor)
        if self.revival.ident:
            self.revival.join()
        self.proxy.arm(commands)
        refusal = attempt(SessionClient(self.stack, VICTIM), operation, scene)
        killed = self.proxy.disarm()
        where = f"{operation.name}, killed after {commands} commands"
        if killed:
            self.revival = threading.Thread(target=self.stack.restart, args=(VICTIM,))
            self.revival.start()
            refusal = attempt(self.survivor, operation, scene)
        assert refusal is None or (killed and refusal.reason in operation.done), f"{where}: {refusal}"
        try:
            operation.check(self.survivor, scene)
            whole(self.stack, self.survivor, scene)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from error
        return killed

    def kill_everywhere(self, operation: Operation) -> int:
        """Between any two commands of the operation; how often."""
        for commands in range(MOST_COMMANDS):
            if not self.kill(operation, commands):
                assert commands, f"{operation.name} was never killed: does the proxy see its commands?"
                return commands
        raise AssertionError(f"{operation.name} needs more than {MOST_COMMANDS} commands")


def attempt(house: SessionClient, operation: Operation, scene: Scene) -> Refusal | None:
    try:
        house.call(operation.method, operation.request(scene))
    except Refusal as refusal:
        return refusal
    return None


def whole(stack: Stack, house: SessionClient, scene: Scene) -> None:
    """No half of a table is anywhere: its parts in Redis tell the same."""
    tables: dict[str, pb.Table] = {}
    for player in scene.players:
        request = pb.ListTablesRequest(caller=player, mine=True)
        tables |= {table.id: table for table in house.call("ListTables", request).tables}
    assert tables, "no table to look at"
    with redis.Redis.from_url(stack.redis_url) as store:
        for table in tables.values():
            number = shard(table.id)
            key = f"{{t:{number}}}:{table.id}"
            if "bot" not in [seat.kind for seat in table.seats]:
                assert store.hget(key, "version") == str(store.llen(f"{key}:log")).encode()
                assert store.zscore(outbox_key(number), table.id) is None
            for status in ("open", "playing"):
                assert (store.zscore(list_key(number, status), table.id) is not None) == (table.status == status)
            sitting = [seat.player.id for seat in table.seats if seat.kind == "player"]
            assert len(sitting) == len(set(sitting))
            for player in sitting:
                assert store.zscore(f"{{p:{player}}}:tables", table.id) is not None, "not among the player's tables"


@contextmanager
def arena(stack: Stack) -> Iterator[Arena]:
    port, pattern = int(stack.address("redis").rpartition(":")[2]), OURS
    with Proxy(port, pattern, lambda: stack.kill(VICTIM)) as proxy:
        listens, metrics = free_port(), free_port()
        model = stack.processes["sessions"]
        env = model.env | {
            "TEAHOUSE_REDIS_URL": f"redis://127.0.0.1:{proxy.port}/0",
            "TEAHOUSE_PORT": str(listens),
            "TEAHOUSE_METRICS_PORT": str(metrics),
        }
        healthy = partial(probe.grpc_health, f"127.0.0.1:{listens}")
        stack.processes[VICTIM] = Process(VICTIM, SESSIONS, model.command, env, healthy, listens, metrics)
        stack.restart(VICTIM)
        made = Arena(stack, proxy)
        try:
            yield made
        finally:
            if made.revival.ident:
                made.revival.join()
            stack.kill(VICTIM)
            del stack.processes[VICTIM]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    by_name = {operation.name: operation for operation in OPERATIONS}
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these operations: {', '.join(by_name)}")
    names = parser.parse_args().names
    if unknown := set(names) - by_name.keys():
        parser.error(f"no such operation: {', '.join(unknown)}")
    chosen = [by_name[name] for name in names or by_name]
    kills = 0
    with own_stack() as stack, arena(stack) as made:
        for operation in chosen:
            times = made.kill_everywhere(operation)
            kills += times
            print(f"{operation.name}: killed {times} times", flush=True)
    print(f"crash points: {len(chosen)} operations killed between any two Redis calls, {kills} kills")


if __name__ == "__main__":
    main()
