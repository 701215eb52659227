"""What the session service writes to Redis is what docs/architecture.md lists, key by key, with its type."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import redis

from deploy.stack import Stack
from deploy.supervisor import ROOT
from services.sessions.store import keys
from teahouse.v1 import accounts_pb2 as ac
from teahouse.v1 import company_pb2 as co
from teahouse.v1 import invitations_pb2 as iv
from teahouse.v1 import matchmaking_pb2 as mm
from teahouse.v1 import outside_pb2 as ob
from teahouse.v1 import sessions_pb2 as pb
from teahouse.v1 import webhooks_pb2 as wh
from tests.support.session_client import GAME, ME, OPEN, SessionClient, bot
from tests.support.waiting import until

ROW = re.compile(r"^\| `([^`]+)` \| (\w+) \|", re.MULTILINE)
# What may stand for <table> and so on. Anything may stand for the rest.
PARTS = {"table": "t_[a-z0-9]{14}", "player": "p_[a-z0-9]{14}", "webhook": "h_[a-z0-9]{14}", "ticket": "m_[a-z0-9]{14}"}
PARTS |= {"shard": r"\d+", "game": "[a-z_]+", "what": "[a-z]+"}
# What kind of key a command makes.
MAKES = {"HSET": "hash", "HINCRBY": "hash", "ZADD": "zset", "RPUSH": "list", "SET": "string", "INCR": "string"}
MAKES |= {"SADD": "set", "XADD": "stream"}
# Celery's, the gateways', and those of the tests.
OTHERS = re.compile(r"_kombu|unacked|bots\.(instant|search)|hooks|\{limit:|\{x\}")


def documented() -> list[tuple[re.Pattern[str], str, str]]:
    """Each row: what its keys look like, their type, and the row's own name."""
    section = (ROOT / "docs/architecture.md").read_text().partition("\n## Keys in Redis\n")[2].partition("\n## ")[0]
    rows = []
    for pattern, kind in ROW.findall(section):
        parts = [PARTS.get(part[1:-1], ".+") if part[0] == "<" else re.escape(part)
                 for part in re.split(r"(<\w+>)", pattern) if part]  # fmt: skip
        rows.append((re.compile("".join(parts)), kind, pattern))
    return rows


@contextmanager
def written(store: Any) -> Iterator[set[tuple[str, str]]]:
    """(key, type) of all that is written meanwhile, by scripts too, and also what is gone a moment later."""
    seen: set[tuple[str, str]] = set()
    with store.monitor() as monitor:

        def listen() -> None:
            for line in monitor.listen():
                words: list[str] = line["command"].split(" ")
                command, key = words[0], words[1] if len(words) > 1 else ""
                if command == "ECHO" and key == "enough":
                    return
                if command in MAKES:
                    seen.add((key, MAKES[command]))

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            yield seen
        finally:
            store.echo("enough")
            listener.join()


