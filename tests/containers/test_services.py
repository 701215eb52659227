"""Every service from its image, a container each, driven over its own contract with no more around than it needs."""

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import grpc
import httpx
import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from deploy import probe
from services.engine import registry
from services.platform.errors import from_rpc
from teahouse.v1 import rules_pb2, rules_pb2_grpc, sessions_pb2_grpc, webhooks_pb2, webhooks_pb2_grpc
from teahouse.v1 import sessions_pb2 as pb

pytestmark = pytest.mark.docker
GAME = "geishas_road"
PATIENCE = 120.0
# The exit code of a program that has ended itself with SIGTERM, after it had finished; a killed one has 137.
TERMINATED = 143
GRPC, METRICS, HTTP = 7400, 9400, 8080
# As in docker-compose.yml.
HARDENED: dict[str, Any] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "init": True,
}
ENV = {
    "TEAHOUSE_PORT": str(GRPC),
    "TEAHOUSE_METRICS_PORT": str(METRICS),
    "TEAHOUSE_REDIS_URL": "redis://redis:6379/0",
    "TEAHOUSE_SESSIONS": f"sessions:{GRPC}",
    "TEAHOUSE_RULES": f"{GAME}={GAME.replace('_', '-')}:{GRPC}",
    "TEAHOUSE_WEBHOOK_PRIVATE": "1",
    "TEAHOUSE_REDELIVER": "1",
}
MODULES = {
    **{name.replace("_", "-"): f"services.games.{name}" for name in registry.names()},
    "sessions": "services.sessions",
    "bots": "services.bots",
    "hooks": "services.bots.webhooks",
    "gateway": "gateway",
}
# Prints what it is sent, a line for each request.
RECEIVER = """
from http.server import *
class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print(self.headers["Teahouse-Event"], body.decode(), flush=True)
        self.send_response(204)
        self.end_headers()
HTTPServer(("0.0.0.0", 8080), Receiver).serve_forever()
"""


class Containers:
    """One of each, started all at once; whoever needs one waits until it is healthy."""

    def __init__(self, image: str, network: Network) -> None:
        redis = DockerContainer(os.environ.get("TEAHOUSE_REDIS_IMAGE", "valkey/valkey:9")).with_exposed_ports(6379)
        receiver = DockerContainer(image).with_command(["python", "-c", RECEIVER]).with_kwargs(**HARDENED)
        self.all = {"redis": redis, "receiver": receiver}
        for name, module in MODULES.items():
            env = {**ENV, "TEAHOUSE_PORT": str(HTTP)} if name == "gateway" else ENV
            ports = (HTTP,) if name == "gateway" else (GRPC, METRICS)
            one = DockerContainer(image).with_command(["python", "-m", module]).with_exposed_ports(*ports)
            one.env.update(env)
            self.all[name] = one.with_kwargs(**HARDENED).with_tmpfs_mount("/tmp")
        for name, one in self.all.items():
            one.with_network(network).with_network_aliases(name)

    def address(self, name: str, port: int = GRPC) -> str:
        return f"127.0.0.1:{self.all[name].get_exposed_port(port)}"

    def healthy(self, *names: str) -> None:
        """Waits until they say so themselves."""
        limit = time.monotonic() + PATIENCE
        for name in names:
            while True:
                try:
                    self.probe(name)
                    break
                except probe.Unhealthy as problem:
                    assert time.monotonic() < limit, f"{name}: {problem}\n{self.logs(name)}"
                    time.sleep(0.2)

    def probe(self, name: str) -> None:
        if name == "redis":
            probe.redis(self.address(name, 6379))
        elif name == "gateway":
            probe.http(f"http://{self.address(name, HTTP)}/readyz")
        elif name in ("bots", "hooks"):
            probe.http(f"http://{self.address(name, METRICS)}/metrics")
        else:
            probe.grpc_health(self.address(name))

    def logs(self, name: str) -> str:
        return b"\n".join(self.all[name].get_logs()).decode()

    def channel(self, name: str) -> grpc.Channel:
        self.healthy(name)
        # Its own connection: a container that was restarted has another port.
        return grpc.insecure_channel(self.address(name), options=[("grpc.use_local_subchannel_pool", 1)])

    def sessions(self) -> Any:
        self.healthy("redis", GAME.replace("_", "-"))
        return sessions_pb2_grpc.SessionsStub(self.channel("sessions"))

    def restart(self, name: str) -> int:
        """SIGTERM, and up again; the code with which it ended."""
        inner = self.all[name].get_wrapped_container()
        inner.stop(timeout=20)
        ended: int = inner.wait()["StatusCode"]
        inner.start()
        return ended


@pytest.fixture(scope="module")
def containers(docker: str, image: str) -> Iterator[Containers]:
    with Network() as network, ExitStack() as running, ThreadPoolExecutor(4) as pool:
        made = Containers(image, network)
        for one in made.all.values():
            running.callback(one.stop)
        list(pool.map(lambda one: one.start(), made.all.values()))
        yield made
        running.pop_all()
        list(pool.map(lambda one: one.stop(), made.all.values()))


