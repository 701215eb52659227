"""A Redis Cluster of three nodes on this machine, from plain `redis-server` processes, and a stack that uses it."""

import contextlib
from functools import partial
from pathlib import Path
from typing import Any

import redis

from deploy import probe
from deploy.stack import LOCAL, PORTS, REDIS, RULES, Stack, free_port, require_free
from deploy.stack import redis_server as server
from deploy.supervisor import Process, StackError
from tests.support.waiting import until

NODES = 3
SLOTS = 16384
# A node talks to the others on its port plus this.
BUS = 10_000


class ClusterStack(Stack):
    """Tables in a cluster; the plain Redis of the stack is left for the bots' queues, as Celery needs one."""

    def __init__(self, data: Path, *, games: tuple[str, ...], **more: Any) -> None:
        super().__init__(data, **more)
        self.games = games

    def _plan(self) -> None:
        super()._plan()
        for name in [name for name, each in self.processes.items() if each.layer == RULES and name not in self.games]:
            del self.processes[name]
        nodes = [self._add_node(number) for number in range(NODES)]
        self.supervisor.start(nodes)
        join([self.processes[node].port for node in nodes])
        for process in self.processes.values():
            process.env["TEAHOUSE_REDIS_URL"] = self.cluster_url

    @property
    def cluster_url(self) -> str:
        # Two of the three: the others are found.
        return "redis://" + ",".join(self.address(f"node-{number}") for number in range(2))

    def _add_node(self, number: int) -> str:
        name, port = f"node-{number}", free_ports()
        data = self.data / name
        data.mkdir()
        more = ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"]
        command = [*server.command(server.executable(data), port, data, "no"), *more]
        healthy = partial(probe.redis, f"{LOCAL}:{port}")
        self.processes[name] = Process(name, REDIS, command, self.env, healthy, port)
        return name


def free_ports() -> int:
    """A port for clients, with its fellow for the other nodes."""
    while True:
        port = free_port()
        with contextlib.suppress(StackError):
            if port + BUS in PORTS:
                require_free(LOCAL, port + BUS)
                return port


def join(ports: list[int]) -> None:
    """Makes one cluster of these nodes, each with its share of the slots; what `redis-cli --cluster create` does."""
    clients: list[Any] = [redis.Redis(LOCAL, port) for port in ports]
    for number, client in enumerate(clients):
        share = range(number * SLOTS // len(ports), (number + 1) * SLOTS // len(ports))
        client.execute_command("CLUSTER ADDSLOTS", *share)
        client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        clients[0].execute_command("CLUSTER MEET", LOCAL, ports[number])
    until(lambda: all(agrees(client, len(ports)) for client in clients), "a cluster of all nodes")
    for client in clients:
        client.close()


def agrees(client: Any, nodes: int) -> bool:
    info = client.execute_command("CLUSTER INFO")
    return bool(info["cluster_state"] == "ok" and info["cluster_known_nodes"] == str(nodes))