def play_through_everything(house: SessionClient, store: Any) -> None:
    # A rated game with a clock, watched, talked at, with repeated requests, to its end.
    table, (ada, bob) = rated(house)
    hook = house.call("CreateWebhook", wh.CreateWebhookRequest(caller=bob, url="https://example.com/hook")).id
    house.call("StartTable", pb.TableRequest(caller=ada, table=table))
    stream = house.stub.Watch(pb.WatchRequest(table=table, caller=ada, company=True))
    next(stream)
    until(lambda: store.exists(keys.table(table, ":present")))
    for player in (ada, bob):
        house.call("Say", co.SayRequest(table=table, caller=player, text="hello"))
    for number in range(2):
        position = house.look(table, ada)
        mover = (ada, bob)[position.actor]
        legal = json.loads(house.look(table, mover).legal)
        house.act(table, mover, position.version, legal[0], key=f"k{number}")
    house.call("Resign", pb.TableRequest(caller=ada, table=table))
    stream.cancel()
    until(lambda: store.hexists(keys.games(bob), f"{GAME}:rated"))
    # A delivery that is dropped because its webhook is disabled.
    request = wh.WebhookRequest(caller=bob, webhook=hook)
    until(lambda: house.call("ListDeliveries", request).deliveries)
    house.call("EnableWebhook", wh.EnableWebhookRequest(caller=bob, webhook=hook, enabled=False))
    for delivery in house.call("ListDeliveries", request).deliveries:
        house.call("BeginAttempt", wh.AttemptRequest(player=bob, webhook=hook, delivery=delivery.id))
    until(lambda: store.exists(keys.webhook(bob, hook)[2]))
    # A bot that plays, one that gives a hint, one from outside; an invitation.
    against_bot = house.open(ada, ME, bot("greedy")).id
    house.call("StartTable", pb.TableRequest(caller=ada, table=against_bot))
    house.until(against_bot, lambda now: now.actor == 0)
    house.call("GetHint", co.HintRequest(table=against_bot, caller=ada, bot="greedy"))
    marvin = house.call("CreatePlayer", pb.CreatePlayerRequest(name=f"Marvin-{ada}", bot=True, application="a_test"))
    house.call("OfferBot", ob.OfferBotRequest(caller=marvin.player.id, available=True, seconds=60))
    house.call("Invite", iv.InviteRequest(caller=ada, table=house.open(ada, ME, OPEN).id, player=bob))
    house.call("CreateKey", ac.CreateKeyRequest(name="test", scopes=["read"]))
    # Two friends who look for a table together.
    wish = mm.Wish(game=GAME, options=b"{}", seats=[2])
    ticket = house.call("CreateTicket", mm.CreateTicketRequest(caller=ada, party=[bob], wishes=[wish])).id
    house.call("JoinTicket", mm.TicketRequest(caller=bob, ticket=ticket))
    until(lambda: house.call("GetTicket", mm.TicketRequest(caller=ada, ticket=ticket)).table)
    # What dead copies of the service and dead workers leave behind is taken up again.
    lost = "t_aaaaaaaaaaaaaa"
    number = keys.shard(lost)
    for outbox, tries in ((keys.outbox(number), keys.tries(number)), (keys.PROPOSALS, keys.PROPOSAL_TRIES)):
        store.zadd(outbox, {lost: 0})
        until(partial(store.hexists, tries, lost))
        store.zrem(outbox, lost)
        store.hdel(tries, lost)
    store.zrem(keys.late(number), lost)


def rated(house: SessionClient) -> tuple[str, list[str]]:
    players = [house.player("Ada"), house.player("Bob")]
    request = pb.OpenTableRequest(caller=players[0], game=GAME, seats=[ME, OPEN], options=b"{}", rated=True)
    request.clock.CopyFrom(pb.Clock(kind="move", seconds=60))
    table = house.call("OpenTable", request).id
    house.call("TakeSeat", pb.TakeSeatRequest(caller=players[1], table=table))
    return table, players


@pytest.fixture
def store(stack: Stack) -> Iterator[Any]:
    with redis.Redis.from_url(stack.redis_url) as client:
        yield client


def test_every_key_in_redis_is_documented_and_every_documented_key_is_there(stack: Stack, store: Any) -> None:
    with written(store) as seen:
        play_through_everything(SessionClient(stack), store)
    seen |= {(key.decode(), store.type(key).decode()) for key in store.scan_iter(count=1000)}
    rows, missing = documented(), {pattern for _, _, pattern in documented()}
    for key, kind in sorted(seen):
        if kind == "none" or OTHERS.match(key):
            continue
        found = [(wanted, pattern) for looks, wanted, pattern in rows if looks.fullmatch(key)]
        assert [wanted for wanted, _ in found] == [kind], f"{key} is a {kind}; the list has it as {found}"
        missing.discard(found[0][1])
    assert not missing