@pytest.mark.parametrize("name", registry.names())
def test_a_rules_service_deals_plays_and_shows(containers: Containers, name: str) -> None:
    with containers.channel(name.replace("_", "-")) as channel:
        rules = rules_pb2_grpc.RulesStub(channel)
        info = rules.Describe(rules_pb2.DescribeRequest())
        assert info.id == name
        assert json.loads(info.components)
        deal = rules_pb2.NewRequest(seats=["player"] * info.max_seats, seed=bytes(32))
        position = rules.New(deal)
        assert rules.New(deal) == position
        played = []
        for _ in range(5):
            action = json.dumps(json.loads(position.legal)[0]).encode()
            played.append(rules_pb2.ReplayedAction(seat=position.actor, action=action))
            acted = rules.Act(rules_pb2.RulesActRequest(state=position.state, seat=position.actor, action=action))
            position = acted.position
        seen = rules.Look(rules_pb2.RulesLookRequest(state=position.state))
        assert (seen.views, seen.legal) == (position.views, position.legal)
        again = rules_pb2.ReplayRequest(seats=deal.seats, seed=deal.seed, actions=played)
        assert rules.Replay(again).state == position.state
        with pytest.raises(grpc.RpcError) as refused:
            rules.Act(rules_pb2.RulesActRequest(state=position.state, seat=position.actor, action=b'{"cheat":{}}'))
        assert from_rpc(refused.value).reason == "MALFORMED_ACTION"


def begin(sessions: Any, *others: pb.Seat) -> tuple[str, list[str]]:
    """A table where somebody has begun to play against another person, or against these."""
    players = [sessions.CreatePlayer(pb.CreatePlayerRequest(name=name)).player.id for name in ("Ada", "Bob")]
    seats = [pb.Seat(kind="me"), *(others or [pb.Seat(kind="open")])]
    table = sessions.OpenTable(pb.OpenTableRequest(caller=players[0], game=GAME, seats=seats)).id
    if not others:
        sessions.TakeSeat(pb.TakeSeatRequest(caller=players[1], table=table))
    sessions.StartTable(pb.TableRequest(caller=players[0], table=table))
    return table, players


def step(sessions: Any, table: str, players: list[str]) -> pb.TablePosition:
    """Whoever has the decision takes the first legal action."""
    actor = players[sessions.Look(pb.TableRequest(table=table)).actor]
    now = sessions.Look(pb.TableRequest(caller=actor, table=table))
    action = json.dumps(json.loads(now.legal)[0]).encode()
    update = sessions.Act(pb.ActRequest(caller=actor, table=table, version=now.version, action=action))
    position: pb.TablePosition = update.position
    return position


def test_sessions_keeps_what_it_acknowledged(containers: Containers) -> None:
    """With a Redis and one rules service. It is stopped and started between two moves."""
    sessions = containers.sessions()
    table, players = begin(sessions)
    for _ in range(3):
        acknowledged = step(sessions, table, players).version
    saved = containers.all["sessions"].exec(["python", "-m", "deploy.backup", "save", "/tmp/teahouse.rdb"])
    assert saved.exit_code == 0, saved.output
    assert containers.restart("sessions") == 0
    sessions = containers.sessions()
    assert sessions.Look(pb.TableRequest(table=table)).version == acknowledged
    watching = sessions.Watch(pb.WatchRequest(caller=players[0], table=table, after_version=acknowledged))
    assert next(watching).position.version == acknowledged
    assert step(sessions, table, players).version == acknowledged + 1
    assert next(watching).position.version == acknowledged + 1
    watching.cancel()


def test_a_bot_worker_plays(containers: Containers) -> None:
    sessions = containers.sessions()
    containers.healthy("bots")
    table, _ = begin(sessions, pb.Seat(kind="bot", bot="greedy"))
    host = sessions.GetTable(pb.TableRequest(table=table)).host
    sessions.LeaveSeat(pb.LeaveSeatRequest(caller=host, table=table, seat=0))  # a bot stands in: nobody else is needed
    until(lambda: sessions.GetTable(pb.TableRequest(table=table)).status == "finished", containers, "bots")
    assert containers.restart("bots") == 0


def test_a_hooks_worker_delivers(containers: Containers) -> None:
    sessions = containers.sessions()
    containers.healthy("hooks")
    table, players = begin(sessions)
    with containers.channel("sessions") as channel:
        wanted = webhooks_pb2.CreateWebhookRequest(caller=players[0], url="http://receiver:8080/", events=["finished"])
        webhooks_pb2_grpc.WebhooksStub(channel).CreateWebhook(wanted)
    sessions.Resign(pb.TableRequest(caller=players[1], table=table))
    until(lambda: f'"table":"{table}"' in containers.logs("receiver").replace(" ", ""), containers, "hooks")
    assert "finished {" in containers.logs("receiver")


def test_a_gateway_speaks_for_the_session_service(containers: Containers) -> None:
    containers.sessions()
    containers.healthy("gateway")
    with httpx.Client(base_url=f"http://{containers.address('gateway', HTTP)}", timeout=20, trust_env=False) as http:
        assert [game["id"] for game in http.get("/v1/games").json()["games"]] == [GAME]
        made = http.post("/v1/players", json={"name": "Ada"})
        http.headers["Authorization"] = f"Bearer {made.json()['token']}"
        seats = [{"kind": "me"}, {"kind": "bot", "bot": "random"}]
        table = http.post("/v1/tables", json={"game": GAME, "seats": seats}).json()["id"]
        assert http.post(f"/v1/tables/{table}/start").json()["status"] == "playing"
        view = http.get(f"/v1/tables/{table}/view").json()
        assert view["seat"] == 0
        unknown = http.post("/v1/tables", json={"game": "chess", "seats": seats})
        assert (unknown.status_code, unknown.json()["reason"]) == (404, "UNKNOWN_GAME")
    assert containers.restart("gateway") in (0, TERMINATED)


def until(condition: Any, containers: Containers, name: str) -> None:
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, containers.logs(name)
        time.sleep(0.1)
